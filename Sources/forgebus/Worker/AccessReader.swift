import ForgeBusConfiguration
import ForgeBusWorker
import Logging
import ServiceLifecycle
import UnixSignals

/// Makes a worker read its access file again at each SIGHUP.
struct AccessReader: Service {
    private let worker: BusWorker
    private let path: String?
    /// Also called at each SIGHUP, with the path of the access file, if there is one.
    private let others: [@Sendable (String?) -> Void]
    private let logger: Logger
    private let signals: UnixSignalsSequence

    /// Makes the reader; from now on, SIGHUP does not end the process.
    ///
    /// Without a path and without others, each SIGHUP is only logged.
    init(
        _ worker: BusWorker,
        path: String?,
        others: [@Sendable (String?) -> Void],
        logger: Logger
    ) async {
        self.worker = worker
        self.path = path
        self.others = others
        self.logger = logger
        signals = await UnixSignalsSequence(trapping: .sighup)
    }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            if let path {
                try await worker.rereadAccess(from: path)
            } else if others.isEmpty {
                logger.notice(
                    Errors.nothingToReread
                )
            }
            for other in others { other(path) }
        }
    }
}
