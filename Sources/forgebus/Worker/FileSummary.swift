import ForgeBusConfiguration
import ForgeBusWorker
import Logging

/// A summary of a file's worker, for `worker --check`.
struct FileSummary {
    /// A line for each part of the worker.
    let lines: [String]

    /// Makes the summary, and checks the file's definitions without opening an endpoint or a store.
    ///
    /// - Throws: `WorkerError` if a worker would refuse the file's definitions.
    init(of file: WorkerFile, _ logger: Logger) throws(WorkerError) {
        let configuration = file.configuration
        _ = try BusWorker(configuration, pipelines: file.pipelines, monitors: file.monitors, logger: logger)
        let store =
            switch file.store {
            case .memory: "memory"
            case .file(let path): path
            case .postgreSQL(let url): url
            }
        let isKeyed = if case .keyed = configuration.access { true } else { false }
        let publications = configuration.publicationEndpoints.map(\.text) + configuration.publishers.map(\.summary)
        let previous = configuration.previous.map { $0.endpoints + $0.publicationEndpoints }
        var parts: [(String, [String])] = [
            ("worker", [configuration.name]),
            ("listens", configuration.endpoints.map(\.text)),
        ]
        if let previous { parts.append(("previous", previous.map(\.text) + ["(with the previous key)"])) }
        parts += [
            ("publishers", publications),
            ("serves", [isKeyed ? "senders with a key of the access file" : "senders on this machine"]),
            ("store", [store]),
            ("startup", [file.startup == nil ? "no startup actions" : "startup actions run first"]),
            ("pipelines", file.pipelines.map(\.name.text)),
            ("monitors", file.monitors.map(\.name.text)),
        ]
        if !file.webhooks.isEmpty { parts.append(("webhooks", file.webhooks.keys.sorted())) }
        let events = configuration.events.map { "\($0.key.rawValue)→\($0.value)" }.sorted()
        if !events.isEmpty { parts.append(("on", events)) }
        lines =
            parts.map { $0.padded(to: 12) + ($1.isEmpty ? "none" : $1.joined(separator: " ")) }
            + file.warnings.map { "warning".padded(to: 12) + $0 }
    }
}

extension KnownPublisher {
    fileprivate var summary: String { endpoint.text + (identity.map { "=\($0.principal)" } ?? "") }
}
