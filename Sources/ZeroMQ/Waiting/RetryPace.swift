/// Decides when to retry a peer whose queue was full.
///
/// A ROUTER reports only that *some* peer has room. So each peer's line of messages is retried after its own pause. A
/// peer that reads has room within microseconds, so the first retries follow without a pause.
package struct RetryPace: Sendable {
    /// When the next retry is due.
    package private(set) var due: ContinuousClock.Instant
    /// When a message last left the line, or when the line began.
    package private(set) var stuckSince: ContinuousClock.Instant
    private var pause = Duration.zero

    /// How long a full peer's line is retried without a pause; the time starts again when a message leaves the line.
    package static let eagerness: Duration = .microseconds(250)
    /// The first pause between two retries; the pause doubles while no message leaves the line.
    package static let shortestPause: Duration = .milliseconds(1)
    package static let longestPause: Duration = .milliseconds(100)

    /// Makes the pace of a new line, whose first retry is due immediately.
    package init(at now: ContinuousClock.Instant) { (due, stuckSince) = (now, now) }

    /// Records a retry, and whether a message left the line.
    package mutating func tried(hasMoved: Bool, at now: ContinuousClock.Instant) {
        if hasMoved {
            (stuckSince, pause) = (now, .zero)
        } else if now - stuckSince >= Self.eagerness {
            pause = min(max(pause * 2, Self.shortestPause), Self.longestPause)
        }
        due = now + pause
    }
}
