public import ForgeBusProtocol

/// A signal that somebody waits for, a signal whose wait has ended, or decisions that came before anybody waited.
public struct SignalRecord: Hashable, Sendable {
    /// The signal's id.
    public var signal: Name
    /// The signal's state.
    public var state: State

    /// The state of a signal.
    public enum State: Hashable, Sendable {
        /// The signal's owner waits, or may wait again after a restart, until `deadline` in milliseconds since 1970;
        /// nil means for ever.
        case waiting(Wait, deadline: Int64?)
        /// The wait has ended. The record expires at `until`, in milliseconds since 1970.
        case settled(Wait, Ending, until: Int64)
        /// Nobody has waited for the signal yet; these decisions came early, in this order.
        case early([Early])
    }

    /// The owner of a signal, and the principals that may decide the signal.
    public struct Wait: Hashable, Sendable {
        /// The action or process that waits for the signal.
        public var owner: Owner
        /// Whether the signal is a gate, which can be rejected and can expire; a plain signal can only be completed.
        public var isGate: Bool
        /// Who may decide the signal, and what it takes.
        public var rule: Rule
        /// The principal that requested the waiting run; nil if no run waits.
        public var requester: String?
        /// What the gate tells those who decide; nil for nothing.
        public var message: String?
        /// When the signal opened, in milliseconds since 1970; nil if a program of form 1 opened it.
        public var opened: Int64?
        /// The principals that decided an earlier gate of the run from which this one is distinct.
        public var barred: Set<String>
        /// Whether the time after which more principals may decide has passed.
        public var isEscalated: Bool
        /// The votes on a gate that needs several, in the order in which they came; of a decided one, those that counted.
        public var votes: [Vote]

        /// Creates the wait of `owner`; no parameter has a default, because a value left out would be lost at a
        /// restart.
        public init(
            owner: Owner,
            isGate: Bool,
            rule: Rule,
            requester: String?,
            message: String?,
            opened: Int64?,
            barred: Set<String>,
            isEscalated: Bool,
            votes: [Vote]
        ) {
            self.owner = owner
            self.isGate = isGate
            self.rule = rule
            self.requester = requester
            self.message = message
            self.opened = opened
            self.barred = barred
            self.isEscalated = isEscalated
            self.votes = votes
        }
    }

    /// A vote on a gate that needs several.
    public struct Vote: Hashable, Sendable {
        /// The principal that voted.
        public var principal: String
        /// The vote: an approval or a rejection.
        public var outcome: Decision.Outcome
        /// When the vote came, in milliseconds since 1970.
        public var unixMilliseconds: Int64

        /// Creates a vote of `principal`.
        public init(principal: String, outcome: Decision.Outcome, unixMilliseconds: Int64) {
            self.principal = principal
            self.outcome = outcome
            self.unixMilliseconds = unixMilliseconds
        }
    }

    /// The owner of a signal.
    public enum Owner: Hashable, Sendable {
        /// An action: the run's id, then the action's id.
        case action(Name, String)
        /// Code in the worker's process, under a name that it chose.
        case process(String)
    }

    /// How a wait can end.
    public enum Ending: Hashable, Sendable {
        /// A principal decided.
        case decided(Decision.Outcome, by: String, unixMilliseconds: Int64)
        /// The deadline passed before a decision came.
        case expired
        /// The wait ended without a decision, for this reason.
        case closed(why: String)
    }

    /// A decision that came before anybody waited for the signal.
    public struct Early: Hashable, Sendable {
        /// The principal that decided.
        public var principal: String
        /// The decision: an approval or a rejection.
        public var outcome: Decision.Outcome
        /// When the decision came, in milliseconds since 1970.
        public var unixMilliseconds: Int64
        /// When the decision expires, in milliseconds since 1970.
        public var until: Int64
        /// Whether the sender asked the worker to keep the decision; a gate uses no other.
        public var isAsked: Bool

        /// Creates a decision that came early.
        public init(
            principal: String,
            outcome: Decision.Outcome,
            unixMilliseconds: Int64,
            until: Int64,
            isAsked: Bool
        ) {
            self.principal = principal
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
