package import ForgeBusProtocol
package import ForgeBusStore
package import ForgeOrchestrator
package import Logging

/// The part of the worker that only a simulation uses.
extension BusWorker {
    /// Creates a worker in a simulation; it opens no socket, and requests come only through ``submit(_:as:)``.
    ///
    /// The worker ignores the endpoints and the access of `configuration`: `policy` decides on requests, and senders
    /// need no key.
    ///
    /// - Throws: ``WorkerError`` with code `definition` if a pipeline or a monitor cannot work.
    package convenience init(
        in simulation: any Simulation,
        _ configuration: WorkerConfiguration,
        policy: AccessPolicy,
        pipelines: [HostedPipeline],
        monitors: [HostedMonitor],
        startup: SequenceOrchestrator?,
        store: any BusStore,
        logger: Logger
    ) throws(WorkerError) {
        var configuration = configuration
        (configuration.endpoints, configuration.publicationEndpoints, configuration.publishers) = ([], [], [])
        try self.init(configuration, policy, pipelines, monitors, startup, store, logger, simulation)
    }

    /// Waits until the worker is idle: nothing in it can continue before the simulated time advances.
    ///
    /// - Parameter patience: How long to wait for code that still executes, in real time and not in simulated time.
    /// - Returns: Whether the worker is idle, still busy, or has ended.
    /// - Throws: The error that kept ``run()`` from serving.
    package func settle(within patience: Duration) async throws -> Settlement {
        try await lifecycle.bound().loop.settle(within: patience)
    }

    /// Ends the worker as if its process were killed; ``run()`` returns soon after.
    package func die() { lifecycle.loop?.die() }

    /// Checks again whether the worker is idle; call this method when code outside the worker's control begins to wait.
    package func lookAgain() { lifecycle.loop?.submit { _ in } }

    /// Returns the answer to a SHOW of one item, such as a run or a signal, without checking access.
    package func item(_ request: ShowRequest) async throws -> JSONObject {
        try await lifecycle.bound().loop.item(request)
    }

    /// Returns the result of a run; nil if the run has not ended, or is unknown.
    package func result(of run: Name) async throws -> RunResult? {
        try await lifecycle.bound().loop.result(of: run)
    }

    /// Returns the ids of the signals that wait, each with the name of its owner.
    package func waitingSignals() async throws -> [Name: String] {
        try await lifecycle.bound().loop.waitingSignals()
    }
}
