public import ForgeBusProtocol

/// A signal, whether it waits or is decided, or decisions that came early.
public struct SignalRecord: Hashable, Sendable {
    /// The signal's id.
    public var signal: SignalID
    /// What is known of it.
    public var state: State

    /// What can be known of a signal.
    public enum State: Hashable, Sendable {
        /// Somebody waits, or may come back to wait, until this deadline in milliseconds since 1970; nil waits for ever.
        case waiting(Wait, deadline: Int64?)
        /// The wait is over, so; it is kept until then, in milliseconds since 1970.
        case settled(Wait, Ending, until: Int64)
        /// Nobody waits yet; these decided already, in this order.
        case early([Early])
    }

    /// Who waits for a signal, and who may decide it.
    public struct Wait: Hashable, Sendable {
        /// Whose it is.
        public var owner: Owner
        /// Whether it can be rejected, and expire; a plain signal can only be completed.
        public var isGate: Bool
        /// The principals that may decide it; nil for whoever has the right to.
        public var allowed: Set<String>?
        /// Whether the principal that requested the run may decide it.
        public var requesterMayDecide: Bool
        /// Who requested the run that waits; nil outside runs.
        public var requester: String?

        /// A wait of `owner`.
        public init(
            owner: Owner,
            isGate: Bool,
            allowed: Set<String>? = nil,
            requesterMayDecide: Bool = true,
            requester: String? = nil
        ) {
            self.owner = owner
            self.isGate = isGate
            self.allowed = allowed
            self.requesterMayDecide = requesterMayDecide
            self.requester = requester
        }
    }

    /// Whose a signal is.
    public enum Owner: Hashable, Sendable {
        /// An action of a run.
        case action(RunID, String)
        /// Something in the worker's process that gave itself a name.
        case process(String)
    }

    /// How a wait can end.
    public enum Ending: Hashable, Sendable {
        /// Somebody decided.
        case decided(Decision.Outcome, by: String, unixMilliseconds: Int64)
        /// Its deadline passed first.
        case expired
        /// It was withdrawn undecided.
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
        /// Until when it is kept, in milliseconds since 1970.
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
    public init(signal: SignalID, state: State) {
        self.signal = signal
        self.state = state
    }
}
