package import Logging

/// Writes what is logged to a record, a line for each event.
package struct RecordingLog: LogHandler {
    private let lines: Record<String>
    private let line: @Sendable (LogEvent) -> String?
    package var logLevel = Logger.Level.trace
    package var metadata = Logger.Metadata()

    /// Writes what `line` makes of each event; nothing if that is nil.
    package init(to lines: Record<String>, _ line: @escaping @Sendable (LogEvent) -> String?) {
        (self.lines, self.line) = (lines, line)
    }

    package func log(event: LogEvent) {
        if let line = line(event) { lines.add(line) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// `message key=value …`, sorted by key.
    @Sendable
    package static func text(of event: LogEvent) -> String? {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return (["\(event.message)"] + pairs).joined(separator: " ")
    }
}

extension Logger {
    /// Says nothing: what a test wants to know it asks.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Record<String> {
    /// A logger that writes here: `message key=value …`, sorted by key.
    package var logger: Logger { logger(RecordingLog.text) }

    /// A logger that writes here what `line` makes of an event.
    package func logger(_ line: @escaping @Sendable (LogEvent) -> String?) -> Logger {
        Logger(label: "test") { _ in RecordingLog(to: self, line) }
    }
}
