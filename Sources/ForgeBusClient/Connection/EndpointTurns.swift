import ForgeBusProtocol

/// Which of a worker's endpoints is tried, and how long after the one before.
///
/// Pure. When one fails, the next is tried at once; when all have failed one after another, there is a pause before each, which
/// grows with each round.
struct EndpointTurns {
    /// How many endpoints there are.
    let count: Int
    /// Which one is tried, or was reached.
    private(set) var place = 0
    /// How many have failed since one was reached.
    private var failures = 0
    private let backoff: Backoff

    init(count: Int, pauses: Backoff) {
        self.count = count
        backoff = pauses
    }

    /// The endpoint was reached.
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
