import ForgeBusProtocol

/// Decides when one request is resent.
///
/// Pure: the caller passes the time and the random generator. The request is resent
/// - after a temporary refusal: after the time that the worker names, plus up to 100 ms. If the worker names none,
///   after a random time: at most 100 ms at first, doubling to at most 5 s. The random part keeps clients that were
///   refused together from returning together;
/// - after a silence under its id, beyond the time for which the request itself wants no answer: at most `firstPause`
///   at first, doubling to a tenth of the retention, and at most 30 s. Up to half of it is random;
/// - on a new connection.
///
/// The *retention* is how long the worker keeps the answer. A request with an effect is not resent after a silence of
/// half the retention: if the answer is gone, the same id would have its effect twice. On a lost connection, the
/// silence of an accepted request begins with the worker's last message, because the worker kept the answer until then.
struct Resending {
    /// Whether the worker remembers the effect of the request under its id.
    private let isLedgered: Bool
    /// The longest silence before the first resend; nil never resends after a silence.
    private let firstPause: Duration?
    /// How long the request itself allows the worker not to answer, counted from each send.
    private let quiet: Duration
    private var isOnline = false
    /// Whether the request was sent on a connection that is lost.
    private var isCutOff = false
    private var refusals = 0
    private var silences = 0
    private var retention = Self.assumedRetention
    /// When to resend the request, if nothing happens before; nil if no resend is planned.
    private var next: ContinuousClock.Instant?
    /// The length of the silence that causes the resend at `next`; nil if the resend has another cause.
    private var pause: Duration?
    /// When the worker last answered under the id, or else when the first copy was sent; nil if no copy can be
    /// accepted.
    private var silentSince: ContinuousClock.Instant?
    /// Whether the request waits after a refusal.
    private var isBackingOff = false

    /// How long the worker is assumed to keep the answer until it names the time.
    static let assumedRetention: Duration = .seconds(60)
    /// The longest wait after the first refusal.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The longest waits after refusals for which the worker names no time.
    private static let backoff = Backoff(from: firstBackoff, upTo: .seconds(5))
    /// The lower bound of the longest silence before a resend; it applies to a short retention.
    static let shortestPause: Duration = .milliseconds(100)
    /// The upper bound of the longest silence before a resend; it applies to a long retention.
    static let longestPause: Duration = .seconds(30)

    init(isLedgered: Bool, firstPause: Duration?, quiet: Duration = .zero) {
        self.isLedgered = isLedgered
        self.firstPause = firstPause
        self.quiet = quiet
    }

    /// When to resend the request, if nothing happens before; nil if no resend is planned or allowed, or without a
    /// connection.
    var moment: ContinuousClock.Instant? {
        guard isOnline, let next else { return nil }
        if let end = silenceEnds, next >= end { return nil }
        return next
    }

    /// When to give up: the connection is lost and the request must not be resent; nil if an answer can still come.
    var isHopelessFrom: ContinuousClock.Instant? { isCutOff ? silenceEnds : nil }

    /// When a silence has lasted too long for a resend; nil if the request may always be resent.
    private var silenceEnds: ContinuousClock.Instant? {
        isLedgered ? silentSince?.advanced(by: retention / 2) : nil
    }

    /// The connection is up.
    ///
    /// - Returns: Whether to send the request at once.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool {
        isOnline = true
        if isBackingOff { return false }
        return silenceEnds.map { now < $0 } ?? true
    }

    /// The connection was lost, with everything that was under way on it.
    ///
    /// - Parameter lastWord: When the worker's last message on it came, about any request; nil if this request is not
    ///   accepted.
    mutating func disconnected(lastWord: ContinuousClock.Instant?) {
        isOnline = false
        if let lastWord { silentSince = silentSince.map { max($0, lastWord) } }
        isCutOff = silentSince != nil
        if !isBackingOff { (next, pause) = (nil, nil) }
    }

    /// The request is about to be sent, or waits in the queue; until ``sent(at:using:)`` no resend is planned.
    mutating func isLeaving() { (next, pause, isBackingOff) = (nil, nil, false) }

    /// The request was handed to the connection.
    mutating func sent(at now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator) {
        if silentSince == nil { silentSince = now }
        (isCutOff, isBackingOff) = (false, false)
        guard let firstPause else { return isLeaving() }
        let longest = max(min(retention / 10, Self.longestPause), Self.shortestPause)
        let most = Backoff(from: firstPause, upTo: longest).pause(after: silences)
        silences += 1
        let silence = quiet + most / 2 + Self.part(of: most / 2, using: &generator)
        (next, pause) = (now.advanced(by: silence), silence)
    }

    /// An answer shows that the worker has the request; a resend now only fetches answers that were lost.
    mutating func heard(retention: Duration?, at now: ContinuousClock.Instant) {
        if let retention { self.retention = retention }
        (refusals, silentSince, isBackingOff) = (0, now, false)
        if let pause { next = now.advanced(by: pause) }
    }

    /// The request need not be resent on this connection.
    mutating func isDoneHere() { (next, pause) = (nil, nil) }

    /// The worker refused the request temporarily.
    ///
    /// - Parameters:
    ///   - retryAfter: How long the worker asks the client to wait; nil if it names no time.
    ///   - mayBeTaken: Whether the worker may have accepted another copy.
    ///   - now: The current time.
    ///   - generator: The random generator.
    /// - Returns: When to resend the request.
    @discardableResult
    mutating func refused(
        retryAfter: Duration?,
        mayBeTaken: Bool = false,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> ContinuousClock.Instant {
        let backoff = Self.backoff.pause(after: refusals)
        (refusals, silences, isBackingOff) = (refusals + 1, 0, true)
        if !mayBeTaken { (silentSince, isCutOff) = (nil, false) }
        // The time that the worker names is the minimum. The random addition separates clients that got the same time.
        let pause =
            if let retryAfter { retryAfter + Self.part(of: Self.firstBackoff, using: &generator) } else {
                Self.part(of: backoff, using: &generator)
            }
        let moment = now.advanced(by: pause)
        (next, self.pause) = (moment, nil)
        return moment
    }

    private static func part(of duration: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        duration * Double.random(in: 0..<1, using: &generator)
    }
}
