import ForgeBusProtocol
import Foundation

/// Formats points in time.
enum Timestamp {
    /// The time in ISO 8601, in UTC with milliseconds: `2026-03-01T09:30:00.250Z`.
    static func text(_ unixMilliseconds: Int64) -> String {
        // The milliseconds are formatted separately: a formatter rounds down, and 0.406 as a `Double` is a little less.
        let milliseconds = ((unixMilliseconds % 1_000) + 1_000) % 1_000
        let seconds = (unixMilliseconds - milliseconds) / 1_000
        let form = Date.ISO8601FormatStyle.iso8601.year().month().day()
            .time(includingFractionalSeconds: false).timeZone(separator: .omitted)
        let time = Date(timeIntervalSince1970: Double(seconds)).formatted(form)
        let fraction = String(1_000 + milliseconds).dropFirst()
        return "\(time.dropLast()).\(fraction)Z"
    }
}

extension JSONObject.Entry {
    /// The member's key and value for people: a text without quotes, a time as in ``Timestamp``.
    var readable: (key: String, value: String) {
        if key == "at_ms" || key.hasSuffix("_at_ms"), let moment = value.integer {
            return (String(key.dropLast(key == "at_ms" ? "_ms".count : "_at_ms".count)), Timestamp.text(moment))
        }
        // The members of a pause.
        if ["since_ms", "until_ms"].contains(key), let moment = value.integer {
            return (String(key.dropLast("_ms".count)), Timestamp.text(moment))
        }
        // The members of a monitor's latest cycle.
        if key.hasSuffix("_ago_ms"), let age = value.integer {
            return (String(key.dropLast("_ago_ms".count)), "\(Age.text(age)) ago")
        }
        if key == "took_ms", let time = value.integer { return ("took", Duration.milliseconds(time).readable) }
        return (key, value.string ?? value.description)
    }
}
