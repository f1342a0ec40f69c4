import ForgeBusProtocol

/// When a schedule is due.
///
/// In the hours that a change of the clock repeats or leaves out, the rules of Vixie cron hold. An expression for times of
/// the day, such as `30 2 * * *`, is due once a day: for a time that is left out, at the end of the change; for a time that
/// is repeated, the first time. An expression whose minute or hour begins with `*`, such as `30 * * * *`, is due whenever the
/// clock shows that time: not in an hour that is left out, and twice in an hour that is repeated.
enum ScheduleTiming: Hashable, Sendable {
    case cron(CronExpression, ZoneRules)
    /// The multiples of this time since 1970, so that a restart does not change them; at least a second.
    case every(Duration)

    /// The first due time after a moment, both in milliseconds since 1970; nil if there is none.
    func next(after unixMilliseconds: Int64) -> Int64? {
        switch self {
        case .every(let time):
            let step = Int(max(1_000, time.milliseconds))
            return Int64(Int(unixMilliseconds).dividedRoundingDown(by: step) + 1) * Int64(step)
        case .cron(let expression, let zone):
            let second = Int(unixMilliseconds).dividedRoundingDown(by: 1_000)
            return expression.next(after: second, in: zone).map { Int64($0) * 1_000 }
        }
    }
}

extension CronExpression {
    /// The first due second after `time`, both in seconds since 1970; nil if there is none.
    fileprivate func next(after time: Int, in zone: ZoneRules) -> Int? {
        var (time, segment) = (time, zone.segment(at: time))
        // A clock changes a few times a year, and each expression matches a day in eight years, most of them at once.
        for _ in 0..<10_000 {
            var first = time + 1 + segment.offset
            // A repeated time of the day was due before the clock was put back.
            if !isRecurring, let begin = segment.begin { first = max(first, begin.time + begin.before) }
            let end = segment.end.map { $0 + segment.offset } ?? .max
            if let local = next(from: first, before: end) { return local - segment.offset }
            guard let change = segment.end else { return nil }
            let after = zone.segment(at: change)
            // A time of the day that is left out is due at the end of the change.
            if !isRecurring, next(from: max(end, first), before: change + after.offset) != nil { return change }
            (time, segment) = (change - 1, after)
        }
        return nil
    }
}
