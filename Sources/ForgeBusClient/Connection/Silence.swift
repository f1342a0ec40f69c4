/// How long the worker has said nothing while requests wait, and when it is pinged for that.
///
/// Pure. A PONG tells a long run from a worker that is gone.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    private enum State {
        /// No request waits.
        case unwatched
        /// The silence is looked at from time to time, then next.
        case watched(lastPing: Instant, nextLook: Instant)
    }

    /// What to do after a look.
    enum Step: Hashable {
        /// No request waits, or another look comes before.
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
    private var state = State.unwatched
    /// When anything came from the worker last, or the first of the requests that wait began.
    private var beginning: Instant
    /// When requests could leave first on this connection.
    private var connectedSince: Instant

    /// How many times the longest silence without a PING a worker is silent before it is given up for another endpoint.
    private static let lasting = 2

    init(at now: Instant) { (beginning, connectedSince) = (now, now) }

    /// How long nothing at all has come.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Anything came.
    mutating func heard(at now: Instant) { beginning = now }

    /// Requests can leave: what was not heard before is no silence of this worker.
    mutating func connected(at now: Instant) { connectedSince = now }

    /// A request begins to wait, for as long as this nothing may be heard.
    ///
    /// - Returns: When to look; nil where a look is scheduled.
    mutating func requestBegan(patience: Duration, isFirst: Bool, at now: Instant) -> Instant? {
        if isFirst { beginning = now }
        let wanted = Self.limit(for: patience)
        let lastPing: Instant
        switch state {
        case .unwatched: (limit, lastPing) = (wanted, now)
        case .watched(let ping, _) where wanted < limit: (limit, lastPing) = (wanted, ping)
        case .watched: return nil
        }
        let look = now.advanced(by: limit / 2)
        state = .watched(lastPing: lastPing, nextLook: look)
        return look
    }

    /// The moment to look has come: that for which this look was scheduled.
    mutating func looked(
        scheduledFor look: Instant,
        anyoneWaits: Bool,
        isConnected: Bool,
        hasOthers: Bool = false,
        at now: Instant
    ) -> Step {
        guard case .watched(let lastPing, let nextLook) = state, look == nextLook else { return .stop }
        guard anyoneWaits else {
            state = .unwatched
            return .stop
        }
        let next = now.advanced(by: limit / 2)
        guard isConnected, now - max(beginning, lastPing) >= limit else {
            state = .watched(lastPing: lastPing, nextLook: next)
            return .look(at: next)
        }
        state = .watched(lastPing: now, nextLook: next)
        if hasOthers, now - max(beginning, connectedSince) >= limit * Self.lasting { return .moveOn(thenLookAt: next) }
        return .ping(thenLookAt: next)
    }

    private static func limit(for patience: Duration) -> Duration {
        max(min(.seconds(2), patience / 4), .milliseconds(10))
    }
}
