import ForgeBusProtocol
import Foundation
import Logging

#if canImport(Musl)
import Musl
#endif

/// Formats a record of the log as exactly one line.
enum LogLine {
    /// The most bytes of a line; a longer line is cut.
    static let sizeLimit = 16 * 1024

    /// The record as a line, without a line end: the time, the level, the label, the source, the message, the metadata.
    ///
    /// The metadata is sorted by key; `next`, what to do, comes last. A value with spaces is in quotation marks.
    static func text(
        _ level: Logger.Level,
        _ label: String,
        _ metadata: Logger.Metadata = [:],
        source: String,
        _ message: Logger.Message
    ) -> String {
        let details = metadata.sorted { ($0.key == "next" ? 1 : 0, $0.key) < ($1.key == "next" ? 1 : 0, $1.key) }
        let tail = details.map { "\($0.key)=\(shown($0.value))" }.joined(separator: " ")
        let head = "\(timestamp()) \(level) \(label) [\(source)] \(message)"
        let line = Printable.escaped(tail.isEmpty ? head : "\(head)  \(tail)")
        return Printable.cut(line, to: sizeLimit)
    }

    /// The value, in quotation marks if it could otherwise be read as several words or as further metadata.
    ///
    /// A text that is quoted already stays as it is.
    private static func shown(_ value: Logger.MetadataValue) -> String {
        let text = "\(value)"
        switch value {
        case .array, .dictionary: return text
        case .string, .stringConvertible:
            // Line ends and tabs become escapes in the line, and no spaces.
            let isPlain =
                !text.isEmpty && !Printable.escaped(text).contains { $0.isWhitespace || $0 == "\"" || $0 == "=" }
            let isQuoted = text.hasPrefix("\"") && text.wholeMatch(of: #/"(?:[^"\\]|\\.)*"/#) != nil
            if isPlain || isQuoted { return text }
            return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
    }

    /// The current local time, such as `2026-03-01T09:30:00+0100`.
    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        guard localtime_r(&now, &parts) != nil else { return "-" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress, strftime(start, 64, "%Y-%m-%dT%H:%M:%S%z", &parts) > 0 else {
                return "-"
            }
            return String(cString: start)
        }
    }
}
