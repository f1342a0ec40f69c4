/// How many connections each address may have let in a minute: at once, or one after the other.
///
/// A bucket of tokens for each address that is not full, kept as the moment at which it will be. Pure: the clock is the
/// caller's.
struct ConnectionRate {
    /// So many addresses are told apart; beyond, the others share one bucket.
    static let capacity = 4_096
    private static let period = Duration.seconds(60)

    private let interval: Duration
    private var full: [AddressBlock: ContinuousClock.Instant] = [:]
    private var othersFull: ContinuousClock.Instant?

    /// - Parameter count: How many connections a minute; less than one is one.
    init(perMinute count: Int) { interval = Self.period / max(1, count) }

    /// Whether one more may be let in now; if so, it is counted.
    mutating func admits(_ address: AddressBlock, at now: ContinuousClock.Instant) -> Bool {
        if full[address] == nil, full.count >= Self.capacity { full = full.filter { $0.value > now } }
        let isKnown = full[address] != nil || full.count < Self.capacity
        let next = max((isKnown ? full[address] : othersFull) ?? now, now) + interval
        guard next <= now + Self.period else { return false }
        if isKnown { full[address] = next } else { othersFull = next }
        return true
    }
}
