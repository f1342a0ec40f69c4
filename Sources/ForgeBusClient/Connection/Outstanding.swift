import ForgeBusProtocol

/// When one request is over, and when it is to be sent again.
///
/// Pure: the caller brings the time and the chance.
struct Outstanding {
    /// What an answer means to its caller.
    enum Arrival: Equatable {
        /// It was said before.
        case repetition
        /// It tells something, and is not the last.
        case news
        /// It is the last.
        case end
        /// The worker did nothing, and is asked again later.
        case refusal
    }

    /// What to do about a request that waits.
    enum Action: Equatable {
        /// Go on waiting.
        case wait
        /// Send it again, under the same id.
        case resend
        /// Stop waiting, with the last refusal, or with an unknown outcome.
        case giveUp(BusError?)
    }

    /// How long it waits until the worker has taken it, and how long the worker may be silent then.
    let patience: Duration
    private let last: LastAnswer
    private let isRetried: Bool
    private let beginning: ContinuousClock.Instant
    /// By when the worker must have taken it.
    private var patienceEnds: ContinuousClock.Instant
    private var resending: Resending
    /// Why the worker did nothing, as long as it was not sent again.
    private var refusal: BusError?
    /// Whether the worker did nothing the last time it was asked.
    private var isRefused = false
    /// How often it was sent and not refused.
    ///
    /// A refusal may overtake the answer to what was sent before, and a connection that is lost says nothing about what was
    /// under way on it.
    private var unrefused: Int
    private var run: RunID?
    private var lastChange = 0
    /// Whether the worker has taken it.
    private(set) var isAccepted: Bool

    /// A request that begins to wait.
    ///
    /// - Parameters:
    ///   - command: What is asked.
    ///   - patience: How long it waits until the worker has taken it, and how long the worker may be silent then.
    ///   - isRetried: Whether it is sent again after a refusal that may be over soon.
    ///   - firstPause: The most silence before it is sent again the first time; nil where silence is no reason.
    ///   - mayBeTaken: Whether it was sent before, by a call whose outcome is unknown.
    ///   - now: The time.
    init(
        _ command: Request.Command,
        patience: Duration,
        isRetried: Bool = true,
        firstPause: Duration? = .seconds(1),
        mayBeTaken: Bool = false,
        at now: ContinuousClock.Instant
    ) {
        let rules = command.rules
        last = rules.lastAnswer
        self.patience = patience
        self.isRetried = isRetried
        beginning = now
        unrefused = mayBeTaken ? 1 : 0
        patienceEnds = now.advanced(by: patience)
        resending = Resending(isLedgered: rules.isLedgered, firstPause: firstPause, quiet: command.quiet)
        // An answer about a run may come after days, and nothing says before that the request has arrived.
        isAccepted = last == .resultOrState
    }

    /// Whether a worker may have taken it: it was sent, and not refused each time.
    var mayBeTaken: Bool { unrefused > 0 }

    /// The connection is up.
    ///
    /// - Returns: Whether it is sent at once.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool { resending.connected(at: now) }

    /// The connection is lost; the worker was heard last on it at `lastWord`.
    mutating func disconnected(lastWord: ContinuousClock.Instant) {
        resending.disconnected(lastWord: isAccepted ? lastWord : nil)
    }

    /// It was handed to the connection.
    mutating func sent(at now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator) {
        refusal = nil
        unrefused += 1
        if last == .resultOrState { isAccepted = true }
        resending.sent(at: now, using: &generator)
        // A notification that was taken would ask for one more cycle; only a new connection has to.
        if isAccepted, last == .evaluation { resending.isDoneHere() }
    }

    /// An answer came.
    mutating func received(
        _ answer: Answer,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Arrival {
        switch answer.content {
        case .accepted(let acceptance): return accepted(acceptance, isReplayed: answer.isReplayed, at: now)
        case .progress(let progress):
            resending.heard(retention: nil, at: now)
            // What goes on was taken, whatever was refused since.
            (isAccepted, isRefused, refusal) = (true, false, nil)
            guard progress.sequence > lastChange else { return .repetition }
            lastChange = progress.sequence
            return .news
        case .error(let error):
            unrefused = max(0, unrefused - 1)
            guard isRetried || mayBeTaken, error.isRetryable else { return .end }
            return refused(error, at: now, using: &generator)
        case .event: return .repetition
        // It belongs to an earlier request under the same id: this one is answered with both, ACCEPTED first.
        case .result where last == .acceptance || last == .result && run == nil: return .repetition
        case .welcome, .result, .evaluated, .verdict, .ok, .shown, .page, .pong: return .end
        }
    }

    /// Time went on.
    ///
    /// A request that was taken may wait for days; what may not last is the silence of its worker.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - silence: How long nothing at all has come from the worker, which is pinged meanwhile.
    /// - Returns: What to do now.
    mutating func check(at now: ContinuousClock.Instant, silence: Duration) -> Action {
        if now >= end(at: now, silence: silence) { return .giveUp(mayBeTaken ? nil : refusal) }
        guard let moment = resending.moment, now >= moment else { return .wait }
        resending.isLeaving()
        return .resend
    }

    /// When to check next, if nothing comes meanwhile.
    func nextCheck(at now: ContinuousClock.Instant, silence: Duration) -> ContinuousClock.Instant {
        let end = end(at: now, silence: silence)
        return resending.moment.map { min($0, end) } ?? end
    }

    /// When it is given up, if nothing comes meanwhile.
    private func end(at now: ContinuousClock.Instant, silence: Duration) -> ContinuousClock.Instant {
        let end = isAccepted ? now.advanced(by: patience - min(silence, now - beginning)) : patienceEnds
        return resending.isHopelessFrom.map { min($0, end) } ?? end
    }

    private mutating func accepted(
        _ acceptance: Acceptance,
        isReplayed: Bool,
        at now: ContinuousClock.Instant
    ) -> Arrival {
        let isKnown = isAccepted && isReplayed && run == acceptance.run
        // Another run begins its own count.
        if run != acceptance.run { lastChange = 0 }
        (isAccepted, isRefused, refusal, run) = (true, false, nil, acceptance.run)
        resending.heard(retention: acceptance.retention, at: now)
        if last == .evaluation { resending.isDoneHere() }
        if last == .acceptance { return .end }
        // Nothing more can come of a run without a name.
        if last == .result, RunAcceptance(acceptance) == nil { return .end }
        return isKnown ? .repetition : .news
    }

    private mutating func refused(
        _ error: BusError,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Arrival {
        // A request that was accepted and is refused now is lost: the worker has to accept it again.
        if isAccepted, !isRefused { patienceEnds = now.advanced(by: patience) }
        (isAccepted, isRefused) = (false, true)
        let moment = resending.refused(
            retryAfter: error.retryAfter,
            mayBeTaken: mayBeTaken,
            at: now,
            using: &generator
        )
        // What was sent before may be answered until the end.
        guard moment < patienceEnds || mayBeTaken else { return .end }
        refusal = error
        return .refusal
    }
}

extension Request.Command {
    /// How long the sender wants to hear nothing but the end: a resend would make the worker count again.
    fileprivate var quiet: Duration {
        if case .attach(let request) = self { request.patience ?? .zero } else { .zero }
    }
}
