import ForgeBusProtocol
public import ForgeBusStore
public import ForgeBusWorker
public import ForgeOrchestrator
public import Logging

/// A worker in the test's own process, without a socket, whose clock the test moves.
///
/// A test worker contains a real `BusWorker`: the production code hosts your pipelines, monitors and gates, executes
/// your actions, and commits changes before it answers. So that a test runs the same way each time, time stands still
/// until ``advance(by:)``, and all actions execute on one thread.
///
/// ```swift
/// let deploy = PipelineOrchestrator()
/// deploy.register(GateAction("approve", signal: "deploy.{seed.version}.approve", deadline: .seconds(3 * 86_400)))
/// let worker = try await TestWorker(
///     pipelines: [HostedPipeline("deploy", deploy, seeds: [.required("version", .string)])]
/// )
/// let run = try await worker.run("deploy", seeds: ["version": "42"])
/// try await run.expect(.waiting, for: "deploy.42.approve")
/// try await worker.advance(by: .seconds(3 * 86_400))
/// try await run.expect(.failed, because: "expired")
/// ```
///
/// The methods that send requests, move the clock or start a worker return when the worker has *settled*. The worker
/// has settled when no commit is pending, and every action and condition has ended or waits for the clock, a decision
/// or a slot. If an action waits for anything else (a network, a process, a task of your own), the method waits for the
/// action, for at most `patience`.
///
/// Only one task at a time may use a test worker. The worker ends when its last reference is released, or with
/// ``stop()``.
public actor TestWorker {
    /// The worker's clock; pass the same clock to your actions and orchestrators.
    public nonisolated let clock: TestClock
    let faults = Faults()
    var people = People()
    /// All decisions so far, in order: those of ``whenOpen(_:_:by:after:)``, ``complete(_:value:keeping:by:)`` and
    /// ``reject(_:reason:keeping:by:)``.
    public internal(set) var decisions: [DecisionMade] = []
    private let makeLife: @Sendable (TestClock, Faults, Int) async throws -> Life
    private let patience: Duration
    private(set) var life: Life
    /// The number of `BusWorker`s so far: the first one, and one more after each crash or restart.
    private(set) var lives = 1
    private var requests = 0
    /// The time on the clock at which the worker itself must act next, for instance at a deadline; nil if there is no
    /// such time.
    private var nextDue: Duration?

    /// Starts a worker, and waits until it has settled.
    ///
    /// - Parameters:
    ///   - pipelines: The hosted pipelines, each with a unique name.
    ///   - monitors: The hosted monitors; `clock` measures their intervals.
    ///   - startup: The sequence that must end before the worker accepts runs and notifications; nil for none.
    ///   - access: The rights of the principals. Principals need no keys, because requests pass their names. With the
    ///     default, `local` is the only principal.
    ///   - clock: The worker's clock; pass the same clock to your actions and orchestrators.
    ///   - patience: How long the worker may take to settle, in real time.
    ///   - logger: The worker's logger; by default nothing is logged.
    ///   - store: Makes the store for each worker: the first one, and each one after a crash or restart. By default,
    ///     all workers use the same store in memory, which reports the durability `fsynced`.
    ///   - configure: Changes the worker's configuration; its endpoints and its access settings are ignored.
    /// - Throws: `WorkerError` with code `definition` for a pipeline or monitor that cannot be hosted;
    ///   ``TestWorkerError`` if the start-up does not settle; or an error that `store` throws.
    public init(
        pipelines: [HostedPipeline] = [],
        monitors: [HostedMonitor] = [],
        startup: SequenceOrchestrator? = nil,
        access: AccessPolicy = .local,
        clock: TestClock = TestClock(),
        patience: Duration = .seconds(10),
        logger: Logger = Logger(label: "forge.bus.testing") { _ in SwiftLogNoOpLogHandler() },
        store: (@Sendable () throws -> any BusStore)? = nil,
        configure: (inout WorkerConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = WorkerConfiguration(name: "test", endpoints: [])
        // With random delays, a test would not run the same way each time.
        configuration.startJitter = .zero
        configure(&configuration)
        let memory = MemoryStore()
        makeLife = { [configuration] clock, faults, number in
            let stage = Stage(clock, faults, life: number)
            let bus = try BusWorker(
                in: stage,
                configuration,
                policy: access,
                pipelines: pipelines,
                monitors: monitors,
                startup: startup,
                store: try store.map { FaultyStore(try $0(), faults) }
                    ?? FaultyStore(memory, durability: .fsynced, faults),
                logger: logger
            )
            return try await Life(bus, stage, clock)
        }
        self.clock = clock
        self.patience = patience
        life = try await makeLife(clock, faults, 1)
        try await settle()
    }

    deinit { life.stage.die() }

    /// The current `BusWorker`; a crash or restart replaces it with a new one.
    ///
    /// Pass it to code under test that takes a `BusWorker`.
    public var bus: BusWorker { life.bus }

    /// Stops the worker as a graceful shutdown does: the worker accepts no new work, and running actions may finish.
    ///
    /// The worker does not wait for the whole drain time: it stops as soon as no action can continue by itself. After
    /// this call, only ``restart()`` may be called.
    ///
    /// - Throws: The error that ended the worker, if its store failed.
    public func stop() async throws { try await life.stop() }

    /// Stops the worker if it is running, starts a new one with the same stored state, and waits until it has settled.
    ///
    /// - Throws: The error that keeps the new worker from starting, or an error that ``advance(by:)`` throws.
    public func restart() async throws {
        // If an error ended the worker, an earlier call has already thrown that error.
        try? await life.stop()
        lives += 1
        life = try await makeLife(clock, faults, lives)
        try await settle()
    }
}

// Time.
extension TestWorker {
    /// Moves the clock forward, and stops at each time at which something is due.
    ///
    /// At each stop, the method waits until the worker has settled. Retries, deadlines, reminders, intervals, sleeping
    /// actions and scripted decisions happen in the order of their times.
    ///
    /// - Parameter duration: How far to move the clock; with zero, the call only waits until the worker has settled.
    /// - Throws: ``TestWorkerError`` if the worker does not settle within its patience or was stopped; the error that
    ///   ended the worker, if its store failed.
    public func advance(by duration: Duration) async throws { try await advance(by: duration) { false } }

    /// Waits until the worker has settled; the clock stands still.
    ///
    /// The worker has settled when no commit is pending, and every action and condition has ended or waits for the
    /// clock, a decision or a slot. Call this method after the test has resumed an action in a way that the worker
    /// cannot know, for instance by completing a `CompletionSignal`.
    ///
    /// - Parameter patience: How long the worker may take to settle, in real time; nil uses the worker's own patience.
    /// - Throws: An error that ``advance(by:)`` throws.
    public func settle(within patience: Duration? = nil) async throws {
        repeat {
            try await settleUnattended(within: patience)
            people.look(at: try await life.bus.waitingSignals(), at: clock.elapsed)
        } while try await letSomebodyDecide()
    }

    /// Moves the clock forward, and stops at each time at which something is due, until `isDone` returns true.
    ///
    /// In total, the clock moves by at most `duration`.
    func advance(by duration: Duration, until isDone: () async throws -> Bool) async throws {
        let end = clock.elapsed + duration
        try await settle()
        while try await !isDone() {
            let next = [nextDue, clock.nextDeadline, people.nextDue].compactMap { $0 }.min()
            guard let next, next <= end else { break }
            clock.move(to: next)
            try await settle()
        }
        if try await !isDone() {
            clock.move(to: end)
            try await settle()
        }
    }

    /// Waits until the worker has settled, but sends no scripted decisions; starts a new worker after a crash.
    func settleUnattended(within patience: Duration? = nil) async throws {
        let patience = patience ?? self.patience
        while true {
            switch await life.settle(within: patience) {
            case .quiet(let next): return nextDue = next.map { clock.elapsed(at: $0) }
            case .busy(let activities): throw Errors.stillBusy(activities, after: patience)
            case .over: try await takeOver()
            }
        }
    }

    /// Starts the next worker after a crash; throws if the worker was stopped or its store failed.
    private func takeOver() async throws {
        let end = await life.end()
        guard life.stage.hasDied else {
            try end.get()
            throw Errors.stopped
        }
        lives += 1
        life = try await makeLife(clock, faults, lives)
    }

    private func letSomebodyDecide() async throws -> Bool {
        guard let plan = people.takeDue(at: clock.elapsed) else { return false }
        try await decide(SignalID(plan.signal), plan.script.decision, by: plan.script.principal)
        return true
    }

    /// Makes an id that no earlier request of this test worker had.
    func nextRequestID() -> RequestID {
        requests += 1
        guard let id = try? RequestID("test-\(requests)") else { fatalError("test-\(requests) is not a request id.") }
        return id
    }
}
