/// A point in time, passed to the core, which reads no clock itself.
struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since the worker began; never goes back.
    ///
    /// All waiting is measured with it.
    var nanoseconds: Int64
    /// Milliseconds since 1970 by the wall clock, for people to read; of a later moment, as that clock then stood.
    ///
    /// It may jump from one moment to the next.
    var unixMilliseconds: Int64

    /// By how much the wall clock may deviate before a time that was told is told anew.
    ///
    /// Two clocks are read one after the other, the wall clock in whole milliseconds.
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

    /// The earlier of two moments; nil if there is none.
    static func earliest(_ a: Moment?, _ b: Moment?) -> Moment? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    static func < (a: Moment, b: Moment) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension Moment {
    /// The wall clock's time at `moment`, in milliseconds since 1970, if nobody sets it meanwhile.
    ///
    /// The same moment always has the same time, unless somebody sets the clock by more than a second.
    func unix(of moment: Moment) -> Int64 {
        let (time, isTooFar) = unixMilliseconds.addingReportingOverflow(moment.since(self).milliseconds)
        guard !isTooFar else { return .max }
        let (difference, isFar) = time.subtractingReportingOverflow(moment.unixMilliseconds)
        return !isFar && difference.magnitude <= Self.deviation.magnitude ? moment.unixMilliseconds : time
    }

    /// The moment of `unixMilliseconds` by the wall clock, if nobody sets it meanwhile; it may be past.
    func at(unix unixMilliseconds: Int64) -> Moment {
        let (time, isTooFar) = unixMilliseconds.subtractingReportingOverflow(self.unixMilliseconds)
        return advanced(by: .milliseconds(isTooFar ? .max : time))
    }

    /// The moment of `unixMilliseconds` by the wall clock, but at most `time` from now: that clock may have been set
    /// back.
    func at(unix unixMilliseconds: Int64, atMost time: Duration) -> Moment {
        min(at(unix: unixMilliseconds), advanced(by: time))
    }
}
