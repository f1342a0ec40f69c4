import Logging

/// Keeps what is logged, as `message key=value …` with the keys sorted.
struct RecordingLog: LogHandler {
    let journal: Journal<String>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    func log(event: LogEvent) {
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        journal.write(([event.message.description] + pairs).joined(separator: " "))
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

extension Journal where Entry == String {
    /// A logger that writes here.
    var logger: Logger {
        Logger(label: "test") { _ in RecordingLog(journal: self) }
    }
}
