/// Pauses between attempts: each twice as long as the one before, up to a longest.
///
/// The chance that keeps senders apart is the caller's.
package struct Backoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration

    /// Pauses from `first`, which is not negative, to `longest`.
    package init(from first: Duration, upTo longest: Duration) {
        self.first = min(first, longest)
        self.longest = longest
    }

    /// The pause that follows so many others.
    package func pause(after others: Int) -> Duration {
        // Forty doublings of a nanosecond are 18 minutes, and those of a year no overflow.
        min(first * (1 << min(max(0, others), 40)), longest)
    }
}
