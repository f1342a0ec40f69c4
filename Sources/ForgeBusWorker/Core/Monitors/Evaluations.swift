import ForgeBusProtocol

/// The EVALUATED answers that callers wait for, each with the monitors whose parts are still missing.
struct Evaluations {
    /// One EVALUATED answer that a caller waits for.
    struct Owed {
        let request: RequestID
        let caller: Caller
        let principal: AccessPolicy.Principal
        /// The topic of the notification.
        let topic: Name
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
        topic: Name,
        monitors: [Name]
    ) -> EvaluationID {
        last += 1
        let id = EvaluationID(number: last)
        owed[id] = Owed(request: request, caller: caller, principal: principal, topic: topic, pending: monitors)
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

    /// Drops the answers that a new policy no longer allows, and returns them in the order of their requests.
    mutating func endWaits(under policy: AccessPolicy) -> [(owed: Owed, error: BusError)] {
        owed.sorted { $0.key.number < $1.key.number }.compactMap { id, owed in
            let ruling = policy.ruling(for: owed.principal, .notify, on: .name(owed.topic))
            let error = policy.dismissal(of: owed.principal) ?? ruling.refusal(of: owed.principal)
            if error != nil { self.owed[id] = nil }
            return error.map { (owed, $0) }
        }
    }

    /// Drops the answers to a caller.
    mutating func forgetAll(of caller: Caller) {
        guard owed.values.contains(where: { $0.caller == caller }) else { return }
        owed = owed.filter { $0.value.caller != caller }
    }

    /// The callers that wait for an answer; a caller that waits for several answers occurs several times.
    var callers: some Sequence<Caller> { owed.values.lazy.map(\.caller) }

    /// Whether a caller still waits for this answer.
    func isOwed(_ id: EvaluationID) -> Bool { owed[id] != nil }
}

extension Evaluations.Owed {
    /// The answer, complete or not.
    var answer: Answer { Answer(to: request, .evaluated(Evaluation(monitors: answers, pending: pending))) }
}
