import ForgeBusClient
import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import Foundation
import Logging
import TestSupport
import ZeroMQ

#if PostgreSQL
import ForgeBusPostgreSQL
#endif

/// A worker of a test's own that serves while the test runs.
final class Serving: Sendable {
    let worker: BusWorker
    let endpoint: Endpoint
    private let task: Task<Void, any Error>
    private let clients = Guarded<[BusClient]>([])

    fileprivate init(_ worker: BusWorker) async throws {
        self.worker = worker
        let task = Task { try await worker.run() }
        self.task = task
        guard let endpoint = try await worker.endpoints.first else { throw Missing("an endpoint") }
        self.endpoint = endpoint
    }

    /// A client of the worker, closed when the test is over.
    ///
    /// It does not take silence for a reason to send again, however slow the machine is: tests count what comes.
    func client(
        as identity: CurveClient? = nil,
        source: String? = nil,
        patience: Duration = .seconds(300),
        retriesRefusals: Bool = true
    ) async throws -> BusClient {
        let client = BusClient(
            endpoint,
            as: identity,
            source: source,
            patience: patience,
            retriesRefusals: retriesRefusals,
            resendsAfter: nil,
            logger: .silent
        )
        clients.withLock { $0.append(client) }
        return client
    }

    /// Waits until the worker takes everything.
    func ready() async throws {
        let client = try await client()
        while try await client.ping().state == .starting {}
    }

    /// Waits until the worker drains.
    func draining() async throws {
        let client = try await client()
        while try await client.ping().state != .draining {}
    }

    /// Tells the worker to stop, without waiting for it.
    func cancel() { task.cancel() }

    /// Waits until the worker has ended.
    func end() async -> Result<Void, any Error> { await task.result }

    fileprivate func stop() async {
        task.cancel()
        _ = await task.result
        for client in clients.withLock({ $0 }) { await client.close() }
    }
}

/// Runs a test with a worker of its own on a free port, and ends both whatever happens.
func serving<Value>(
    pipelines: [HostedPipeline] = [],
    monitors: [HostedMonitor] = [],
    startup: SequenceOrchestrator? = nil,
    store: (any BusStore)? = nil,
    keepsRecords: Bool = true,
    awaitingReady: Bool = true,
    configure: (inout WorkerConfiguration) -> Void = { _ in },
    logger: Logger = .silent,
    _ body: (Serving) async throws -> Value
) async throws -> Value {
    var configuration = WorkerConfiguration(name: "test", endpoints: [try Endpoint("tcp://127.0.0.1:*")])
    configuration.drainTime = .seconds(5)
    configuration.startJitter = .zero
    // On a machine that is busy with other tests a connection may be silent for long, and is not cut for that; nor is
    // an answer forgotten before it was asked for again.
    configuration.heartbeats = nil
    configuration.retention = .seconds(24 * 3600)
    configure(&configuration)
    let ownStore = store == nil && keepsRecords ? try StoreUnderTest() : nil
    defer { withExtendedLifetime(ownStore) {} }
    let worker = try BusWorker(
        configuration,
        pipelines: pipelines,
        monitors: monitors,
        startup: startup,
        store: store ?? ownStore?.store,
        logger: logger
    )
    let serving = try await Serving(worker)
    do {
        if awaitingReady { try await serving.ready() }
        let value = try await body(serving)
        await serving.stop()
        return value
    } catch {
        await serving.stop()
        throw error
    }
}

/// What a worker under test keeps its records in: memory, or with `FORGE_STORE=sqlite` a file of its own, or with
/// `FORGE_STORE=postgres://…` a database, under a name of its own.
struct StoreUnderTest {
    /// Whether the worker answers only after a renewal of its lease.
    static var hasLease: Bool { ProcessInfo.processInfo.environment["FORGE_STORE"]?.hasPrefix("postgres:") == true }

    let store: any BusStore
    /// Where the file is.
    private let directory: TemporaryDirectory?

    init() throws {
        switch ProcessInfo.processInfo.environment["FORGE_STORE"] {
        case "sqlite":
            let directory = try TemporaryDirectory()
            self.directory = directory
            var options = SQLiteStoreOptions()
            options.reserveSizeInBytes = 0
            store = SQLiteStore(path: directory.path + "/store.sqlite", options: options)
        case nil, "memory": (store, directory) = (MemoryStore(), nil)
        #if PostgreSQL
        case let url? where url.hasPrefix("postgres://"):
            store = PostgreSQLStore(url, name: "w-\(UUID().uuidString.prefix(12))")
            directory = nil
        #endif
        case let other?: throw Missing("a store called \(other); there are memory, sqlite and postgres://…")
        }
    }
}

/// The error that this ends with; nil if it ends well.
func failure(_ body: () async throws -> Void) async throws -> BusError? {
    do {
        try await body()
        return nil
    } catch let error as BusError {
        return error
    }
}

/// The code of the error that this ends with; nil if it ends well.
func code(_ body: () async throws -> Void) async throws -> ErrorCode? { try await failure(body)?.code }
