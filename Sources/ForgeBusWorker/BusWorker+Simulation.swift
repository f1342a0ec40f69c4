package import ForgeBusProtocol
package import ForgeBusStore
package import ForgeOrchestrator
package import Logging

/// The part of the worker that only a simulation uses.
extension BusWorker {
    /// Creates a worker in a simulation; it opens no socket, and requests come only through ``submit(_:as:)``.
    ///
    /// The endpoints and the access of `configuration` are ignored: `policy` decides on requests, and no sender has to
    /// prove a key.
    ///
    /// - Throws: ``WorkerError`` with code `definition`.
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
    /// - Parameter patience: How long to wait for code that executes, by the machine's clock.
    /// - Returns: The state of the worker then.
    /// - Throws: The error that kept ``run()`` from serving.
    package func settle(within patience: Duration) async throws -> Settlement {
        try await lifecycle.bound().loop.settle(within: patience)
    }

    /// Ends the worker as if its process were killed; ``run()`` returns soon after.
    package func die() { lifecycle.loop?.die() }

    /// Checks again whether the worker is idle; call this method when code that the worker cannot see begins to wait.
    package func lookAgain() { lifecycle.loop?.submit { _ in } }

    /// Returns the current state of one item, without checking access.
    package func item(_ request: ShowRequest) async throws -> JSONObject {
        try await lifecycle.bound().loop.item(request)
    }

    /// Returns the result of a run; nil if the run has not ended, or is unknown.
    package func result(of run: Name) async throws -> RunResult? {
        try await lifecycle.bound().loop.result(of: run)
    }

    /// Returns the signals that wait, each with the name of its owner.
    package func waitingSignals() async throws -> [Name: String] {
        try await lifecycle.bound().loop.waitingSignals()
    }
}
