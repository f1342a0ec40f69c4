/// Decides when to retry a peer whose queue was full.
///
/// A ROUTER only reports that *some* peer has room, so each line of messages is retried after its own pause. A peer
/// that reads has room in microseconds, so the first retries follow without a pause.
package struct RetryPace: Sendable {
    /// When the next retry is due.
    package private(set) var due: ContinuousClock.Instant
    /// The time since which nothing has left the line.
    package private(set) var stuckSince: ContinuousClock.Instant
    private var pause = Duration.zero

    /// How long a stuck line is retried without a pause.
    package static let eagerness: Duration = .microseconds(250)
    /// The pause after that; it doubles while nothing leaves the line.
    package static let shortestPause: Duration = .milliseconds(1)
    package static let longestPause: Duration = .milliseconds(100)

    /// Starts a line, which is tried immediately.
    package init(at now: ContinuousClock.Instant) { (due, stuckSince) = (now, now) }

    /// Records a try.
    package mutating func tried(hasMoved: Bool, at now: ContinuousClock.Instant) {
        if hasMoved {
            (stuckSince, pause) = (now, .zero)
        } else if now - stuckSince >= Self.eagerness {
            pause = min(max(pause * 2, Self.shortestPause), Self.longestPause)
        }
        due = now + pause
    }
}
