import ArgumentParser

/// A length of time on the command line, such as `30s`, `5m` or `1h30m`; a number without a unit means seconds.
enum TimeSpan {
    private static let units: [String: Double] = ["ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400]

    /// Reads a time.
    ///
    /// - Throws: A `ValidationError` for a word that is not a time, and for a time of more than 100,000 days.
    static func read(_ word: String) throws -> Duration {
        guard let seconds = seconds(word), seconds <= 8_640_000_000 else {
            throw Errors.noTime
        }
        return .seconds(seconds)
    }

    private static func seconds(_ word: String) -> Double? {
        let number = #/[0-9]+(?:\.[0-9]+)?/#
        if word.wholeMatch(of: number) != nil { return Double(word) }
        let parts = word.matches(of: #/([0-9]+(?:\.[0-9]+)?)(ms|min|[smhd])/#)
        guard !parts.isEmpty, parts.reduce(0, { $0 + $1.output.0.count }) == word.count else { return nil }
        return parts.reduce(0) { $0 + (Double($1.output.1) ?? 0) * (units[String($1.output.2)] ?? 0) }
    }

    /// Checks that an option's time is within its bounds.
    static func check(_ time: Duration?, _ option: String, from least: Duration, to most: Duration) throws {
        guard let time, time < least || time > most else { return }
        throw ValidationError("\(option) must be from \(words(least)) to \(words(most)); found \(words(time)).")
    }

    /// The time in the largest unit that gives a whole number, such as `90s` or `2h`.
    static func words(_ time: Duration) -> String {
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
        let fitting = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)] as [(String, Int64)]
        guard milliseconds > 0, let (unit, size) = fitting.first(where: { milliseconds.isMultiple(of: $0.1) }) else {
            return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
        }
        return "\(milliseconds / size)\(unit)"
    }
}
