import ForgeBusProtocol

/// Decides when one request ends, and when it is resent.
///
/// Pure: the caller passes the current time and the random generator.
struct Outstanding {
    /// What an answer means for the caller.
    enum Arrival: Equatable {
        /// The answer repeats an earlier answer, or belongs to an earlier request with the same id; the caller does not
        /// get it.
        case repetition
        /// The answer is new, and more answers follow.
        case news
        /// The answer is the last one.
        case end
        /// The worker refused the request; the client resends the request later.
        case refusal
    }

    /// What to do with a waiting request.
    enum Action: Equatable {
        /// Keep waiting.
        case wait
        /// Resend the request with the same id.
        case resend
        /// End the call with the last refusal. Nil means that the call ends without an answer: its outcome is unknown,
        /// or the request was not sent.
        case giveUp(BusError?)
    }

    /// How long the worker may take to accept the request, and how long it may be silent after the acceptance.
    let patience: Duration
    private let last: LastAnswer
    private let isRetried: Bool
    private let beginning: ContinuousClock.Instant
    /// The time by which the worker must accept the request.
    private var patienceEnds: ContinuousClock.Instant
    private var resending: Resending
    /// The last refusal; nil if there is none, or if the request was resent after it.
    private var refusal: BusError?
    /// Whether the latest answer was a refusal.
    private var isRefused = false
    /// The number of copies that were sent and not refused.
    ///
    /// The worker may have accepted each of these copies: a refusal may overtake the answer to an earlier copy, and
    /// nobody knows which copies arrived on a lost connection. An earlier call with the same id and an unknown outcome
    /// counts as one copy.
    private var unrefused: Int
    private var run: RunID?
    private var lastChange = 0
    /// Whether the worker has accepted the request and not refused a later copy; a sent ATTACH counts as accepted.
    private(set) var isAccepted: Bool

    /// Makes the state of a request that begins to wait.
    ///
    /// - Parameters:
    ///   - command: The command of the request.
    ///   - patience: How long the worker may take to accept the request, and how long it may be silent after the
    ///     acceptance.
    ///   - isRetried: Whether the request is resent after a temporary refusal.
    ///   - firstPause: The longest silence before the first resend; with nil, the request is never resent after a
    ///     silence.
    ///   - mayBeTaken: Whether an earlier call with the same id ended with an unknown outcome.
    ///   - now: The current time.
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
        // ATTACH counts as accepted: its only answer may come after days, and no earlier answer confirms the request.
        isAccepted = last == .resultOrState
    }

    /// Whether a worker may have accepted the request, because a copy was sent and not refused.
    var mayBeTaken: Bool { unrefused > 0 }

    /// Records that the client can send requests on a connection.
    ///
    /// - Returns: Whether to send the request at once.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool { resending.connected(at: now) }

    /// Records that the connection was lost.
    ///
    /// - Parameter lastWord: When the worker's last message on the connection came, about any request.
    mutating func disconnected(lastWord: ContinuousClock.Instant) {
        resending.disconnected(lastWord: isAccepted ? lastWord : nil)
    }

    /// Records that the request was sent.
    mutating func sent(at now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator) {
        refusal = nil
        unrefused += 1
        if last == .resultOrState { isAccepted = true }
        resending.sent(at: now, using: &generator)
        // A resend of an accepted notification causes one more cycle, so the client resends it only on a new
        // connection.
        if isAccepted, last == .evaluation { resending.isDoneHere() }
    }

    /// Records an answer, and returns what the answer means for the caller.
    mutating func received(
        _ answer: Answer,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Arrival {
        switch answer.content {
        case .accepted(let acceptance): return accepted(acceptance, isReplayed: answer.isReplayed, at: now)
        case .progress(let progress):
            resending.heard(retention: nil, at: now)
            // A PROGRESS shows that the run was accepted, even if the worker refused a later copy of the request.
            (isAccepted, isRefused, refusal) = (true, false, nil)
            guard progress.sequence > lastChange else { return .repetition }
            lastChange = progress.sequence
            return .news
        case .error(let error):
            unrefused = max(0, unrefused - 1)
            guard isRetried || mayBeTaken, error.isRetryable else { return .end }
            return refused(error, at: now, using: &generator)
        case .event: return .repetition
        // This RESULT answers an earlier request with the same id: for this request, ACCEPTED must come first.
        case .result where last == .acceptance || last == .result && run == nil: return .repetition
        case .welcome, .result, .evaluated, .verdict, .ok, .shown, .page, .pong: return .end
        }
    }

    /// Checks the request at the time `now`.
    ///
    /// An accepted request may wait for days, but it ends if the worker is silent for longer than the patience.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - silence: How long the worker has sent no message about any request. During a silence the client pings it.
    /// - Returns: What to do now.
    mutating func check(at now: ContinuousClock.Instant, silence: Duration) -> Action {
        if now >= end(at: now, silence: silence) { return .giveUp(mayBeTaken ? nil : refusal) }
        guard let moment = resending.moment, now >= moment else { return .wait }
        resending.isLeaving()
        return .resend
    }

    /// Whether the worker has answered the request, other than with a refusal; the acceptance of an ATTACH is no answer.
    var isAnswered: Bool { (isAccepted && last != .resultOrState) || lastChange > 0 }

    /// When to check the request next, if no event comes earlier.
    func nextCheck(at now: ContinuousClock.Instant, silence: Duration) -> ContinuousClock.Instant {
        let end = end(at: now, silence: silence)
        return resending.moment.map { min($0, end) } ?? end
    }

    /// When to end the call of the request, if no event comes earlier.
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
        // A new run numbers its changes from 1 again.
        if run != acceptance.run { lastChange = 0 }
        (isAccepted, isRefused, refusal, run) = (true, false, nil, acceptance.run)
        resending.heard(retention: acceptance.retention, at: now)
        if last == .evaluation { resending.isDoneHere() }
        if last == .acceptance { return .end }
        // An ACCEPTED without the run's id or the retention ends the call, because the client cannot wait for a result
        // without them.
        if last == .result, RunAcceptance(acceptance) == nil { return .end }
        return isKnown ? .repetition : .news
    }

    private mutating func refused(
        _ error: BusError,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Arrival {
        // If a worker refuses a request that it accepted before, it has lost the request. It must then accept the
        // request again within the patience.
        if isAccepted, !isRefused { patienceEnds = now.advanced(by: patience) }
        (isAccepted, isRefused) = (false, true)
        let moment = resending.refused(
            retryAfter: error.retryAfter,
            mayBeTaken: mayBeTaken,
            at: now,
            using: &generator
        )
        // If the resend would come after the patience, the refusal ends the call, unless the worker may still answer an
        // earlier copy.
        guard moment < patienceEnds || mayBeTaken else { return .end }
        refusal = error
        return .refusal
    }
}

extension Request.Command {
    /// How long the request itself allows the worker to send no answer: the wait of an ATTACH, otherwise zero.
    ///
    /// The client does not resend an ATTACH during its wait, because the wait would begin again.
    fileprivate var quiet: Duration {
        if case .attach(let request) = self { request.patience ?? .zero } else { .zero }
    }
}
