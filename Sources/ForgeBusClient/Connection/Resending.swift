import ForgeBusProtocol

/// Decides when one request is resent.
///
/// Pure: the caller passes the current time and the random generator. The client resends the request:
/// - after a temporary refusal: after the time that the worker names, plus a random time of up to 100 ms. If the worker
///   names no time, after a random time: at most 100 ms at first, doubling to at most 5 s. The random part spreads the
///   resends of clients that were refused at the same moment;
/// - after a silence, in which the worker sends no answer to the request. At first, the silence lasts at most
///   `firstPause`. This limit doubles with each resend, up to a tenth of the retention, but at least 100 ms and at most
///   30 s; up to half of the time is random. If the request itself allows the worker to send no answer for the time
///   `quiet`, the client waits that much longer;
/// - on a new connection, except while the client still waits after a refusal.
///
/// The *retention* is how long the worker keeps the answer. After a silence of half the retention, the client does not
/// resend a request with an effect: if the worker has dropped the answer, the same id would cause the effect twice.
/// After a connection is lost, the silence of an accepted request begins with the worker's last message, because the
/// worker kept the answer until then.
struct Resending {
    /// Whether the worker remembers the request's effect under its id, so that a resend has no second effect.
    private let isLedgered: Bool
    /// The longest silence before the first resend; with nil, the request is never resent after a silence.
    private let firstPause: Duration?
    /// How long the request itself allows the worker to send no answer; this time begins again with each resend.
    private let quiet: Duration
    private var isOnline = false
    /// Whether the connection was lost after the request was sent, and the request has not been sent again.
    private var isCutOff = false
    private var refusals = 0
    private var silences = 0
    private var retention = Self.assumedRetention
    /// When to resend the request, if no event comes earlier; nil if no resend is planned.
    private var next: ContinuousClock.Instant?
    /// The length of the silence that causes the resend at `next`; nil if the resend has another cause.
    private var pause: Duration?
    /// When the silence began: when the worker's last answer to the request came, or, if there is no answer yet, when
    /// the first copy was sent.
    ///
    /// If the connection of an accepted request is lost, the silence begins with the worker's last message on that
    /// connection, if this message came later. The value is nil if the worker cannot have accepted a copy.
    private var silentSince: ContinuousClock.Instant?
    /// Whether the request waits for its resend after a refusal.
    private var isBackingOff = false

    /// How long the client assumes that the worker keeps the answer, until the worker names the time.
    static let assumedRetention: Duration = .seconds(60)
    /// The longest wait after the first refusal for which the worker names no time.
    ///
    /// If the worker names a time, the client adds a random time of at most this length.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The longest waits after refusals for which the worker names no time.
    private static let backoff = Backoff(from: firstBackoff, upTo: .seconds(5))
    /// The silence before a resend may grow to this time even if a tenth of the retention is shorter.
    static let shortestPause: Duration = .milliseconds(100)
    /// The silence before a resend never grows beyond this time, even if a tenth of the retention is longer.
    static let longestPause: Duration = .seconds(30)

    init(isLedgered: Bool, firstPause: Duration?, quiet: Duration = .zero) {
        self.isLedgered = isLedgered
        self.firstPause = firstPause
        self.quiet = quiet
    }

    /// When to resend the request, if no event comes earlier; nil if no resend is planned or allowed, or if the client
    /// has no connection.
    var moment: ContinuousClock.Instant? {
        guard isOnline, let next else { return nil }
        if let end = silenceEnds, next >= end { return nil }
        return next
    }

    /// When to end the call, because the connection was lost and the request may not be resent any more.
    ///
    /// It is nil if an answer can still come on the connection, or if the request may be resent at any time.
    var isHopelessFrom: ContinuousClock.Instant? { isCutOff ? silenceEnds : nil }

    /// The time from which the silence is too long for a resend; nil if the request may be resent at any time.
    private var silenceEnds: ContinuousClock.Instant? {
        isLedgered ? silentSince?.advanced(by: retention / 2) : nil
    }

    /// Records that the client can send requests on a connection.
    ///
    /// - Returns: Whether to send the request at once.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool {
        isOnline = true
        if isBackingOff { return false }
        return silenceEnds.map { now < $0 } ?? true
    }

    /// Records that the connection was lost, with all messages that were under way on it.
    ///
    /// - Parameter lastWord: When the worker's last message on the connection came, about any request; nil if the
    ///   worker has not accepted this request.
    mutating func disconnected(lastWord: ContinuousClock.Instant?) {
        isOnline = false
        if let lastWord { silentSince = silentSince.map { max($0, lastWord) } }
        isCutOff = silentSince != nil
        if !isBackingOff { (next, pause) = (nil, nil) }
    }

    /// Records that the request waits to be sent; no resend is planned until ``sent(at:using:)``.
    mutating func isLeaving() { (next, pause, isBackingOff) = (nil, nil, false) }

    /// Records that the request was sent.
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

    /// Records an answer, which shows that the worker has the request; a resend now only fetches answers that were
    /// lost.
    mutating func heard(retention: Duration?, at now: ContinuousClock.Instant) {
        if let retention { self.retention = retention }
        (refusals, silentSince, isBackingOff) = (0, now, false)
        if let pause { next = now.advanced(by: pause) }
    }

    /// Cancels the planned resend: the request need not be resent on this connection.
    mutating func isDoneHere() { (next, pause) = (nil, nil) }

    /// Records that the worker refused the request temporarily.
    ///
    /// - Parameters:
    ///   - retryAfter: How long the worker asks the client to wait; nil if it names no time.
    ///   - mayBeTaken: Whether the worker may have accepted a copy other than the refused one.
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
        // The client waits at least the time that the worker names. The random addition spreads clients that got the
        // same time.
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
