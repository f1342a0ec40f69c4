/// How long the worker has said nothing while somebody waits, and when it is pinged for that.
///
/// Pure. A PONG tells a long run from a worker that is gone.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    /// What to do after a look.
    enum Step: Hashable {
        /// Nobody waits, or another look comes before.
        case stop
        /// Look again then.
        case look(at: Instant)
        /// Ping the worker, and look again then.
        case ping(thenLookAt: Instant)
        /// The worker does not answer: try another endpoint, and look again then.
        case moveOn(thenLookAt: Instant)
    }

    /// The longest silence without a PING, for the least patience of those that wait.
    private var limit = Duration.zero
    /// The moment of the next look; nil where nobody waits.
    private var nextLook: Instant?
    private var lastPing: Instant
    /// When anything came from the worker last, or the first of those that wait began.
    private(set) var beginning: Instant
    /// When requests could leave first on this connection.
    private var connectedSince: Instant

    /// How long a worker may be silent, though it was pinged, before it is left for another endpoint.
    ///
    /// It does not depend on anybody's patience: an impatient request must not take the others away from a worker that
    /// is only slow.
    static let longest = Duration.seconds(4)

    init(at now: Instant) { (beginning, connectedSince, lastPing) = (now, now, now) }

    /// How long nothing at all has come.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Whether the worker was pinged on this connection, and has said nothing since.
    private var isUnanswered: Bool { lastPing > max(beginning, connectedSince) }

    /// Anything came.
    mutating func heard(at now: Instant) { beginning = now }

    /// Requests can leave: what was not heard before is no silence of this worker.
    mutating func connected(at now: Instant) { connectedSince = now }

    /// Somebody begins to wait, for as long as this nothing may be heard.
    ///
    /// - Returns: When to look; nil where a look is scheduled.
    mutating func waitBegan(patience: Duration, isFirst: Bool, at now: Instant) -> Instant? {
        // A worker that owes a PONG stays silent, also when those that waited for it have given up.
        if isFirst, !isUnanswered { beginning = now }
        let wanted = Self.limit(for: patience)
        if nextLook != nil, wanted >= limit { return nil }
        limit = wanted
        nextLook = now.advanced(by: limit / 2)
        return nextLook
    }

    /// The moment to look has come: that for which this look was scheduled.
    ///
    /// - Parameters:
    ///   - look: The moment for which it was scheduled.
    ///   - patience: The least patience of those that wait; nil where nobody waits.
    ///   - isConnected: Whether requests can leave.
    ///   - hasOthers: Whether there is another endpoint.
    ///   - now: The time.
    /// - Returns: What to do.
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
        if hasOthers, isUnanswered, now - max(beginning, connectedSince) >= Self.longest {
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
