/// Pauses between attempts: each twice as long as the previous one, up to a maximum.
///
/// The pauses have no jitter. A caller adds jitter where many senders could otherwise retry at the same moment.
package struct Backoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration

    /// Makes pauses that begin with `first`, which must not be negative, and double up to `longest`.
    package init(from first: Duration, upTo longest: Duration) {
        self.first = min(first, longest)
        self.longest = longest
    }

    /// The pause that follows after `others` earlier pauses; the first pause follows after zero earlier pauses.
    package func pause(after others: Int) -> Duration {
        // Forty doublings are enough, because they turn a nanosecond into 18 minutes. They do not overflow: a year that
        // is doubled forty times still fits a `Duration`.
        min(first * (1 << min(max(0, others), 40)), longest)
    }
}
