import Logging
import TestSupport

@testable import ForgeBusConfiguration

extension WorkerFile {
    /// A file of a test, in an environment that has a PATH and nothing else.
    init(
        _ yaml: String,
        in directory: TemporaryDirectory,
        environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        poster: (any HTTPPoster)? = RecordingPoster()
    ) throws(ConfigurationError) {
        try self.init(
            yaml: yaml,
            name: "worker.yaml",
            directory: directory.path,
            environment: environment,
            logger: logger,
            poster: poster
        )
    }
}
