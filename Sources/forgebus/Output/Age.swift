import Foundation

/// Formats ages, and the time until a moment, briefly: `45s`, `12m`, `3h20m`, `5d`.
enum Age {
    /// The present time, in milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// The time since `unixMilliseconds`; empty if that is nil.
    static func since(_ unixMilliseconds: Int64?) -> String { unixMilliseconds.map { text(now - $0) } ?? "" }

    /// The time until `unixMilliseconds`: `in 3h20m`, or `now`; empty if that is nil.
    static func until(_ unixMilliseconds: Int64?) -> String {
        unixMilliseconds.map { $0 - now < 1_000 ? "now" : "in \(text($0 - now))" } ?? ""
    }

    /// A length of time in its largest unit, such as `12m`; if the number is less than 10, with the next unit: `3h20m`.
    ///
    /// A negative time is `0s`.
    static func text(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1_000
        let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] as [(String, Int64)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0s" }
        let count = seconds / units[first].1
        let rest = first + 1 < units.count ? seconds % units[first].1 / units[first + 1].1 : 0
        let more = rest > 0 && count < 10 ? "\(rest)\(units[first + 1].0)" : ""
        return "\(count)\(units[first].0)\(more)"
    }
}
