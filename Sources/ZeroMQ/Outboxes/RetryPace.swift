/// When a peer whose queue was full is tried again.
///
/// A ROUTER only tells that *some* peer has room, so each line of messages is tried again after a pause of its own. A peer
/// that reads has room in microseconds, so the first tries come at once.
package struct RetryPace: Sendable {
    /// When the next try is due.
    package private(set) var due: ContinuousClock.Instant
    /// Since when nothing has left the line.
    package private(set) var stuckSince: ContinuousClock.Instant
    private var pause = Duration.zero

    /// How long a line that is stuck is tried without a pause.
    package static let eagerness: Duration = .microseconds(250)
    /// The pause after that; it doubles as long as nothing leaves the line.
    package static let shortestPause: Duration = .milliseconds(1)
    package static let longestPause: Duration = .milliseconds(100)

    /// A line begins: it is tried at once.
    package init(at now: ContinuousClock.Instant) { (due, stuckSince) = (now, now) }

    /// The line was tried.
    package mutating func tried(hasMoved: Bool, at now: ContinuousClock.Instant) {
        if hasMoved {
            (stuckSince, pause) = (now, .zero)
        } else if now - stuckSince >= Self.eagerness {
            pause = min(max(pause * 2, Self.shortestPause), Self.longestPause)
        }
        due = now + pause
    }
}
