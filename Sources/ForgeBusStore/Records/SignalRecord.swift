public import ForgeBusProtocol

/// A signal for which something waits, a signal whose wait has ended, or the early decisions on a signal.
public struct SignalRecord: Hashable, Sendable {
    /// The signal's id.
    public var signal: Name
    /// The signal's state.
    public var state: State

    /// The state of a signal.
    public enum State: Hashable, Sendable {
        /// The signal's owner waits, or may wait again after a restart. The wait lasts until `deadline`, in
        /// milliseconds since 1970; nil means that it has no deadline.
        case waiting(Wait, deadline: Int64?)
        /// The wait has ended. The record expires at `until`, in milliseconds since 1970.
        case settled(Wait, Ending, until: Int64)
        /// Nothing has waited for the signal yet; these early decisions came, in this order.
        case early([Early])
    }

    /// The wait for a signal: its owner, who may decide the signal, and the votes.
    public struct Wait: Hashable, Sendable {
        /// The action or process that waits for the signal.
        public var owner: Owner
        /// Whether the signal is a gate, which can be rejected and can expire; a plain signal can only be completed.
        public var isGate: Bool
        /// The rule that says who may decide the signal, and how many decisions are needed.
        public var rule: GateRule
        /// The principal that requested the owner's run; nil if the owner is a process.
        public var requester: String?
        /// More principals that count as requesters of the owner's run, because they caused the run.
        public var causers: Set<String>
        /// The text that the gate shows to its deciders; nil if it shows none.
        public var message: String?
        /// When the signal opened, in milliseconds since 1970.
        public var opened: Int64
        /// The principals that may not decide this gate, because they decided one of the earlier gates in
        /// `GateRule.distinctFrom`.
        public var barred: Set<String>
        /// Whether the gate has escalated, so that more principals may decide.
        public var isEscalated: Bool
        /// The votes on a gate that needs several decisions, in the order in which they came.
        ///
        /// After the gate has been decided, these are the votes that it had at its decision.
        public var votes: [Vote]

        /// Creates the wait of `owner`.
        ///
        /// No parameter has a default, because a restart would lose a value that somebody forgot to pass.
        public init(
            owner: Owner,
            isGate: Bool,
            rule: GateRule,
            requester: String?,
            causers: Set<String>,
            message: String?,
            opened: Int64,
            barred: Set<String>,
            isEscalated: Bool,
            votes: [Vote]
        ) {
            self.owner = owner
            self.isGate = isGate
            self.rule = rule
            self.requester = requester
            self.causers = causers
            self.message = message
            self.opened = opened
            self.barred = barred
            self.isEscalated = isEscalated
            self.votes = votes
        }
    }

    /// A vote on a gate that needs several decisions.
    public struct Vote: Hashable, Sendable {
        /// The principal that voted.
        public var principal: String
        /// The principal that sent the vote for ``principal``; nil if the principal sent it itself.
        public var via: String?
        /// The vote: an approval or a rejection.
        public var outcome: Decision.Outcome
        /// When the vote came, in milliseconds since 1970.
        public var unixMilliseconds: Int64

        /// Creates a vote of `principal`.
        public init(principal: String, via: String?, outcome: Decision.Outcome, unixMilliseconds: Int64) {
            self.principal = principal
            self.via = via
            self.outcome = outcome
            self.unixMilliseconds = unixMilliseconds
        }
    }

    /// What waits for a signal: an action of a run, or other code in the worker's process.
    public enum Owner: Hashable, Sendable {
        /// An action: the run's id, then the action's id.
        case action(Name, String)
        /// Code in the worker's process that is not an action of a run; the name is the one that this code has chosen.
        case process(String)
    }

    /// How a wait can end.
    public enum Ending: Hashable, Sendable {
        /// A principal decided the signal; `via` sent the decision for it, or is nil.
        case decided(Decision.Outcome, by: String, via: String?, unixMilliseconds: Int64)
        /// The deadline passed before a decision came.
        case expired
        /// The wait ended without a decision, for this reason.
        case closed(why: String)
    }

    /// An early decision.
    public struct Early: Hashable, Sendable {
        /// The principal that decided.
        public var principal: String
        /// The principal that sent the decision for ``principal``; nil if the principal sent it itself.
        public var via: String?
        /// The decision: an approval or a rejection.
        public var outcome: Decision.Outcome
        /// When the decision came, in milliseconds since 1970.
        public var unixMilliseconds: Int64
        /// When the decision expires, in milliseconds since 1970.
        public var until: Int64
        /// Whether the sender asked the worker to keep the decision; if not, a gate does not use the decision.
        public var isAsked: Bool

        /// Creates an early decision.
        public init(
            principal: String,
            via: String?,
            outcome: Decision.Outcome,
            unixMilliseconds: Int64,
            until: Int64,
            isAsked: Bool
        ) {
            self.principal = principal
            self.via = via
            self.outcome = outcome
            self.unixMilliseconds = unixMilliseconds
            self.until = until
            self.isAsked = isAsked
        }
    }

    /// Creates the record of a signal.
    public init(signal: Name, state: State) {
        self.signal = signal
        self.state = state
    }
}
