import ForgeBusProtocol

/// Chooses the endpoint that the client tries next, and the pause before it.
///
/// Pure. When an endpoint fails, the client tries the next one immediately. After all have failed, it pauses before
/// each attempt. The pauses, and the time for an attempt, grow with each round.
struct EndpointTurns {
    /// The number of endpoints.
    let count: Int
    /// The index of the endpoint that the client tries or has reached.
    private(set) var place = 0
    /// The number of failures since a worker last answered.
    private var failures = 0
    private let backoff: Backoff
    /// The time for an attempt; it grows, so that the client also reaches a distant or slow worker.
    private static let attempts = Backoff(from: .seconds(2), upTo: .seconds(16))

    init(count: Int, pauses: Backoff) {
        self.count = count
        backoff = pauses
    }

    /// How long the next attempt may take.
    var attemptLasts: Duration { Self.attempts.pause(after: failures / count) }

    /// The worker at the endpoint answered.
    mutating func succeeded() { failures = 0 }

    /// The client could not reach the endpoint, or lost it: it tries the next one.
    ///
    /// - Returns: The pause before the next attempt.
    mutating func failed() -> Duration {
        failures += 1
        place = (place + 1) % count
        return failures < count ? .zero : backoff.pause(after: failures / count - 1)
    }
}
