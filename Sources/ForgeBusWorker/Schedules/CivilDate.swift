/// A day of the Gregorian calendar, which goes on before 1582 as after it.
struct CivilDate: Hashable {
    var year: Int
    /// 1 to 12.
    var month: Int
    /// 1 to 31.
    var day: Int

    init(_ year: Int, _ month: Int, _ day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    /// The day that begins so many days after the first of January 1970.
    ///
    /// The formula counts days in eras of 400 years that begin on the first of March, so that the leap day is the last
    /// day of a year.
    init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// How many days the day begins after the first of January 1970.
    var daysSince1970: Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week: 0 for Sunday, 6 for Saturday.
    var weekday: Int { Self.weekday(ofDay: daysSince1970) }

    /// The day of the week of the day that begins so many days after the first of January 1970, which was a Thursday.
    static func weekday(ofDay days: Int) -> Int { ((days + 4) % 7 + 7) % 7 }

    /// How many days the month has.
    var lengthOfMonth: Int {
        let next = month == 12 ? CivilDate(year + 1, 1, 1) : CivilDate(year, month + 1, 1)
        return next.daysSince1970 - CivilDate(year, month, 1).daysSince1970
    }
}
