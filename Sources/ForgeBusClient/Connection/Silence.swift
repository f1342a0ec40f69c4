/// Tracks how long the worker has sent nothing while calls wait, and decides when to ping it.
///
/// Pure: it has no side effects. The worker sends nothing while a long run executes; a PONG then shows that the worker
/// still answers.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    /// What to do after a check of the silence.
    enum Step: Hashable {
        /// Do not check again: nothing waits, or another check has replaced this one.
        case stop
        /// Check again at this time.
        case look(at: Instant)
        /// Ping the worker, and check again at this time.
        case ping(thenLookAt: Instant)
        /// Change to another endpoint, because the worker does not answer, and check again at this time.
        case moveOn(thenLookAt: Instant)
    }

    /// The silence after which the client sends a PING.
    ///
    /// It is a quarter of the shortest patience, but at least 10 ms and at most 2 s.
    private var limit = Duration.zero
    /// The time of the next check; nil if no check is scheduled.
    private var nextLook: Instant?
    private var lastPing: Instant
    /// When the silence began: when the worker's last message came or when the first waiting call began, whichever is
    /// later.
    private(set) var beginning: Instant
    /// When the client could first send requests on the current connection.
    private var connectedSince: Instant

    /// The silence after which the client changes to another endpoint, if the worker has not answered a PING.
    ///
    /// This time does not depend on the patience of a call: one impatient call must not end the connection to a slow
    /// worker.
    static let longest = Duration.seconds(4)

    init(at now: Instant) { (beginning, connectedSince, lastPing) = (now, now, now) }

    /// How long the worker has sent nothing.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Whether the client has pinged the worker on this connection, and has received nothing since the PING.
    private var isUnanswered: Bool { lastPing > max(beginning, connectedSince) }

    /// Records a message from the worker.
    mutating func heard(at now: Instant) { beginning = now }

    /// Records that the client can send requests on a new connection; earlier silence does not count against the new
    /// worker.
    mutating func connected(at now: Instant) { connectedSince = now }

    /// Records that a call or a watch with this patience begins to wait.
    ///
    /// `isFirst` says whether no other call or watch waits. The method returns when to check the silence; nil if a
    /// check is already scheduled soon enough.
    mutating func waitBegan(patience: Duration, isFirst: Bool, at now: Instant) -> Instant? {
        // While the client waits for a PONG, the silence continues, even if all earlier calls have ended.
        if isFirst, !isUnanswered { beginning = now }
        let wanted = Self.limit(for: patience)
        if nextLook != nil, wanted >= limit { return nil }
        limit = wanted
        nextLook = now.advanced(by: limit / 2)
        return nextLook
    }

    /// Checks the silence at a scheduled time.
    ///
    /// - Parameters:
    ///   - look: The time for which the check was scheduled.
    ///   - patience: The shortest patience of the waiting calls and the watches; nil if nothing waits.
    ///   - isConnected: Whether the client can send requests.
    ///   - hasOthers: Whether the client has more than one endpoint.
    ///   - now: The current time.
    /// - Returns: What to do now.
    mutating func looked(
        scheduledFor look: Instant,
        leastPatience patience: Duration?,
        isConnected: Bool,
        hasOthers: Bool = false,
        at now: Instant
    ) -> Step {
        guard look == nextLook else { return .stop }
        guard let patience else {
            nextLook = nil
            return .stop
        }
        limit = Self.limit(for: patience)
        let next = now.advanced(by: limit / 2)
        nextLook = next
        guard isConnected else { return .look(at: next) }
        // If this thread was held up, it has not yet read the messages that came meanwhile; it does so before `next`.
        let isHeldUp = now - look >= Self.longest / 2
        if hasOthers, isUnanswered, !isHeldUp, now - max(beginning, connectedSince) >= Self.longest {
            return .moveOn(thenLookAt: next)
        }
        guard now - max(beginning, lastPing) >= limit else { return .look(at: next) }
        lastPing = now
        return .ping(thenLookAt: next)
    }

    private static func limit(for patience: Duration) -> Duration {
        max(min(.seconds(2), patience / 4), .milliseconds(10))
    }
}
