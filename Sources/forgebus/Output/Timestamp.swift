import ForgeBusProtocol
import Foundation

/// Formats points in time for people and programs.
enum Timestamp {
    /// The time in ISO 8601, in UTC with milliseconds: `2026-03-01T09:30:00.250Z`.
    static func text(_ unixMilliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
            .formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
            )
    }
}

extension JSONObject.Entry {
    /// The member's key and value for people: a text without quotes, a time as in ``Timestamp``.
    var readable: (key: String, value: String) {
        if key.hasSuffix("_at_ms"), let moment = value.integer {
            return (String(key.dropLast("_at_ms".count)), Timestamp.text(moment))
        }
        return (key, value.string ?? value.description)
    }
}
