/// What became of a decision, exactly.
public enum Verdict: Hashable, Sendable {
    /// It decided the waiting signal; the waiter resumes with it.
    case delivered
    /// It is a vote of a quorum that is not yet complete.
    case counted(have: Int, need: Int)
    /// Nobody waits yet; it is kept for whoever will, this long. Provisional: it is checked when the gate opens.
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
    /// Nobody waits, and the decision was not to be kept.
    case unknown

    /// The decision that stands.
    public struct Standing: Hashable, Sendable {
        /// `approved` or `rejected`.
        public var decision: String
        /// The principal who took it.
        public var principal: String
        /// When, in milliseconds since 1970 by the worker's clock.
        public var unixMilliseconds: Int64

        /// The decision that stands.
        public init(decision: String, principal: String, unixMilliseconds: Int64) {
            self.decision = decision
            self.principal = principal
            self.unixMilliseconds = unixMilliseconds
        }
    }

    /// The verdict's word, as it travels.
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

/// A verdict, and what it is worth.
public struct VerdictReport: Hashable, Sendable {
    /// The signal it is about.
    public var signal: SignalID
    /// What became of the decision.
    public var verdict: Verdict
    /// How long the verdict lives.
    public var durability: Durability
    /// How long the same message gets this verdict again.
    public var retention: Duration

    /// A verdict about `signal`.
    public init(signal: SignalID, verdict: Verdict, durability: Durability, retention: Duration) {
        self.signal = signal
        self.verdict = verdict
        self.durability = durability
        self.retention = retention
    }
}
