/// The exact outcome of a decision.
public enum Verdict: Hashable, Sendable {
    /// It decided the waiting signal; the waiter resumes with it.
    case delivered
    /// It is a vote of a quorum that is not yet complete.
    case counted(have: Int, need: Int)
    /// Nobody waits yet; the decision is kept this long for a later waiter. Provisional: it is checked when the gate
    /// opens.
    case buffered(for: Duration)
    /// Another message with the same decision and byte-equal value came first.
    case duplicate
    /// A different decision stands; the first wins.
    case conflict(Standing)
    /// The deadline passed first; the default outcome stands.
    case expired
    /// The signal was withdrawn undecided.
    case closed(why: String)
    /// The gate's own rules do not allow this sender.
    case forbidden(why: String)
    /// Nobody waits, and the decision is not kept.
    case unknown

    /// The decision that stands.
    public struct Standing: Hashable, Sendable {
        /// Yes or no.
        public var decision: Decision.Kind
        /// The principal that made the decision.
        public var principal: String
        /// When, in milliseconds since 1970 by the worker's clock.
        public var unixMilliseconds: Int64

        /// Makes the decision that stands.
        public init(decision: Decision.Kind, principal: String, unixMilliseconds: Int64) {
            self.decision = decision
            self.principal = principal
            self.unixMilliseconds = unixMilliseconds
        }
    }

    /// The verdict's word on the wire.
    public var word: String {
        switch self {
        case .delivered: "delivered"
        case .counted: "counted"
        case .buffered: "buffered"
        case .duplicate: "duplicate"
        case .conflict: "conflict"
        case .expired: "expired"
        case .closed: "closed"
        case .forbidden: "forbidden"
        case .unknown: "unknown"
        }
    }
}

/// A verdict, and its durability.
public struct VerdictReport: Hashable, Sendable {
    /// The signal it is about.
    public var signal: SignalID
    /// The outcome of the decision.
    public var verdict: Verdict
    /// How durable the verdict is.
    public var durability: Durability
    /// How long the same message gets this verdict again.
    public var retention: Duration

    /// Makes a verdict about `signal`.
    public init(signal: SignalID, verdict: Verdict, durability: Durability, retention: Duration) {
        self.signal = signal
        self.verdict = verdict
        self.durability = durability
        self.retention = retention
    }
}
