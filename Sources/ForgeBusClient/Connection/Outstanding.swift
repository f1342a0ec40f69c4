import ForgeBusProtocol

/// Decides when the client stops waiting for a request, and when it resends the request.
///
/// Pure: the caller passes the time and the random numbers.
struct Outstanding {
    /// What an answer means for the request.
    enum Arrival: Equatable {
        /// It repeats an earlier answer.
        case repetition
        /// It is new, and not the last answer.
        case news
        /// It is the last answer.
        case end
        /// The worker refused the request for now; the client resends it later.
        case refusal
    }

    /// What to do about a request that waits.
    enum Action: Equatable {
        /// Go on waiting.
        case wait
        /// Send it again, under the same id.
        case resend
        /// Stop waiting, with the last refusal; nil if the outcome is unknown.
        case giveUp(BusError?)
    }

    /// How long the worker may take to accept the request, and may be silent after that.
    let patience: Duration
    private let last: LastAnswer
    private let isRetried: Bool
    private let beginning: ContinuousClock.Instant
    /// When the worker must have accepted the request.
    private var patienceEnds: ContinuousClock.Instant
    private var resending: Resending
    /// The last refusal, until the request is sent again.
    private var refusal: BusError?
    /// Whether the worker's last answer was a refusal.
    private var isRefused = false
    /// The number of copies that were sent and not refused.
    ///
    /// A refusal may overtake the answer to an earlier copy, and nobody knows which messages arrived before a
    /// connection was lost.
    private var unrefused: Int
    private var run: RunID?
    private var lastChange = 0
    /// Whether the worker has accepted the request.
    private(set) var isAccepted: Bool

    /// Creates a request that begins to wait.
    ///
    /// - Parameters:
    ///   - command: The request's command.
    ///   - patience: How long the worker may take to accept the request, and may be silent after that.
    ///   - isRetried: Whether the client resends the request after a temporary refusal.
    ///   - firstPause: The longest silence before the first resend; nil if silence causes no resend.
    ///   - mayBeTaken: Whether an earlier call, with an unknown outcome, has sent the request.
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
    /// - Returns: Whether to send the request immediately.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool { resending.connected(at: now) }

    /// The connection is lost; its last message came at `lastWord`.
    mutating func disconnected(lastWord: ContinuousClock.Instant) {
        resending.disconnected(lastWord: isAccepted ? lastWord : nil)
    }

    /// The connection took the request.
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

    /// A check is due.
    ///
    /// An accepted request may wait for days, but its worker must not be silent for longer than the patience.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - silence: How long no message has come from the worker, although the client pings it.
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

    /// When the client stops waiting, if nothing comes meanwhile.
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
