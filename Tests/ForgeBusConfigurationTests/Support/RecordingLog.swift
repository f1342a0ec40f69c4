import Logging
import Synchronization

/// Keeps what is logged.
final class RecordingLog: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    /// Each line is the message and its metadata, sorted by key.
    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in self } }

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.withLock { $0.append((["\(event.message)"] + pairs).joined(separator: " ")) }
    }
}
