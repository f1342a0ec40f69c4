public import ForgeBusProtocol

/// A signal that waits or is decided, or decisions that came before it.
public struct SignalRecord: Hashable, Sendable {
    /// The signal's id.
    public var signal: Name
    /// Its state.
    public var state: State

    /// The state of a signal.
    public enum State: Hashable, Sendable {
        /// Its owner waits, or may come back to wait, until `deadline` in milliseconds since 1970; nil is for ever.
        case waiting(Wait, deadline: Int64?)
        /// The wait has ended. The record expires at `until`, in milliseconds since 1970.
        case settled(Wait, Ending, until: Int64)
        /// Nobody waits yet; these decisions came already, in this order.
        case early([Early])
    }

    /// Who waits for a signal, and who may decide it.
    public struct Wait: Hashable, Sendable {
        /// The owner.
        public var owner: Owner
        /// Whether it can be rejected and can expire; a plain signal can only be completed.
        public var isGate: Bool
        /// The principals that may decide it; nil for everybody with the right to.
        public var allowed: Set<String>?
        /// Whether the principal that requested the run may decide it.
        public var requesterMayDecide: Bool
        /// The requester of the run that waits; nil outside runs.
        public var requester: String?

        /// A wait of `owner`; what is left out would be lost at a restart, so nothing can be.
        public init(
            owner: Owner,
            isGate: Bool,
            allowed: Set<String>?,
            requesterMayDecide: Bool,
            requester: String?
        ) {
            self.owner = owner
            self.isGate = isGate
            self.allowed = allowed
            self.requesterMayDecide = requesterMayDecide
            self.requester = requester
        }
    }

    /// The owner of a signal.
    public enum Owner: Hashable, Sendable {
        /// An action of a run.
        case action(Name, String)
        /// Code of the worker's process, by the name it chose.
        case process(String)
    }

    /// How a wait can end.
    public enum Ending: Hashable, Sendable {
        /// A principal decided.
        case decided(Decision.Outcome, by: String, unixMilliseconds: Int64)
        /// Its deadline passed first.
        case expired
        /// The owner withdrew it.
        case closed(why: String)
    }

    /// A decision that came before its signal.
    public struct Early: Hashable, Sendable {
        /// Who decided.
        public var principal: String
        /// What was decided.
        public var outcome: Decision.Outcome
        /// When, in milliseconds since 1970.
        public var unixMilliseconds: Int64
        /// When it expires, in milliseconds since 1970.
        public var until: Int64

        /// A decision that came early.
        public init(principal: String, outcome: Decision.Outcome, unixMilliseconds: Int64, until: Int64) {
            self.principal = principal
            self.outcome = outcome
            self.unixMilliseconds = unixMilliseconds
            self.until = until
        }
    }

    /// A signal.
    public init(signal: Name, state: State) {
        self.signal = signal
        self.state = state
    }
}
