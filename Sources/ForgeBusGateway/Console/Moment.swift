import Foundation

/// A time of the worker's clock, as pages show it: as a person says it, with the exact time as a tooltip.
struct Moment {
    let date: Date

    init(date: Date) { self.date = date }

    init(unixMilliseconds: Int64) { date = Date(timeIntervalSince1970: Double(unixMilliseconds) / 1000) }

    /// The exact time, in UTC.
    var exact: String { date.formatted(.iso8601) }

    /// The time as HTML.
    func html(at now: Date) -> String {
        #"<time datetime="\#(exact)" title="\#(exact)">\#(Self.relative(date.timeIntervalSince(now)))</time>"#
    }

    /// A time as a person says it: `3 minutes ago`, `in 2 days`.
    static func relative(_ seconds: Double) -> String {
        let (size, unit): (Double, String) =
            switch abs(seconds) {
            case ..<1: (1, "now")
            case ..<60: (1, "second")
            case ..<3600: (60, "minute")
            case ..<86_400: (3600, "hour")
            default: (86_400, "day")
            }
        let count = Int((abs(seconds) / size).rounded())
        guard unit != "now", count > 0 else { return "now" }
        let span = "\(count) \(unit)\(count == 1 ? "" : "s")"
        return seconds < 0 ? "\(span) ago" : "in \(span)"
    }
}
