import ForgeBusProtocol
public import ForgeBusStore
public import ForgeOrchestrator
public import Logging
public import ServiceLifecycle
public import ZeroMQ

/// Hosts orchestrators on ZeroMQ: other processes can notify monitors, run pipelines and decide signals.
///
/// | a process sends | the worker does |
/// |---|---|
/// | NOTIFY on a topic | re-evaluates the monitors that follow the topic |
/// | RUN of a pipeline | runs it with a context seeded from the message |
/// | COMPLETE or REJECT for an id | decides the signal or gate that waits under the id |
///
/// ```swift
/// let pipeline = PipelineOrchestrator()
/// let worker = try BusWorker(
///     WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:*")]),
///     pipelines: [HostedPipeline("greet", pipeline, seeds: [.required("name", .string)])]
/// )
/// ```
///
/// The worker is a `Service` of `ServiceLifecycle`: ``run()`` is its lifetime, and a graceful shutdown drains it.
public final class BusWorker: Service {
    let configuration: WorkerConfiguration
    /// The access policy with which the worker starts.
    let policy: AccessPolicy
    private let pipelines: [HostedPipeline]
    private let monitors: [HostedMonitor]
    private let startup: SequenceOrchestrator?
    private let store: (any BusStore)?
    private let logger: Logger
    private let simulation: (any Simulation)?
    let lifecycle = WorkerLifecycle()
    let connectionGate: ConnectionGate
    /// Creates a worker that hosts these orchestrators.
    ///
    /// - Parameters:
    ///   - configuration: The worker's endpoints, access, times and limits.
    ///   - pipelines: The pipelines for RUN, each with a name of its own.
    ///   - monitors: The monitors for NOTIFY, each with a name of its own.
    ///   - startup: A sequence that must finish before the worker accepts notifications and runs, for example
    ///     migrations, a warm-up or a wait for an approval. The worker accepts decisions from the first moment.
    ///   - store: The store of the worker's records; with nil, the worker keeps them in memory, for as long as it runs.
    ///   - logger: Receives the worker's log.
    /// - Throws: ``WorkerError`` with code `definition` if the configuration, a pipeline or a monitor cannot work, or
    ///   with code `open_door` if the worker has no keys and other machines could reach it.
    public convenience init(
        _ configuration: WorkerConfiguration,
        pipelines: [HostedPipeline] = [],
        monitors: [HostedMonitor] = [],
        startup: SequenceOrchestrator? = nil,
        store: (any BusStore)? = nil,
        logger: Logger = Logger(label: "forge.bus.worker")
    ) throws(WorkerError) {
        try configuration.validate()
        try self.init(configuration, configuration.access.policy, pipelines, monitors, startup, store, logger, nil)
    }

    /// Creates a worker from all its parts; `simulation` is nil outside a test of actions.
    init(
        _ configuration: WorkerConfiguration,
        _ policy: AccessPolicy,
        _ pipelines: [HostedPipeline],
        _ monitors: [HostedMonitor],
        _ startup: SequenceOrchestrator?,
        _ store: (any BusStore)?,
        _ logger: Logger,
        _ simulation: (any Simulation)?
    ) throws(WorkerError) {
        try Self.validate(pipelines, monitors)
        try Self.validateIdentities(pipelines, areKnown: policy.isKeyed)
        try Self.validateRequests(pipelines, monitors, configuration.events)
        self.configuration = configuration
        self.policy = policy
        connectionGate = ConnectionGate(configuration, policy)
        self.pipelines = pipelines
        self.monitors = monitors
        self.startup = startup
        self.store = store
        self.logger = logger
        self.simulation = simulation
    }

    /// Serves until a graceful shutdown is triggered or the task is cancelled, then drains and returns.
    ///
    /// Executing work has ``WorkerConfiguration/drainTime`` to finish. With a durable store, the next worker resumes
    /// unfinished runs. Without a durable store, unfinished runs end as `lost`, and their listeners get that result.
    ///
    /// - Throws: ``WorkerError`` with code `endpoint` when an endpoint cannot be bound, `open_door` when an unknown key
    ///   can connect, `store_unavailable`, `store_unreachable` or `store_unsound` when the store cannot be used,
    ///   `superseded` when another process may have taken the worker over, `store` for any other failure of the store,
    ///   and `usage` when the worker ran before; `ZeroMQError` when the machine has no thread or descriptor left for the
    ///   worker.
    public func run() async throws {
        guard lifecycle.begin() else {
            throw WorkerError(
                .usage,
                "`run()` was already called on this worker.",
                next: "Create a new worker for each call."
            )
        }
        let loop: WorkerLoop
        do {
            loop = try await WorkerLoop.make(
                WorkerState(coreConfiguration),
                configuration,
                store: store,
                audit: configuration.audit ?? auditLog,
                logger: logger,
                simulation: simulation
            )
        } catch {
            lifecycle.end(error)
            throw error
        }
        do {
            // A worker that is told to stop while another process holds its store has nothing to drain.
            if try await open(loop) {
                await serve(loop)
                await close(loop)
            } else {
                lifecycle.end(WorkerError.hasStopped)
                await loop.reactor.shutDown()
            }
            await store?.close()
            if let failure = await loop.failure(on: loop.reactor) { throw WorkerError(failure) }
        } catch {
            lifecycle.end(error)
            await loop.reactor.shutDown()
            await store?.close()
            throw error
        }
    }

    /// The bound endpoints that the worker listens on, with real ports in place of wildcards.
    ///
    /// Reading the property waits until they are bound.
    ///
    /// - Throws: The error that kept ``run()`` from binding them, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public var endpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.own }
    }

    /// Returns when the worker accepts requests: its endpoints are bound, and its start-up sequence has finished.
    ///
    /// Any number of tasks may wait, before and after ``run()`` is called.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; the error that ended ``run()``, or ``WorkerError``
    ///   with code `usage` after the worker has stopped.
    public func waitUntilReady() async throws { try await lifecycle.waitUntilReady() }

    /// The bound endpoints that publishers connect to, with real ports in place of wildcards.
    ///
    /// Reading the property waits until the endpoints are bound. They come from
    /// ``WorkerConfiguration/publicationEndpoints``.
    ///
    /// - Throws: The error that kept ``run()`` from binding them, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public var publicationEndpoints: [Endpoint] {
        get async throws { try await lifecycle.bound().endpoints.publications }
    }

    /// The worker's counters since it began; reading them waits until the worker's endpoints are bound.
    ///
    /// - Throws: The error that kept ``run()`` from serving, or ``WorkerError`` with code `usage` after
    ///   `run()` has ended.
    public var counters: WorkerCounters {
        get async throws {
            let loop = try await lifecycle.bound().loop
            return await loop.counters(on: loop.reactor)
        }
    }

    /// Restores the records, binds the endpoints and begins to answer.
    ///
    /// - Returns: Whether the worker serves; false if it was told to stop while it waited for its store.
    private func open(_ loop: WorkerLoop) async throws -> Bool {
        guard let records = try await cancelWhenGracefulShutdown({ try await self.load() }) else { return false }
        await loop.restore(records, on: loop.reactor)
        try await loop.start(on: loop.reactor)
        let endpoints = try await loop.bind(configuration, connectionGate, monitors)
        // Without a start-up sequence there is nothing to wait for: a client that learns the endpoints finds the worker
        // ready.
        if startup == nil { await loop.becomeReady(on: loop.reactor) }
        lifecycle.bind(WorkerLifecycle.Bound(loop: loop, endpoints: endpoints))
        endpoints.log(to: logger, configuration.previous)
        return true
    }

    /// Loads the records of an earlier worker; from now on this worker owns the store.
    ///
    /// - Returns: The records; nil if the worker was told to stop while another process held the store.
    private func load() async throws(WorkerError) -> [StoreRecord]? {
        guard let store else { return [] }
        if store.isShared { lifecycle.setWaiting(true) }
        defer { lifecycle.setWaiting(false) }
        do throws(StoreError) {
            let records = try await store.load()
            if !records.isEmpty {
                logger.info("loaded the records of an earlier worker", metadata: ["records": "\(records.count)"])
            }
            return records
        } catch {
            if error.code == .cancelled { return nil }
            throw WorkerError(error)
        }
    }

    /// Serves until a graceful shutdown, a cancellation or a failure of the store.
    private func serve(_ loop: WorkerLoop) async {
        // This is not a child task: a start-up action that waits for ever must not keep the worker from stopping.
        let opening = Task(executorPreference: loop.simulated) { [startup, logger, lifecycle] in
            if let startup {
                await ExecutionGate.$current.withValue(loop.gate) {
                    await loop.whileSimulating(.startup) { _ = await startup.evaluate() }
                }
            }
            guard !Task.isCancelled else { return }
            if startup != nil { loop.post(.ready) }
            logger.info("ready")
            // This runs in the reactor's queue, after the event that makes the worker ready.
            loop.submit { _ in
                loop.settlers.isOpen = true
                lifecycle.becomeReady()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await gracefulShutdown() }
            // This completes when the store fails, or when a simulated worker dies.
            group.addTask { try? await loop.failed.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
        }
        opening.cancel()
    }

    /// Drains the worker, then closes everything.
    private func close(_ loop: WorkerLoop) async {
        // A worker whose store failed does not wait for its work.
        if await loop.failure(on: loop.reactor) == nil {
            let time: Logger.Metadata = ["seconds": "\(configuration.drainTime / Duration.seconds(1))"]
            logger.info("draining: new work is refused; executing work gets this many seconds to end", metadata: time)
        }
        loop.post(.drain)
        // This task is not cancelled with ``run()``: the drain and its last answers have time limits of their own.
        await Task { [configuration] in
            if await !loop.drains(within: configuration.drainTime) {
                loop.post(.drainTimeEnded)
                await loop.drained.wait()
            }
            // A worker whose store failed has nothing more to say.
            if await loop.failure(on: loop.reactor) == nil { await loop.flush(within: .seconds(2)) }
        }.value
        await loop.stopHosting()
        // Another process that takes the store over must not execute what still executes here.
        if let lease = store?.lease, lease.error == nil, await !loop.rests(within: .seconds(6)) {
            lease.keepUntilItEnds()
        }
        lifecycle.end(WorkerError.hasStopped)
        await loop.reactor.shutDown()
        logger.info("stopped")
    }

    /// Writes audit records to the handler of the worker's logger, under the label `forge.bus.audit`.
    private var auditLog: AuditSink {
        let log = Logger(label: "forge.bus.audit") { [logger] _ in logger.handler }
        return { $0.log(to: log) }
    }

    private var coreConfiguration: CoreConfiguration {
        let durability = store?.durability ?? .memory
        return CoreConfiguration(
            name: configuration.name,
            keepsRecords: store != nil,
            durability: durability,
            retention: configuration.retention(durability),
            signalRetention: configuration.signalRetention(durability),
            auditRetention: configuration.auditRetention,
            cancelGrace: configuration.cancelGrace,
            drainTime: configuration.drainTime,
            limits: configuration.limits,
            signals: configuration.signals,
            access: policy,
            pipelines: pipelines,
            monitors: monitors,
            events: configuration.events,
            publicURL: configuration.publicURL,
            definitions: configuration.definitions.map { Fingerprint(of: Array($0.utf8)).hexadecimal },
            runPrefix: simulation?.runPrefix ?? CoreConfiguration.randomRunPrefix,
            startJitter: configuration.startJitter
        )
    }
}
