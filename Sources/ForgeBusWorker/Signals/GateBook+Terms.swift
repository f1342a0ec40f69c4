import ForgeBusProtocol

/// What the gate book is told, and what it says.
extension GateBook {
    /// Somebody waits.
    struct Waiting: Sendable {
        let owner: SignalOwner
        let kind: SignalKind
        let waiter: WaiterID
        /// Who may decide.
        var rule = GateRule.anybody
        /// Who requested the run that waits; nil outside runs.
        var requester: String?
        /// When it expires, or is given up because nobody announced it again; nil never.
        var deadline: Moment?
        /// Whether whoever waited was in an earlier worker, and has not come back.
        var isOrphaned = false

        /// Whether a process announced it: it hears of the completion, and of no value.
        var isAnnounced: Bool { kind == .signal && owner.run == nil }

        /// Whether a process announced it to an earlier worker, and none has announced it again.
        var isAbandoned: Bool { isOrphaned && isAnnounced }

        /// Whether whoever opens the signal is who waits, or waited, for it.
        ///
        /// A signal that a process announced is announced again by the process that takes its place, and by nobody beside it.
        func isSameOwner(as opening: Waiting) -> Bool {
            if owner == opening.owner { return true }
            guard isOrphaned, case .process = owner, case .process = opening.owner else { return false }
            return kind == .signal && opening.kind == .signal
        }

        /// Why `principal` may not decide; nil if it may.
        func objection(to principal: String) -> String? { rule.objection(to: principal, requester: requester) }
    }

    /// A decision that came before its signal.
    struct Early {
        let outcome: Decision.Outcome
        let principal: String
        let unixMilliseconds: Int64
        let until: Moment

        var size: Int { outcome.sizeInBytes + 64 }
    }

    /// What opening a signal leads to.
    enum Opening {
        /// It waits; the wait its owner had opened before, if there was one, is over.
        case waits(replacing: WaiterID?)
        /// It is decided already: by an early decision, which is news, or by the one that stands.
        case decided(GateDecision, isNews: Bool)
        /// Another owner has the id.
        case taken(by: String)
        /// There is no room for another wait.
        case full
    }

    /// What a decision leads to.
    enum Reply {
        /// A verdict, and who is resumed with what.
        case verdict(Verdict, resuming: (waiter: WaiterID, owner: SignalOwner, with: GateDecision)?)
        /// A plain signal waits, which can only be completed.
        case notRejectable
        /// A limit is reached.
        case busy(limit: String)
    }
}
