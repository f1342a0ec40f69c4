/// Measures the worker's silence while requests wait, and decides when the client pings the worker.
///
/// Pure. A PONG shows that a silent worker is alive, and only takes long.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    /// What to do after a check of the silence.
    enum Step: Hashable {
        /// Nothing: no request waits, or an earlier check is scheduled.
        case stop
        /// Check again at this time.
        case look(at: Instant)
        /// Ping the worker, and check again at this time.
        case ping(thenLookAt: Instant)
        /// The worker does not answer: try another endpoint, and check again at this time.
        case moveOn(thenLookAt: Instant)
    }

    /// The silence after which the client pings; it follows from the shortest patience of the waiting requests.
    private var limit = Duration.zero
    /// The time of the next check; nil if none is scheduled.
    private var nextLook: Instant?
    private var lastPing: Instant
    /// When the last message came from the worker, or when the first waiting request began.
    private(set) var beginning: Instant
    /// When this connection was established.
    private var connectedSince: Instant

    /// How long a worker may be silent, despite a PING, before the client tries another endpoint.
    ///
    /// It does not depend on the patience of requests: a request with a short patience must not move the others away
    /// from a worker that is only slow.
    static let longest = Duration.seconds(4)

    init(at now: Instant) { (beginning, connectedSince, lastPing) = (now, now, now) }

    /// How long no message has come from the worker.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Whether the worker was pinged on this connection, and has said nothing since.
    private var isUnanswered: Bool { lastPing > max(beginning, connectedSince) }

    /// A message came from the worker.
    mutating func heard(at now: Instant) { beginning = now }

    /// The connection is established; earlier silence does not count against its worker.
    mutating func connected(at now: Instant) { connectedSince = now }

    /// A request with this patience begins to wait.
    ///
    /// - Returns: When to check the silence; nil if an earlier check is scheduled.
    mutating func waitBegan(patience: Duration, isFirst: Bool, at now: Instant) -> Instant? {
        // A worker that owes a PONG stays silent, also when those that waited for it have given up.
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
    ///   - patience: The shortest patience of the waiting requests; nil if none waits.
    ///   - isConnected: Whether requests can be sent.
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
