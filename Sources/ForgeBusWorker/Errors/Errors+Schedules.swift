import ForgeBusProtocol

// The errors about the times of schedules.
extension Errors {
    /// The error for a cron expression without exactly five fields.
    static func cronNeedsFields(_ text: String, found: Int) -> BusError {
        BusError(
            .badValue,
            "The cron expression \(Printable.quoted(text)) has \(found) fields; it needs five: minute, hour, day of the month, "
                + "month and day of the week.",
            next: "Write for instance `30 2 * * *` for 02:30 each day, or `@daily`."
        )
    }

    /// The error for a part of a field that is no number, range or list within the bounds.
    static func badCronField(_ field: String, _ name: String, _ part: String, _ bounds: ClosedRange<Int>) -> BusError {
        BusError(
            .badValue,
            "The \(name) \(Printable.quoted(field)) of a cron expression contains \(Printable.quoted(part)).",
            next: "Write `*`, or numbers from \(bounds.lowerBound) to \(bounds.upperBound), such as "
                + "`\(bounds.lowerBound + 1)`, `\(bounds.lowerBound + 1)-\(bounds.lowerBound + 3)` or `*/2`, with commas "
                + "between several."
        )
    }

    /// The error for a cron expression such as `0 0 30 2 *`.
    static func cronMatchesNothing(_ text: String) -> BusError {
        BusError(
            .badValue,
            "No day matches the cron expression \(Printable.quoted(text)).",
            next: "Choose a day that the month has."
        )
    }

    /// The error for a file that does not say when the clocks of a zone change.
    static func notZoneFile(_ name: String) -> BusError {
        BusError(
            .badValue,
            "The file of the time zone \(Printable.quoted(name)) is not a TZif file of version 2 or later.",
            next: "Install the package tzdata again."
        )
    }
}
