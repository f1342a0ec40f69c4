import ForgeBusProtocol

/// The EVALUATED answers that are owed: which monitors still have to answer for each.
struct EvaluationBook {
    /// One answer that is owed.
    struct Owed {
        let request: RequestID
        let caller: Caller
        let principal: AccessPolicy.Principal
        var pending: [Name]
        var answers: [Evaluation.Monitor] = []
    }

    private var owed: [EvaluationID: Owed] = [:]
    private var last: UInt64 = 0

    /// How many answers are owed.
    var count: Int { owed.count }

    /// An answer is owed, which these monitors make up.
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

    /// A monitor answered.
    ///
    /// - Returns: The whole answer, if this was the last part of it.
    mutating func add(_ answer: Evaluation.Monitor, to id: EvaluationID) -> Owed? {
        owed[id]?.pending.removeAll { $0 == answer.monitor }
        owed[id]?.answers.append(answer)
        return owed[id]?.pending.isEmpty == true ? owed.removeValue(forKey: id) : nil
    }

    /// The sender's deadline passed.
    ///
    /// - Returns: The answer as far as it is known; nil if it was given already.
    mutating func expire(_ id: EvaluationID) -> Owed? { owed.removeValue(forKey: id) }

    /// Nothing more will be known: every answer is given as far as it is, in the order in which they were asked for.
    mutating func expireAll() -> [Owed] {
        let all = owed.sorted { $0.key.number < $1.key.number }.map(\.value)
        owed = [:]
        return all
    }

    /// Nothing is owed any more to those who are not to be told.
    mutating func forgetAll(where isGone: (AccessPolicy.Principal) -> Bool) {
        owed = owed.filter { !isGone($0.value.principal) }
    }

    /// Nothing is owed to a caller any more.
    mutating func forgetAll(of caller: Caller) {
        guard owed.values.contains(where: { $0.caller == caller }) else { return }
        owed = owed.filter { $0.value.caller != caller }
    }

    /// The connections that answers are owed to, some of them more than once.
    var connections: some Sequence<ConnectionID> { owed.values.lazy.map(\.caller.connection) }

    /// Whether this answer is still owed.
    func isOwed(_ id: EvaluationID) -> Bool { owed[id] != nil }
}

extension EvaluationBook.Owed {
    /// The answer, complete or not.
    var answer: Answer { Answer(to: request, .evaluated(Evaluation(monitors: answers, pending: pending))) }
}
