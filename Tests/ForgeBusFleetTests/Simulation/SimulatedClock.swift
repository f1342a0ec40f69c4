/// The clocks of one machine: one that only goes on, a little too fast or too slow, and one on the wall that somebody sets.
struct SimulatedClock {
    typealias Instant = ContinuousClock.Instant

    /// By how many millionths the clock is too fast.
    let rate: Int64
    /// What the clock shows at the beginning, in nanoseconds.
    private let start: Int64
    /// By how much the wall clock is wrong, in milliseconds.
    var wallError: Int64 = 0

    init(rate: Int64, start: Int64) { (self.rate, self.start) = (rate, start) }

    /// What the clock shows at `time`, both in nanoseconds.
    func reading(at time: Int64) -> Int64 {
        let (millions, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
        return start + time + millions * rate + rest * rate / 1_000_000
    }

    /// The first time at which the clock shows `reading` or more.
    func time(of reading: Int64) -> Int64 {
        var time = Int64(Double(reading - start) / (1 + Double(rate) / 1_000_000)) - 4
        while self.reading(at: time) < reading { time += 1 }
        return time
    }

    /// What a program gets that asks for the time.
    func instant(at time: Int64) -> Instant { Self.zero.advanced(by: .nanoseconds(reading(at: time))) }

    /// The first time at which a program gets `instant` or a later one.
    func time(of instant: Instant) -> Int64 {
        let (seconds, attoseconds) = (instant - Self.zero).components
        return time(of: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private static let zero = Instant.now
}

/// Times of schedules, in nanoseconds.
extension Int64 {
    static func milliseconds(_ count: Int) -> Int64 { Int64(count) * 1_000_000 }
    static func seconds(_ count: Int) -> Int64 { milliseconds(1_000 * count) }
}
