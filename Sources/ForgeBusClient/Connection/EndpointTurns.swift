import ForgeBusProtocol

/// Which endpoint the client tries next, and after which pause.
///
/// Pure. The client tries each endpoint once without a pause. After that it pauses before each attempt. The pauses grow
/// with each round, and so does the time for one attempt.
struct EndpointTurns {
    /// The number of endpoints.
    let count: Int
    /// The index of the endpoint that the client tries or has reached.
    private(set) var place = 0
    /// How many attempts and connections have failed since a worker last answered.
    private var failures = 0
    private let backoff: Backoff
    /// The times for one attempt; they grow, so that the client also reaches a distant or slow worker.
    private static let attempts = Backoff(from: .seconds(2), upTo: .seconds(16))

    init(count: Int, pauses: Backoff) {
        self.count = count
        backoff = pauses
    }

    /// How long the current attempt may take.
    var attemptLasts: Duration { Self.attempts.pause(after: failures / count) }

    /// The worker at this endpoint has answered.
    mutating func succeeded() { failures = 0 }

    /// The endpoint could not be reached, or was lost; the next one's turn begins.
    ///
    /// - Returns: The pause before the next attempt.
    mutating func failed() -> Duration {
        failures += 1
        place = (place + 1) % count
        return failures < count ? .zero : backoff.pause(after: failures / count - 1)
    }
}
