import ForgeBusProtocol

/// Decides when the client resends one request.
///
/// Pure: the caller passes the time and the random numbers. The client resends the request
/// - after a temporary refusal: after the time that the worker names, plus up to 100 ms, or otherwise after a random
///   part of a time that doubles from 100 ms to 5 s. So clients that were refused together do not come back together;
/// - when no answer to the request has come for a while: first for `firstPause`, then for a time that doubles up to a
///   tenth of the retention, and at most 30 s. Up to half of this time is random. If the request asks the worker to be
///   silent for a time, the client adds that time;
/// - when the connection on which it was sent is lost.
///
/// The retention is the time for which the worker keeps the answer. The client does not resend after a silence of half
/// the retention: when the worker has forgotten the answer, a resend would take effect a second time. If the worker has
/// accepted the request, it keeps the answer at least as long as its messages arrive on the connection; so when the
/// connection is lost, the silence counts from the last message on it.
struct Resending {
    /// Whether the worker remembers the request's effect under its id.
    private let isLedgered: Bool
    /// The longest silence before the first resend; nil if silence causes no resend.
    private let firstPause: Duration?
    /// How long each copy of the request asks the worker to be silent.
    private let quiet: Duration
    private var isOnline = false
    /// Whether the connection on which the request was sent is lost.
    private var isCutOff = false
    private var refusals = 0
    private var silences = 0
    private var retention = Self.assumedRetention
    /// When to resend the request, if nothing else happens.
    private var next: ContinuousClock.Instant?
    /// The silence after which `next` comes; nil if `next` does not depend on silence.
    private var pause: Duration?
    /// When the last answer to the request came, or when the request was first sent.
    private var silentSince: ContinuousClock.Instant?
    /// Whether the request waits after a refusal.
    private var isBackingOff = false

    /// The retention that the client assumes until the worker names one.
    static let assumedRetention: Duration = .seconds(60)
    /// The longest wait after the first refusal.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The longest waits after refusals, if the worker names no time.
    private static let backoff = Backoff(from: firstBackoff, upTo: .seconds(5))
    /// The lower limit of the longest silence between two sends, for a short retention.
    static let shortestPause: Duration = .milliseconds(100)
    /// The upper limit of the longest silence between two sends, for a long retention.
    static let longestPause: Duration = .seconds(30)

    init(isLedgered: Bool, firstPause: Duration?, quiet: Duration = .zero) {
        self.isLedgered = isLedgered
        self.firstPause = firstPause
        self.quiet = quiet
    }

    /// When to resend the request, if nothing else happens; nil without a connection, or if no resend is planned or
    /// allowed.
    var moment: ContinuousClock.Instant? {
        guard isOnline, let next else { return nil }
        if let end = silenceEnds, next >= end { return nil }
        return next
    }

    /// When to give up a request whose connection is lost, because the client must not resend it any more; or nil.
    var isHopelessFrom: ContinuousClock.Instant? { isCutOff ? silenceEnds : nil }

    /// When the silence becomes too long to resend the request; nil if the client may always resend it.
    private var silenceEnds: ContinuousClock.Instant? {
        isLedgered ? silentSince?.advanced(by: retention / 2) : nil
    }

    /// The connection is up.
    ///
    /// - Returns: Whether to send the request immediately.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool {
        isOnline = true
        if isBackingOff { return false }
        return silenceEnds.map { now < $0 } ?? true
    }

    /// The connection is lost, with all messages on their way.
    ///
    /// - Parameter lastWord: When the last message of any kind came on it; nil if the worker has not accepted the
    ///   request.
    mutating func disconnected(lastWord: ContinuousClock.Instant?) {
        isOnline = false
        if let lastWord { silentSince = silentSince.map { max($0, lastWord) } }
        isCutOff = silentSince != nil
        if !isBackingOff { (next, pause) = (nil, nil) }
    }

    /// The request is about to be sent, or waits for room; no resend is planned until ``sent(at:using:)``.
    mutating func isLeaving() { (next, pause, isBackingOff) = (nil, nil, false) }

    /// The connection took the request.
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

    /// An answer came, so the worker has the request; a resend only fetches answers that may have been lost.
    mutating func heard(retention: Duration?, at now: ContinuousClock.Instant) {
        if let retention { self.retention = retention }
        (refusals, silentSince, isBackingOff) = (0, now, false)
        if let pause { next = now.advanced(by: pause) }
    }

    /// The client need not resend the request on this connection.
    mutating func isDoneHere() { (next, pause) = (nil, nil) }

    /// The worker refused the request for now.
    ///
    /// - Parameters:
    ///   - retryAfter: How long the worker asks the client to wait.
    ///   - mayBeTaken: Whether the worker may have accepted another copy.
    ///   - now: The time.
    ///   - generator: The source of random numbers.
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
        // What the worker asked for is the least; a part on top keeps those apart who were told the same.
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
