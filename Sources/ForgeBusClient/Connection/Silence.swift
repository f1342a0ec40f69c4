/// How long the worker has said nothing while requests wait, and when it is pinged for that.
///
/// Pure. A PONG tells a long run from a worker that is gone.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    private enum State {
        /// No request waits.
        case unwatched
        /// The silence is looked at from time to time.
        case watched(lastPing: Instant)
    }

    /// What to do after a look.
    enum Step: Hashable {
        /// No request waits.
        case stop
        /// Look again then.
        case look(at: Instant)
        /// Ping the worker, and look again then.
        case ping(thenLookAt: Instant)
    }

    /// The longest silence without a PING.
    private let limit: Duration
    private var state = State.unwatched
    /// When anything came from the worker last, or the first of the requests that wait began.
    private var beginning: Instant

    /// The silence of a worker towards a client of so much patience.
    init(patience: Duration, at now: Instant) {
        limit = max(min(.seconds(2), patience / 4), .milliseconds(10))
        beginning = now
    }

    /// How long nothing at all has come.
    func length(at now: Instant) -> Duration { now - beginning }

    /// Anything came.
    mutating func heard(at now: Instant) { beginning = now }

    /// A request begins to wait.
    ///
    /// - Returns: When to look; nil where a look is scheduled.
    mutating func requestBegan(isFirst: Bool, at now: Instant) -> Instant? {
        if isFirst { beginning = now }
        switch state {
        case .watched: return nil
        case .unwatched:
            state = .watched(lastPing: now)
            return now.advanced(by: limit / 2)
        }
    }

    /// The moment to look has come.
    mutating func looked(anyoneWaits: Bool, isConnected: Bool, at now: Instant) -> Step {
        guard anyoneWaits, case .watched(let lastPing) = state else {
            state = .unwatched
            return .stop
        }
        let next = now.advanced(by: limit / 2)
        guard isConnected, now - max(beginning, lastPing) >= limit else { return .look(at: next) }
        state = .watched(lastPing: now)
        return .ping(thenLookAt: next)
    }
}
