package import ForgeBusProtocol
package import ForgeBusStore
package import ForgeOrchestrator
package import Logging

/// What a simulation, and nobody else, asks of its worker.
extension BusWorker {
    /// A worker in a simulation, which opens no socket: requests come by ``submit(_:as:)`` alone.
    ///
    /// Endpoints and access of `configuration` are left aside: `policy` says who may do what, and nobody has to prove a key.
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

    /// Waits until nothing of the worker can go on before time does.
    ///
    /// - Parameter patience: How long what executes may take, by the machine's clock.
    /// - Returns: How it stands then.
    /// - Throws: What kept ``run()`` from serving.
    package func settle(within patience: Duration) async throws -> Settlement {
        try await lifecycle.bound().loop.settle(within: patience)
    }

    /// Ends the worker as if its process were killed; ``run()`` returns soon after.
    package func die() { lifecycle.loop?.die() }

    /// Looks again whether all has settled: something fell asleep that the worker cannot see.
    package func lookAgain() { lifecycle.loop?.submit { _ in } }

    /// One thing as it stands, whoever may read it.
    package func item(_ request: ShowRequest) async throws -> JSONObject {
        try await lifecycle.bound().loop.item(request)
    }

    /// How a run ended; nil if it has not, or is not known.
    package func result(of run: Name) async throws -> RunResult? {
        try await lifecycle.bound().loop.result(of: run)
    }

    /// The signals that wait, each with its owner.
    package func waitingSignals() async throws -> [Name: String] {
        try await lifecycle.bound().loop.waitingSignals()
    }
}
