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

    /// The record as a line, without a line end.
    static func text(
        _ level: Logger.Level,
        _ label: String,
        _ metadata: Logger.Metadata = [:],
        source: String,
        _ message: Logger.Message
    ) -> String {
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = Printable.escaped("\(timestamp()) \(level) \(label):\(details) [\(source)] \(message)")
        return Printable.cut(line, to: sizeLimit)
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
