/// Tracks how long the worker has sent nothing while calls wait, and decides when to ping it.
///
/// Pure. A PONG shows that a silent worker with a long run is still there.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    /// What to do after a check of the silence.
    enum Step: Hashable {
        /// Nothing: no call waits, or another check has replaced this one.
        case stop
        /// Check again at this time.
        case look(at: Instant)
        /// Ping the worker, and check again at this time.
        case ping(thenLookAt: Instant)
        /// The worker does not answer: change to another endpoint, and check again at this time.
        case moveOn(thenLookAt: Instant)
    }

    /// The longest silence without a PING: a quarter of the shortest patience, from 10 ms to 2 s.
    private var limit = Duration.zero
    /// The time of the next check; nil if nothing waits.
    private var nextLook: Instant?
    private var lastPing: Instant
    /// When the worker's last message came, or, if that is later, when the first of the waiting calls began.
    private(set) var beginning: Instant
    /// When requests could first leave on the current connection.
    private var connectedSince: Instant

    /// How long a worker may be silent although the client pings it, before the client changes to another endpoint.
    ///
    /// No patience changes this time: one impatient request must not end the connection to a worker that is only slow.
    static let longest = Duration.seconds(4)

    init(at now: Instant) { (beginning, connectedSince, lastPing) = (now, now, now) }

    /// How long the worker has sent nothing.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Whether the client has pinged the worker on this connection, and has heard nothing since.
    private var isUnanswered: Bool { lastPing > max(beginning, connectedSince) }

    /// A message came from the worker.
    mutating func heard(at now: Instant) { beginning = now }

    /// Requests can leave on a new connection; earlier silence does not count against its worker.
    mutating func connected(at now: Instant) { connectedSince = now }

    /// A call with this patience begins to wait.
    ///
    /// - Returns: When to check the silence; nil if a check is already scheduled soon enough.
    mutating func waitBegan(patience: Duration, isFirst: Bool, at now: Instant) -> Instant? {
        // While a PONG is missing, the worker's silence continues, even if the earlier calls have given up.
        if isFirst, !isUnanswered { beginning = now }
        let wanted = Self.limit(for: patience)
        if nextLook != nil, wanted >= limit { return nil }
        limit = wanted
        nextLook = now.advanced(by: limit / 2)
        return nextLook
    }

    /// A scheduled check is due.
    ///
    /// - Parameters:
    ///   - look: The time for which the check was scheduled.
    ///   - patience: The shortest patience of the waiting calls and the watches; nil if nothing waits.
    ///   - isConnected: Whether requests can leave.
    ///   - hasOthers: Whether there are other endpoints.
    ///   - now: The current time.
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
