import ArgumentParser
import ForgeBusConfiguration

/// A length of time on the command line, such as `30s`, `5m` or `1h30m`; a number without a unit means seconds.
enum TimeSpan {
    /// Reads a time.
    ///
    /// - Throws: A `ValidationError` for a word that is not a time, and for a time of more than 100,000 days.
    static func read(_ word: String) throws -> Duration {
        guard let time = DurationText.duration(Double(word) == nil ? word : "\(word)s") else { throw Errors.noTime }
        return time
    }

    /// Checks that an option's time is within its bounds.
    static func check(_ time: Duration?, _ option: String, from least: Duration, to most: Duration) throws {
        guard let time, time < least || time > most else { return }
        let bounds = "from \(DurationText.text(of: least)) to \(DurationText.text(of: most))"
        throw ValidationError("\(option) must be \(bounds); found \(DurationText.text(of: time)).")
    }
}
