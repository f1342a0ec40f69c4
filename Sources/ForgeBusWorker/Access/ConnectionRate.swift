/// Limits how many connections each address may open in a minute, simultaneously or one after the other.
///
/// Each address has a token bucket, stored as the moment at which the bucket will be full. Pure: the caller passes the
/// time.
struct ConnectionRate {
    /// The most addresses with a bucket of their own; all other addresses share one bucket.
    static let capacity = 4_096
    private static let period = Duration.seconds(60)

    private let interval: Duration
    private var full: [AddressBlock: ContinuousClock.Instant] = [:]
    private var othersFull: ContinuousClock.Instant?

    /// - Parameter count: How many connections an address may open in a minute; a number below one counts as one.
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
