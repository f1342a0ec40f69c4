/// Slows down those who guess: after a few failed attempts to sign in, an address has to wait before each further one.
struct SignInPace: Sendable {
    private struct Failures {
        var count = 0
        var latest: ContinuousClock.Instant
    }

    private var failures: [String: Failures] = [:]

    /// The failed attempts after which an address has to wait.
    static let free = 5
    /// The longest wait; the first is a second, and each failure doubles it.
    static let longest = Duration.seconds(60)
    /// After this time without a failure, an address begins again.
    static let memory = Duration.seconds(900)
    /// The most addresses that are remembered; a further one takes the place of the one that failed longest ago.
    static let limit = 10_000

    /// How long an address still has to wait; nil if it may try now.
    func wait(of address: String, at now: ContinuousClock.Instant) -> Duration? {
        guard let failures = failures[address], failures.count >= Self.free, now - failures.latest < Self.memory
        else { return nil }
        let wait = min(Self.longest, .seconds(1 << min(failures.count - Self.free, 6)))
        let rest = wait - (now - failures.latest)
        return rest > .zero ? rest : nil
    }

    /// Records a failed attempt.
    mutating func failed(_ address: String, at now: ContinuousClock.Instant) {
        let count = failures[address].map { now - $0.latest < Self.memory ? $0.count : 0 } ?? 0
        if failures[address] == nil, failures.count >= Self.limit,
            let oldest = failures.min(by: { $0.value.latest < $1.value.latest })
        {
            failures[oldest.key] = nil
        }
        failures[address] = Failures(count: count + 1, latest: now)
    }

    /// Forgets the failures of an address that has signed in.
    mutating func succeeded(_ address: String) { failures[address] = nil }
}
