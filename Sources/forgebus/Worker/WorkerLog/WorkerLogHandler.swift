import Logging

/// Passes log records to a ``WorkerLog``.
struct WorkerLogHandler: LogHandler {
    let label: String
    let log: WorkerLog
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    init(label: String, log: WorkerLog) {
        self.label = label
        self.log = log
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { metadata["error"] = "\(error)" }
        log.add(log.format.line(event.level, label, metadata, source: event.source, event.message))
    }
}
