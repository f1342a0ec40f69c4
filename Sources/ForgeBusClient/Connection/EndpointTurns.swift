import ForgeBusProtocol

/// Decides which endpoint the client tries next, and after which pause.
///
/// Pure: it has no side effects. The client tries each endpoint once without a pause. After that it pauses before each
/// attempt. In each round, the pauses and the time for one attempt are longer than in the round before, up to a
/// maximum.
struct EndpointTurns {
    /// The number of endpoints.
    let count: Int
    /// The index of the endpoint that the client tries or has reached.
    private(set) var place = 0
    /// The number of attempts and connections that have failed since a worker last answered.
    private var failures = 0
    private let backoff: Backoff
    /// How long one attempt may take; longer in each round, so that the client also reaches a distant or slow worker.
    private static let attempts = Backoff(from: .seconds(2), upTo: .seconds(16))

    init(count: Int, pauses: Backoff) {
        self.count = count
        backoff = pauses
    }

    /// How long the current attempt may take.
    var attemptLasts: Duration { Self.attempts.pause(after: failures / count) }

    /// Records that the worker at this endpoint has answered.
    mutating func succeeded() { failures = 0 }

    /// Records that the endpoint could not be reached or was lost, and changes to the next one.
    ///
    /// - Returns: The pause before the next attempt.
    mutating func failed() -> Duration {
        failures += 1
        place = (place + 1) % count
        return failures < count ? .zero : backoff.pause(after: failures / count - 1)
    }
}
