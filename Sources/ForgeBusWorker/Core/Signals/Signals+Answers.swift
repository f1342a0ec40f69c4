import ForgeBusProtocol

/// What the table of signals answers.
extension Signals {
    /// An early decision that a signal did not use when it opened, and why.
    struct Unused {
        let early: EarlyDecision
        let why: String
    }

    /// The outcome of opening a signal.
    enum Opening {
        /// The signal waits.
        ///
        /// The early decisions in `using` are votes now, and those in `dropping` are gone. The wait of `replacing`, an
        /// earlier waiter of the same owner, is over.
        case waits(replacing: WaiterID?, using: [EarlyDecision] = [], dropping: [Unused] = [])
        /// The signal has ended: the early decisions in `using` decided it; if `using` is empty, it ended before.
        case decided(GateDecision, using: [EarlyDecision] = [], dropping: [Unused] = [])
        /// Another owner has the id.
        case taken(by: String)
        /// As many signals wait as the worker's limit allows.
        case full
    }

    /// The outcome of a withdrawal.
    enum Withdrawal {
        /// The principal's early decision or vote is removed.
        case withdrawn
        /// The principal has no early decision and no vote on the signal.
        case nothing
        /// The signal is approved or rejected already.
        case decided
    }

    /// What an ended wait leads to: the waiter to resume, with the decision.
    typealias Resumption = (waiter: WaiterID, owner: SignalOwner, with: GateDecision)

    /// The outcome of a decision.
    enum Reply {
        /// A verdict, the votes that do not count any more, and the waiter to resume if the wait is over now.
        case ruled(Verdict, uncounted: [Vote] = [], resuming: Resumption? = nil)
        /// The decision has no effect.
        case refused(BusError)
    }
}
