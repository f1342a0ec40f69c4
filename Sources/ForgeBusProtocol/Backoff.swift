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

    /// The pause to make after `others` earlier pauses; with zero, this is the first pause.
    package func pause(after others: Int) -> Duration {
        // Forty doublings are enough: they turn a nanosecond into 18 minutes. They do not overflow: even a year fits a
        // `Duration` after forty doublings.
        min(first * (1 << min(max(0, others), 40)), longest)
    }
}
