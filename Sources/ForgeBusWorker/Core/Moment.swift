/// A point in time, passed to the core, which reads no clock itself.
struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since the worker began; never goes back.
    ///
    /// The worker measures all waits with these nanoseconds.
    var nanoseconds: Int64
    /// Milliseconds since 1970 by the wall clock, for people to read.
    ///
    /// The value may jump from one moment to the next, because somebody may set the clock. ``advanced(by:)`` computes
    /// the value of a later moment without such a jump.
    var unixMilliseconds: Int64

    /// The largest deviation of the wall clock, in milliseconds, that does not change the reported time of a moment.
    ///
    /// If the clock deviates further, the worker reports a new time. Small deviations are normal: the worker reads two
    /// clocks one after the other, and the wall clock only in whole milliseconds.
    private static let deviation: Int64 = 1_000

    /// The moment after a duration, at most 292 years from the worker's start.
    func advanced(by duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (time, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let farthest: Int64 = seconds < 0 ? .min : .max
        let (sum, isTooFar) = nanoseconds.addingReportingOverflow(overflow || carry ? farthest : time)
        let (unix, isAway) = unixMilliseconds.addingReportingOverflow(duration.milliseconds)
        return Moment(nanoseconds: isTooFar ? farthest : sum, unixMilliseconds: isAway ? farthest : unix)
    }

    /// How long it is from `earlier` to this moment.
    func since(_ earlier: Moment) -> Duration { .nanoseconds(nanoseconds - earlier.nanoseconds) }

    /// The earlier of two moments; if one is nil, the other one.
    static func earliest(_ a: Moment?, _ b: Moment?) -> Moment? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }
    static func == (a: Moment, b: Moment) -> Bool { a.nanoseconds == b.nanoseconds }
    func hash(into hasher: inout Hasher) { hasher.combine(nanoseconds) }
}

extension Moment {
    /// The wall clock's time at `moment`, in milliseconds since 1970, if nobody sets the clock meanwhile.
    ///
    /// The same moment always has the same time, unless somebody sets the clock by more than a second.
    func unix(of moment: Moment) -> Int64 {
        let (time, isTooFar) = unixMilliseconds.addingReportingOverflow(moment.since(self).milliseconds)
        guard !isTooFar else { return .max }
        let (difference, isFar) = time.subtractingReportingOverflow(moment.unixMilliseconds)
        return !isFar && difference.magnitude <= Self.deviation.magnitude ? moment.unixMilliseconds : time
    }

    /// The moment at which the wall clock shows `unixMilliseconds`, if nobody sets the clock meanwhile; it may be past.
    func at(unix unixMilliseconds: Int64) -> Moment {
        let (time, isTooFar) = unixMilliseconds.subtractingReportingOverflow(self.unixMilliseconds)
        return advanced(by: .milliseconds(isTooFar ? .max : time))
    }

    /// The moment at which the wall clock shows `unixMilliseconds`, but at most `time` from now.
    ///
    /// Without that limit, a clock that was set back would make a wait too long.
    func at(unix unixMilliseconds: Int64, atMost time: Duration) -> Moment {
        min(at(unix: unixMilliseconds), advanced(by: time))
    }
}
