/// The exact outcome of a decision.
public enum Verdict: Hashable, Sendable {
    /// The decision decided the waiting signal, and the waiter resumes; a parked run resumes only after a redrive.
    case delivered
    /// The decision is a vote; the gate has `have` of the `need` votes that it needs, and still waits.
    case counted(have: Int, need: Int)
    /// Nobody waits yet; the worker keeps the decision for this time.
    ///
    /// This verdict is provisional: when the gate begins to wait, the worker checks the decision against the gate's
    /// rules.
    case buffered(for: Duration)
    /// The same decision, with the same value or reason, came first; this message changes nothing.
    ///
    /// If votes decided a gate, a later vote of the same kind is a duplicate even with another value or reason, unless
    /// its sender's own vote was one of those that decided.
    case duplicate
    /// A different decision came first and stands.
    case conflict(Standing)
    /// The signal's deadline passed before the decision came, and the default outcome stands: a rejection.
    case expired
    /// The signal ended without a decision, because its run ended or its waiter gave up, for this reason.
    case closed(why: String)
    /// The gate's own rules do not allow this sender to decide, for this reason.
    case forbidden(why: String)
    /// Nobody waits, and the worker does not keep the decision, for this reason.
    ///
    /// The reason is empty if the worker did not send one.
    case unknown(why: String)

    /// The decision that came first and stands.
    public struct Standing: Hashable, Sendable {
        /// Whether the signal was approved or rejected.
        public var decision: Decision.Kind
        /// The principal that made the decision.
        public var principal: String
        /// The principal that sent the decision for ``principal``, such as a gateway; nil if the principal sent it itself.
        public var via: String?
        /// The time of the decision, in milliseconds since 1970 by the worker's clock.
        public var unixMilliseconds: Int64

        /// Creates the description of a decision that came first and stands.
        public init(decision: Decision.Kind, principal: String, via: String? = nil, unixMilliseconds: Int64) {
            self.decision = decision
            self.principal = principal
            self.via = via
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

/// The answer to a decision: the verdict and its durability.
public struct VerdictReport: Hashable, Sendable {
    /// The signal's id.
    public var signal: SignalID
    /// The outcome of the decision.
    public var verdict: Verdict
    /// How durable the verdict is.
    public var durability: Durability
    /// How long the worker repeats this verdict if the same message comes again.
    public var retention: Duration
    /// Why the waiting run is parked; nil if the run is not parked, or if the verdict is not ``Verdict/delivered``.
    ///
    /// The decision stands, but a parked run resumes with the decision only after somebody redrives the run.
    public var parkingReason: String?

    /// Makes a verdict about `signal`.
    public init(
        signal: SignalID,
        verdict: Verdict,
        durability: Durability,
        retention: Duration,
        parkingReason: String? = nil
    ) {
        self.signal = signal
        self.verdict = verdict
        self.durability = durability
        self.retention = retention
        self.parkingReason = parkingReason
    }
}
