public import ForgeBusFleet
public import ForgeBusProtocol
public import ForgeBusWorker
import ForgeLocks
import Foundation
public import Logging
public import ZeroMQ

/// A fleet of workers in the test's own process, with real sockets and keys, for tests of what asks a fleet.
///
/// ```swift
/// func silence(_ monitor: HostedMonitor) async throws {
///     let fleet = try await TestFleet(["web-01", "web-02"]) { _ in TestFleet.Definition(monitors: [monitor]) }
///     await fleet.stop("web-02")
///     let report = try await fleet.client.notify("policy.password-age")
///     precondition(report.workers["web-02"] == .silent)
///     await fleet.close()
/// }
/// ```
///
/// Each worker listens at a socket of its own in a directory of its own, so tests do not share ports. Time is real.
public actor TestFleet {
    /// What one worker of the fleet hosts.
    public struct Definition: Sendable {
        /// The hosted pipelines.
        public var pipelines: [HostedPipeline]
        /// The hosted monitors.
        public var monitors: [HostedMonitor]
        /// The worker's labels in the inventory.
        public var labels: [String: String]

        /// Makes a definition.
        public init(
            pipelines: [HostedPipeline] = [],
            monitors: [HostedMonitor] = [],
            labels: [String: String] = [:]
        ) {
            (self.pipelines, self.monitors, self.labels) = (pipelines, monitors, labels)
        }
    }

    /// The keys of the principal `operator`, who may do everything on each worker.
    public nonisolated let keys = KeyPair()
    /// The workers with their endpoints and keys.
    public nonisolated let inventory: Inventory
    /// A client with ``keys``.
    public nonisolated let client: FleetClient

    private let define: @Sendable (Name) -> Definition
    private let configure: @Sendable (inout WorkerConfiguration) -> Void
    private let access: AccessPolicy
    private let pairs: [Name: KeyPair]
    private let logger: Logger
    private let directory: String
    private var running: [Name: (worker: BusWorker, task: Task<Void, any Error>)] = [:]

    /// Starts workers, and waits until each of them listens.
    ///
    /// - Parameters:
    ///   - names: The names of the workers.
    ///   - patience: How long a worker may be silent until the client tells it as silent.
    ///   - expectations: The monitors that the inventory expects.
    ///   - logger: The logger of the workers; by default nothing is logged.
    ///   - configure: Changes the configuration of each worker.
    ///   - define: Says what a worker hosts; called again when the worker starts again.
    /// - Throws: `WorkerError` for a definition that cannot be hosted, or `BusError` if the machine lacks resources.
    public init(
        _ names: [Name],
        patience: Duration = .seconds(10),
        expecting expectations: [Inventory.Expectation] = [],
        logger: Logger = Logger(label: "forge.bus.testing") { _ in SwiftLogNoOpLogHandler() },
        configure: @escaping @Sendable (inout WorkerConfiguration) -> Void = { _ in },
        _ define: @escaping @Sendable (Name) -> Definition
    ) async throws {
        // A path of a socket has at most 107 bytes.
        let place = FileManager.default.temporaryDirectory.path + "/fleet-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: place,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        directory = place
        (self.define, self.configure, self.logger) = (define, configure, logger)
        let pairs = Dictionary(uniqueKeysWithValues: names.map { ($0, KeyPair()) })
        self.pairs = pairs
        inventory = Inventory(
            workers: try names.enumerated().map { number, name in
                Inventory.Worker(
                    name,
                    at: try Endpoint("ipc://\(place)/\(number)"),
                    key: pairs[name]?.publicKey,
                    labels: define(name).labels
                )
            },
            expectations: expectations
        )
        let all = AccessPolicy.Grant(allow: [">"])
        let grants = AccessPolicy.Grants([.notify: all, .run: all, .complete: all, .read: all, .mode: all])
        access = try AccessPolicy([.init("operator", keys: [keys.publicKey], grants: grants)])
        client = try FleetClient(inventory, as: keys, patience: patience, logger: logger)
        for name in names { try await start(name) }
    }

    /// The public key of a worker; nil if the fleet has no such worker.
    public nonisolated func key(of name: Name) -> PublicKey? { inventory.workers.first { $0.name == name }?.key }

    /// Starts a worker that is stopped, at the same endpoint and with the same keys; does nothing if it runs.
    public func start(_ name: Name) async throws {
        guard running[name] == nil, let pair = pairs[name],
            let place = inventory.workers.first(where: { $0.name == name })
        else { return }
        var configuration = WorkerConfiguration(name: name.text, endpoints: [place.endpoint])
        (configuration.startJitter, configuration.drainTime) = (.zero, .seconds(5))
        configuration.access = .keyed(pair, access)
        configure(&configuration)
        let definition = define(name)
        let worker = try BusWorker(
            configuration,
            pipelines: definition.pipelines,
            monitors: definition.monitors,
            logger: logger
        )
        let task = Task { try await worker.run() }
        running[name] = (worker, task)
        _ = try await worker.endpoints
    }

    /// Stops a worker: until ``start(_:)``, nobody listens at its endpoint.
    public func stop(_ name: Name) async {
        guard let (_, task) = running.removeValue(forKey: name) else { return }
        task.cancel()
        _ = await task.result
    }

    /// The running worker of this name; nil if it is stopped.
    public func worker(_ name: Name) -> BusWorker? { running[name]?.worker }

    /// Stops all workers, and closes the client.
    public func close() async {
        await client.close()
        for name in running.keys { await stop(name) }
        try? FileManager.default.removeItem(atPath: directory)
    }
}
