import ForgeBusProtocol

/// When one request is sent again.
///
/// Pure: the caller brings the time and the chance. The request is sent again
/// - after a refusal that may be over soon: when the worker said, or after 100 ms doubling to 5 s, each time a random part
///   of that, so that clients refused together do not come back together;
/// - after a silence under its id, beyond the time for which it lets the worker be silent: after a first pause (1 s unless
///   the client was told otherwise) doubling to a tenth of the time for which its answer is kept, 30 s at most, half of
///   that random;
/// - when a connection was lost on which it may have been.
///
/// Once nothing was heard for half of the time for which its answer is kept, it is not sent again: when the answer is
/// gone, the same id would have its effect a second time. The answer of a request that was taken is kept at least as long
/// as the worker is heard on the connection where it would come.
struct Resending {
    /// Whether the worker keeps what it did under the id.
    private let isLedgered: Bool
    /// The most silence after the first send; nil where silence is no reason.
    private let firstPause: Duration?
    /// For how long the worker is asked to say nothing, each time it is asked.
    private let quiet: Duration
    private var isOnline = false
    /// Whether the connection on which it was sent is gone.
    private var isCutOff = false
    private var refusals = 0
    private var silences = 0
    private var retention = Self.assumedRetention
    /// When it is sent again, if nothing else happens.
    private var next: ContinuousClock.Instant?
    /// After which silence that is; nil where silence is not what it waits for.
    private var pause: Duration?
    /// When the worker was heard last under the id, or may have got the request first.
    private var silentSince: ContinuousClock.Instant?
    /// Whether it waits for the moment that follows a refusal.
    private var isBackingOff = false

    /// For how long an answer is taken to be kept until the worker says it.
    static let assumedRetention: Duration = .seconds(60)
    /// The most time after the first refusal.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The most time after refusals for which the worker names none.
    private static let backoff = Backoff(from: firstBackoff, upTo: .seconds(5))
    /// The most silence between two sends, however short the time for which the answer is kept.
    static let shortestPause: Duration = .milliseconds(100)
    /// The most silence between two sends, however long the answer is kept.
    static let longestPause: Duration = .seconds(30)

    init(isLedgered: Bool, firstPause: Duration?, quiet: Duration = .zero) {
        self.isLedgered = isLedgered
        self.firstPause = firstPause
        self.quiet = quiet
    }

    /// When it is sent again, if nothing else happens; nil while that would be no use.
    var moment: ContinuousClock.Instant? {
        guard isOnline, let next else { return nil }
        if let end = silenceEnds, next >= end { return nil }
        return next
    }

    /// When nothing can come any more: it was sent on a connection that is gone, and must not be sent again.
    var isHopelessFrom: ContinuousClock.Instant? { isCutOff ? silenceEnds : nil }

    /// When there was silence for so long that it must not be sent again; nil where it always may be.
    private var silenceEnds: ContinuousClock.Instant? {
        isLedgered ? silentSince?.advanced(by: retention / 2) : nil
    }

    /// The connection is up.
    ///
    /// - Returns: Whether it is sent at once.
    mutating func connected(at now: ContinuousClock.Instant) -> Bool {
        isOnline = true
        if isBackingOff { return false }
        return silenceEnds.map { now < $0 } ?? true
    }

    /// The connection is lost, and with it whatever was under way on it.
    ///
    /// - Parameter lastWord: When the worker was heard last on it, whatever it said, if the request was taken there.
    mutating func disconnected(lastWord: ContinuousClock.Instant?) {
        isOnline = false
        if let lastWord { silentSince = silentSince.map { max($0, lastWord) } }
        isCutOff = silentSince != nil
        if !isBackingOff { (next, pause) = (nil, nil) }
    }

    /// It is about to be sent, or waits for room: until ``sent(at:using:)`` there is no next time.
    mutating func isLeaving() { (next, pause, isBackingOff) = (nil, nil, false) }

    /// It was handed to the connection.
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

    /// The worker has it: it is sent again only to hear what may have been lost.
    mutating func heard(retention: Duration?, at now: ContinuousClock.Instant) {
        if let retention { self.retention = retention }
        (refusals, silentSince, isBackingOff) = (0, now, false)
        if let pause { next = now.advanced(by: pause) }
    }

    /// It does not have to be sent again on this connection.
    mutating func isDoneHere() { (next, pause) = (nil, nil) }

    /// The worker did nothing, and may do it later.
    ///
    /// - Parameters:
    ///   - retryAfter: How long the worker wants it to wait.
    ///   - mayBeTaken: Whether it was sent before, so that the worker may have it all the same.
    ///   - now: The time.
    ///   - generator: The chance.
    /// - Returns: When it is sent again.
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
