import Foundation

/// Points in time as people and programs both read them.
enum Timestamp {
    /// ISO 8601 in UTC with milliseconds: `2026-03-01T09:30:00.250Z`.
    static func text(_ unixMilliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
            .formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
            )
    }
}
