import ForgeBusProtocol

/// When one request is over, and when it is to be sent again.
///
/// Pure: the caller tells it the time.
struct Outstanding {
    /// What to do about a request that waits.
    enum Action: Equatable {
        /// Go on waiting.
        case wait
        /// Send it again, under the same id.
        case resend
        /// Give up: the outcome is unknown.
        case giveUp
    }

    let request: Request
    private let patience: Duration
    /// By when its first answer must come.
    private let patienceEnds: ContinuousClock.Instant
    private var lastSend: ContinuousClock.Instant
    private var interval: Duration
    /// Whether the worker has taken it.
    private(set) var isAccepted = false

    /// Between the first two sends; it doubles up to the longest.
    static let firstInterval: Duration = .seconds(2)
    /// The longest time between two sends.
    static let longestInterval: Duration = .seconds(30)

    init(_ request: Request, patience: Duration, at now: ContinuousClock.Instant) {
        self.request = request
        self.patience = patience
        patienceEnds = now.advanced(by: patience)
        interval = Self.firstInterval
        lastSend = now
    }

    /// An answer came.
    ///
    /// - Returns: Whether it is the last one.
    mutating func received(_ content: Answer.Content) -> Bool {
        switch content {
        case .accepted:
            isAccepted = true
            return endsWithAcceptance
        case .progress, .event: return false
        case .result, .evaluated, .verdict, .page, .pong, .welcome, .ok, .shown, .error: return true
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
    mutating func check(at now: ContinuousClock.Instant, silence: Duration = .zero) -> Action {
        if isAccepted ? silence >= patience : now >= patienceEnds { return .giveUp }
        let pause = isAccepted ? Self.longestInterval : interval
        guard now >= lastSend.advanced(by: pause), isResent else { return .wait }
        interval = min(interval * 2, Self.longestInterval)
        lastSend = now
        return .resend
    }

    /// A notification that was taken is not sent again: it would ask for one more cycle.
    ///
    /// A run that was taken is, at the longest interval: that attaches a connection that was lost and made anew.
    private var isResent: Bool {
        switch request.command {
        case .notify: !isAccepted
        case .hello, .run, .attach, .cancel, .redrive, .decide, .show, .list, .watch, .unwatch, .mode, .admin, .ping:
            true
        }
    }

    private var endsWithAcceptance: Bool {
        switch request.command {
        case .notify(let change): !change.wantsEvaluation
        case .run(let run): run.isDetached
        case .hello, .attach, .cancel, .redrive, .decide, .show, .list, .watch, .unwatch, .mode, .admin, .ping: false
        }
    }
}
