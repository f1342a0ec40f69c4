/// Pauses between attempts: each twice as long as the previous one, up to a maximum.
///
/// The caller adds jitter, so that senders do not all retry together.
package struct Backoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration

    /// Makes pauses that begin with `first`, which must not be negative, and double up to `longest`.
    package init(from first: Duration, upTo longest: Duration) {
        self.first = min(first, longest)
        self.longest = longest
    }

    /// The pause that follows `others` earlier pauses; zero gives the first pause.
    package func pause(after others: Int) -> Duration {
        // Forty doublings of a nanosecond are 18 minutes, and forty doublings of a year don't overflow.
        min(first * (1 << min(max(0, others), 40)), longest)
    }
}
