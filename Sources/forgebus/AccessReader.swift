import ForgeBusConfiguration
import ForgeBusWorker
import ServiceLifecycle
import UnixSignals

/// Has a worker read its access file anew at each SIGHUP.
struct AccessReader: Service {
    private let worker: BusWorker
    private let path: String
    private let signals: UnixSignalsSequence

    /// From now on SIGHUP does not end the process any more.
    init(_ worker: BusWorker, path: String) async {
        self.worker = worker
        self.path = path
        signals = await UnixSignalsSequence(trapping: .sighup)
    }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { try await worker.rereadAccess(from: path) }
    }
}
