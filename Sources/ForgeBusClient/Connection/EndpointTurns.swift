import ForgeBusProtocol

/// Which of a worker's endpoints is tried, and how long after the one before.
///
/// Pure. When one fails, the next is tried at once; when all have failed one after another, there is a pause before each, which
/// grows with each round. So does the time that each attempt gets.
struct EndpointTurns {
    /// How many endpoints there are.
    let count: Int
    /// Which one is tried, or was reached.
    private(set) var place = 0
    /// How many have failed since one answered.
    private var failures = 0
    private let backoff: Backoff
    /// What an attempt gets: a worker that is far away, or slow, is reached in the end.
    private static let attempts = Backoff(from: .seconds(2), upTo: .seconds(16))

    init(count: Int, pauses: Backoff) {
        self.count = count
        backoff = pauses
    }

    /// How long the next attempt may take.
    var attemptLasts: Duration { Self.attempts.pause(after: failures / count) }

    /// A worker there has answered.
    mutating func succeeded() { failures = 0 }

    /// The endpoint could not be reached, or was lost: it is the next one's turn.
    ///
    /// - Returns: How long to wait before that.
    mutating func failed() -> Duration {
        failures += 1
        place = (place + 1) % count
        return failures < count ? .zero : backoff.pause(after: failures / count - 1)
    }
}
