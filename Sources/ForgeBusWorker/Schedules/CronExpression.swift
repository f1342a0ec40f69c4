import ForgeBusProtocol

/// The times of day, days and months of a cron expression: minute, hour, day of the month, month and day of the week.
///
/// The fields are those of crontab(5) of Vixie cron: `*`, numbers, ranges and lists, each with a step, and the first three
/// letters of English months and weekdays. Sunday is 0 and 7. If both days are restricted, that is, if neither field
/// begins with `*`, a day matches that one of them allows.
struct CronExpression: Hashable, Sendable {
    /// The expression as written.
    let text: String
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let days: Set<Int>
    private let months: Set<Int>
    private let weekdays: Set<Int>
    private let matchesEitherDay: Bool
    /// Whether the expression means times that come again and again, and not times of the day: its minute or hour begins
    /// with `*`.
    ///
    /// As for Vixie cron, that decides what happens in the hours that a change of the clock repeats or leaves out.
    let isRecurring: Bool

    /// Creates an expression.
    ///
    /// - Throws: `BusError` with code `bad_value` for any other text, and for an expression that no day matches.
    init(_ text: String) throws(BusError) {
        let expression = Self.shorthands[text] ?? text
        let fields = expression.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        guard fields.count == 5 else { throw Errors.cronNeedsFields(text, found: fields.count) }
        minutes = try Self.values(fields[0], .minute)
        hours = try Self.values(fields[1], .hour)
        days = try Self.values(fields[2], .day)
        months = try Self.values(fields[3], .month)
        weekdays = Set(try Self.values(fields[4], .weekday).map { $0 % 7 })
        matchesEitherDay = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        isRecurring = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
        self.text = text
        if nextDay(from: 0) == nil { throw Errors.cronMatchesNothing(text) }
    }

    private static let shorthands = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
    ]

    private struct Field {
        let name: String
        let bounds: ClosedRange<Int>
        var names: [String] = []

        static let minute = Field(name: "minute", bounds: 0...59)
        static let hour = Field(name: "hour", bounds: 0...23)
        static let day = Field(name: "day of the month", bounds: 1...31)
        static let month = Field(
            name: "month",
            bounds: 1...12,
            names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        )
        static let weekday = Field(
            name: "day of the week",
            bounds: 0...7,
            names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        )

        /// The number that a part of the field stands for; nil if it is not within the bounds.
        func number(_ text: Substring) -> Int? {
            if let place = names.firstIndex(of: text.lowercased()) { return place + bounds.lowerBound }
            guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else {
                return nil
            }
            return bounds.contains(number) ? number : nil
        }
    }

    private static func values(_ text: String, _ field: Field) throws(BusError) -> Set<Int> {
        var values: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let step = pieces.count == 1 ? 1 : Int(pieces[1]) ?? 0
            let ends = pieces[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let first = pieces[0] == "*" ? field.bounds.lowerBound : field.number(ends[0])
            // A number with a step, such as `5/15`, goes on to the end of the field.
            let isOpen = pieces[0] == "*" || ends.count == 1 && pieces.count == 2
            // `*` among the days of the week is each day once.
            let end = field.bounds.upperBound == 7 ? 6 : field.bounds.upperBound
            let last = isOpen ? end : ends.count == 2 ? field.number(ends[1]) : first
            guard let first, let last, first <= last, step >= 1 else {
                throw Errors.badCronField(text, field.name, String(part), field.bounds)
            }
            values.formUnion(stride(from: first, through: last, by: step))
        }
        return values
    }
}

// Matches.
extension CronExpression {
    /// The first matching minute at or after a local time, both in seconds since the local midnight of the first of
    /// January 1970; nil if there is none before `end`.
    func next(from local: Int, before end: Int = .max) -> Int? {
        // Only whole minutes match.
        var minute = local.dividedRoundingUp(by: 60)
        while minute < end.dividedRoundingUp(by: 60) {
            let day = minute.dividedRoundingDown(by: 1_440)
            guard let match = nextDay(from: day) else { return nil }
            if match > day { minute = match * 1_440 }
            if let time = time(from: minute - match * 1_440) {
                let found = (match * 1_440 + time) * 60
                return found < end ? found : nil
            }
            minute = (match + 1) * 1_440
        }
        return nil
    }

    /// The first matching minute of a day at or after this minute of the day; nil if there is none.
    private func time(from minute: Int) -> Int? {
        for hour in minute / 60..<24 where hours.contains(hour) {
            let first = hour == minute / 60 ? minute % 60 : 0
            if let found = (first..<60).first(where: minutes.contains) { return hour * 60 + found }
        }
        return nil
    }

    /// The first matching day at or after the one that begins so many days after the first of January 1970.
    ///
    /// - Returns: The day; nil if no day of the next 400 years matches, after which the calendar repeats itself.
    private func nextDay(from day: Int) -> Int? {
        var day = day
        let end = day + 146_097
        while day < end {
            let date = CivilDate(daysSince1970: day)
            guard months.contains(date.month) else {
                day += date.lengthOfMonth - date.day + 1
                continue
            }
            let isDay = days.contains(date.day)
            let isWeekday = weekdays.contains(CivilDate.weekday(ofDay: day))
            if matchesEitherDay ? isDay || isWeekday : isDay && isWeekday { return day }
            day += 1
        }
        return nil
    }
}

extension Int {
    /// The quotient, rounded to negative infinity; `divisor` is positive.
    func dividedRoundingDown(by divisor: Int) -> Int {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The quotient, rounded to infinity; `divisor` is positive.
    func dividedRoundingUp(by divisor: Int) -> Int {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest > 0 ? quotient + 1 : quotient
    }
}
