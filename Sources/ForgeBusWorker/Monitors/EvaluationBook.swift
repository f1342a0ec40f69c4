import ForgeBusProtocol

/// The EVALUATED answers that callers wait for, each with the monitors whose parts are still missing.
struct EvaluationBook {
    /// One EVALUATED answer that a caller waits for.
    struct Owed {
        let request: RequestID
        let caller: Caller
        let principal: AccessPolicy.Principal
        var pending: [Name]
        var answers: [Evaluation.Monitor] = []
    }

    private var owed: [EvaluationID: Owed] = [:]
    private var last: UInt64 = 0

    /// The number of answers that callers wait for.
    var count: Int { owed.count }

    /// Opens an answer that will have one part from each of these monitors.
    mutating func open(
        _ request: RequestID,
        for caller: Caller,
        _ principal: AccessPolicy.Principal,
        monitors: [Name]
    ) -> EvaluationID {
        last += 1
        let id = EvaluationID(number: last)
        owed[id] = Owed(request: request, caller: caller, principal: principal, pending: monitors)
        return id
    }

    /// Adds a monitor's part to an answer.
    ///
    /// - Returns: The complete answer if no part is missing any more; otherwise nil.
    mutating func add(_ answer: Evaluation.Monitor, to id: EvaluationID) -> Owed? {
        owed[id]?.pending.removeAll { $0 == answer.monitor }
        owed[id]?.answers.append(answer)
        return owed[id]?.pending.isEmpty == true ? owed.removeValue(forKey: id) : nil
    }

    /// Ends an answer whose deadline passed.
    ///
    /// - Returns: The answer with the parts so far; nil if the caller got the answer before.
    mutating func expire(_ id: EvaluationID) -> Owed? { owed.removeValue(forKey: id) }

    /// Ends all answers, and returns them with the parts so far, in the order of their requests.
    mutating func expireAll() -> [Owed] {
        let all = owed.sorted { $0.key.number < $1.key.number }.map(\.value)
        owed = [:]
        return all
    }

    /// Drops the answers to principals that may not get them any more.
    mutating func forgetAll(where isGone: (AccessPolicy.Principal) -> Bool) {
        owed = owed.filter { !isGone($0.value.principal) }
    }

    /// Drops the answers to a caller.
    mutating func forgetAll(of caller: Caller) {
        guard owed.values.contains(where: { $0.caller == caller }) else { return }
        owed = owed.filter { $0.value.caller != caller }
    }

    /// The connections that wait for an answer; a connection that waits for several answers occurs several times.
    var connections: some Sequence<ConnectionID> { owed.values.lazy.map(\.caller.connection) }

    /// Whether a caller still waits for this answer.
    func isOwed(_ id: EvaluationID) -> Bool { owed[id] != nil }
}

extension EvaluationBook.Owed {
    /// The answer, complete or not.
    var answer: Answer { Answer(to: request, .evaluated(Evaluation(monitors: answers, pending: pending))) }
}
