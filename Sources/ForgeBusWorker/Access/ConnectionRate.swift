/// Limits how many connections each address may open in a minute, simultaneously or one after the other.
///
/// A token bucket for each address, stored as the moment at which it will be full. Pure: the caller passes the time.
struct ConnectionRate {
    /// The most addresses with a bucket of their own; all others share one.
    static let capacity = 4_096
    private static let period = Duration.seconds(60)

    private let interval: Duration
    private var full: [AddressBlock: ContinuousClock.Instant] = [:]
    private var othersFull: ContinuousClock.Instant?

    /// - Parameter count: How many connections a minute, at least one.
    init(perMinute count: Int) { interval = Self.period / max(1, count) }

    /// Whether one more connection may open now; if so, counts it.
    mutating func admits(_ address: AddressBlock, at now: ContinuousClock.Instant) -> Bool {
        if full[address] == nil, full.count >= Self.capacity { full = full.filter { $0.value > now } }
        let isKnown = full[address] != nil || full.count < Self.capacity
        let next = max((isKnown ? full[address] : othersFull) ?? now, now) + interval
        guard next <= now + Self.period else { return false }
        if isKnown { full[address] = next } else { othersFull = next }
        return true
    }
}
