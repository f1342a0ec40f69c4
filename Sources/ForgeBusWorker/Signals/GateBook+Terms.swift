import ForgeBusProtocol

/// The input and the output of the gate book.
extension GateBook {
    /// The wait for a signal.
    struct Waiting: Sendable {
        let owner: SignalOwner
        let kind: SignalKind
        let waiter: WaiterID
        /// The rule about who may decide the signal.
        var rule = GateRule.anybody
        /// The principal that requested the waiting run; nil outside runs.
        var requester: String?
        /// What the gate tells those who decide; nil for nothing.
        var message: String?
        /// When the signal first opened, in milliseconds since 1970; nil for one that an earlier program opened.
        var opened: Int64?
        /// When the wait expires, or is forgotten because nobody announced the signal again; nil for never.
        var deadline: Moment?
        /// Whether the waiter was in an earlier worker, and has not come back.
        var isOrphaned = false

        /// Whether a process announced it: the process gets the completion, without a value.
        var isAnnounced: Bool { kind == .signal && owner.run == nil }

        /// Whether a process announced it to an earlier worker, and none has announced it again.
        var isAbandoned: Bool { isOrphaned && isAnnounced }

        /// Whether `opening` has the owner that waits, or waited, for the signal.
        ///
        /// A signal that a process announced may be announced again by the next process, and by nobody else.
        func isSameOwner(as opening: Waiting) -> Bool {
            if owner == opening.owner { return true }
            guard isOrphaned, case .process = owner, case .process = opening.owner else { return false }
            return kind == .signal && opening.kind == .signal
        }

        /// Why `principal` may not decide; nil if it may.
        func objection(to principal: String) -> String? { rule.objection(to: principal, requester: requester) }

        /// Why an early decision cannot decide the signal; nil if it can.
        func flaw(of early: Early) -> String? {
            guard kind.takes(early.outcome) else { return "A plain signal cannot be rejected." }
            // A stale approval must not open the next run's gate.
            guard kind == .signal || early.isAsked else { return "Its sender did not ask the worker to keep it." }
            return objection(to: early.principal)
        }
    }

    /// A decision that came before its signal.
    struct Early {
        let outcome: Decision.Outcome
        let principal: String
        let unixMilliseconds: Int64
        let until: Moment
        /// Whether the sender asked the worker to keep the decision; a gate uses no other.
        let isAsked: Bool

        var size: Int { outcome.sizeInBytes + 64 }
    }

    /// The outcome of opening a signal.
    enum Opening {
        /// The signal waits; an earlier wait of its owner, if there was one, is over. The early decisions could not decide
        /// the signal, and are dropped.
        case waits(replacing: WaiterID?, dropping: [Early])
        /// The signal is decided already: by this early decision, which is news, or, if nil, before.
        case decided(GateDecision, by: Early?)
        /// Another owner has the id.
        case taken(by: String)
        /// There is no room for another wait.
        case full
    }

    /// The outcome of a withdrawal.
    enum Withdrawal {
        /// The principal's early decision is removed.
        case withdrawn
        /// The principal has no early decision on the signal.
        case nothing
        /// The signal is approved or rejected already.
        case decided
    }

    /// The outcome of a decision.
    enum Reply {
        /// A verdict, and the waiter to resume with the decision.
        case verdict(Verdict, resuming: (waiter: WaiterID, owner: SignalOwner, with: GateDecision)?)
        /// The signal is plain, and can only be completed.
        case notRejectable
        /// A limit is reached.
        case busy(limit: String)
    }
}
