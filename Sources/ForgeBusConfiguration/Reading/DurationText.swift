/// A length of time as people write it: numbers with units, such as `500ms`, `10s`, `1h30m`, `1.5h` or `3d`.
package enum DurationText {
    /// The most time that a text may mean: 100,000 days.
    private static let maximumInSeconds = 8_640_000_000.0
    private static let units: [String: Double] = ["ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400]

    /// The time that a text means; nil for any other text, and so for a number without a unit.
    package static func duration(_ text: String) -> Duration? {
        let parts = text.matches(of: #/([0-9]+(?:\.[0-9]+)?)(ms|min|[smhd])/#)
        guard !parts.isEmpty, parts.reduce(0, { $0 + $1.output.0.count }) == text.count else { return nil }
        let seconds = parts.reduce(0) { $0 + (Double($1.output.1) ?? 0) * (units[String($1.output.2)] ?? 0) }
        return seconds <= maximumInSeconds ? .seconds(seconds) : nil
    }

    /// The time in the largest unit that gives a whole number, such as `90s` or `2h`.
    package static func text(of time: Duration) -> String {
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
        let fitting = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)] as [(String, Int64)]
        guard milliseconds > 0, let (unit, size) = fitting.first(where: { milliseconds.isMultiple(of: $0.1) }) else {
            return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
        }
        return "\(milliseconds / size)\(unit)"
    }
}

extension Entry {
    /// The value as a time with its unit, within bounds.
    func duration(_ bounds: ClosedRange<Duration>) -> Duration? {
        let (least, most) = (DurationText.text(of: bounds.lowerBound), DurationText.text(of: bounds.upperBound))
        let expected = "a time with its unit from \(least) to \(most)"
        guard let text = text(expected, next: Errors.timeWithUnit) else { return nil }
        guard let time = DurationText.duration(text) else {
            let isNumber = text.wholeMatch(of: #/[0-9]+(?:\.[0-9]+)?/#) != nil
            note(isNumber ? Errors.timeWithoutUnit(text) : Errors.notTime(text, expected))
            return nil
        }
        guard bounds.contains(time) else {
            note(Errors.outOfBounds(text, expected: expected))
            return nil
        }
        return time
    }
}
