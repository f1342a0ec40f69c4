/// The rule by which the clocks of a zone change each year, as POSIX writes it in the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneFooter: Hashable, Sendable {
    /// A day of each year, and a time of that day.
    private struct Change: Hashable {
        enum Day: Hashable {
            /// The nth day of the year, from 1, where the 29th of February does not count.
            case julian(Int)
            /// The nth day of the year, from 0, where it counts.
            case zeroBased(Int)
            /// The nth such weekday of a month; the fifth is the last.
            case weekday(month: Int, week: Int, day: Int)
        }

        let day: Day
        /// In seconds after midnight of the local time that ends; it may be on another day.
        let time: Int

        /// When the change is in a year, in seconds since 1970 by the local time that ends.
        func local(in year: Int) -> Int {
            let newYear = CivilDate(year, 1, 1).daysSince1970
            switch day {
            case .zeroBased(let number): return (newYear + number) * 86_400 + time
            case .julian(let number):
                let isLeap = CivilDate(year, 2, 1).lengthOfMonth == 29
                return (newYear + number - 1 + (isLeap && number > 59 ? 1 : 0)) * 86_400 + time
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year, month, 1)
                var day = 1 + (weekday - first.weekday + 7) % 7 + 7 * (week - 1)
                if day > first.lengthOfMonth { day -= 7 }
                return (first.daysSince1970 + day - 1) * 86_400 + time
            }
        }
    }

    private struct Daylight: Hashable {
        let offset: Int
        let begins: Change
        let ends: Change
    }

    private let standard: Int
    private let daylight: Daylight?

    /// A zone whose clocks never change.
    init(standard: Int) { (self.standard, daylight) = (standard, nil) }

    /// Reads a rule; nil for a text that is none.
    init?(_ text: String) {
        var rest = text[...]
        guard rest.takeAbbreviation(), let standard = rest.takeTime() else { return nil }
        self.standard = -standard
        guard !rest.isEmpty else {
            daylight = nil
            return
        }
        guard rest.takeAbbreviation() else { return nil }
        // Without an offset of its own, daylight saving time is one hour ahead of standard time.
        let offset = rest.first == "," ? self.standard + 3_600 : rest.takeTime().map { -$0 }
        guard let offset, rest.take(","), let begins = Self.change(&rest), rest.take(","),
            let ends = Self.change(&rest),
            rest.isEmpty
        else { return nil }
        daylight = Daylight(offset: offset, begins: begins, ends: ends)
    }

    private static func change(_ rest: inout Substring) -> Change? {
        var day: Change.Day?
        if rest.take("M") {
            guard let month = rest.takeNumber(1...12), rest.take("."), let week = rest.takeNumber(1...5),
                rest.take("."),
                let weekday = rest.takeNumber(0...6)
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if rest.take("J") {
            day = rest.takeNumber(1...365).map { .julian($0) }
        } else {
            day = rest.takeNumber(0...365).map { .zeroBased($0) }
        }
        guard let day else { return nil }
        guard rest.take("/") else { return Change(day: day, time: 7_200) }
        return rest.takeTime().map { Change(day: day, time: $0) }
    }

    /// The changes of the year of an instant and of the years around it, in their order: each with the offset from then on.
    func changes(around time: Int) -> [(time: Int, offset: Int)] {
        guard let daylight else { return [(.min, standard)] }
        let year = CivilDate(daysSince1970: (time + standard).dividedRoundingDown(by: 86_400)).year
        let all = (year - 2...year + 2).flatMap { year in
            [
                (time: daylight.begins.local(in: year) - standard, offset: daylight.offset),
                (time: daylight.ends.local(in: year) - daylight.offset, offset: standard),
            ]
        }
        // Where daylight saving time lasts for ever, it ends when it begins again.
        return all.enumerated().sorted { a, b in
            a.element.time == b.element.time
                ? a.element.offset == standard && b.element.offset != standard : a.element.time < b.element.time
        }.map(\.element)
    }
}

extension Substring {
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }

    /// A zone's abbreviation: letters, or anything between angle brackets.
    fileprivate mutating func takeAbbreviation() -> Bool {
        if take("<") {
            guard let end = firstIndex(of: ">") else { return false }
            self = self[index(after: end)...]
            return true
        }
        let rest = drop(while: \.isLetter)
        defer { self = rest }
        return rest.count < count
    }

    fileprivate mutating func takeNumber(_ bounds: ClosedRange<Int>) -> Int? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), bounds.contains(number) else { return nil }
        self = dropFirst(digits.count)
        return number
    }

    /// A time of at most 167 hours, with an optional sign, minutes and seconds.
    fileprivate mutating func takeTime() -> Int? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = takeNumber(0...167) else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] where take(":") {
            guard let number = takeNumber(0...59) else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }
}
