import ForgeBusProtocol
public import ForgeBusStore
public import ForgeBusWorker
public import ForgeOrchestrator
public import Logging

/// A worker in the test's own process, without a socket, whose time the test moves.
///
/// It is a `BusWorker`: your pipelines, monitors and gates are hosted by the core that runs in production, your actions are
/// executed by the same code, and what a request leads to is committed before it is told. Only the machine is another one:
/// time stands still until ``advance(by:)``, and what executes does so on one thread, so that the same test has the same
/// course each time.
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
/// Each method returns when everything that can go on has gone on: no action, condition or commit is under way that does not
/// wait for the clock, a decision or a slot. What waits for something else (a network, a process, a task of your own) is
/// waited for, at most as long as `patience`.
///
/// One task at a time uses it. It ends with its last reference, or with ``stop()``.
public actor TestWorker {
    /// The worker's clock, for your actions and orchestrators.
    public nonisolated let clock: TestClock
    let faults = Faults()
    var people = People()
    /// What people have decided so far, those of ``whenOpen(_:_:by:after:)`` and those whom the test had decide, in order.
    public internal(set) var decisions: [DecisionMade] = []
    private let makeLife: @Sendable (TestClock, Faults, Int) async throws -> Life
    private let patience: Duration
    private(set) var life: Life
    /// How many workers there were.
    private(set) var lives = 1
    private var requests = 0
    /// When the worker itself has something to do next.
    private var nextDue: Duration?

    /// Begins to serve, and settles.
    ///
    /// - Parameters:
    ///   - pipelines: What RUN reaches, each under a name of its own.
    ///   - monitors: What NOTIFY reaches. An interval must be measured by `clock`: `MonitorOrchestrator(interval:clock:)`.
    ///   - startup: What must be through before requests are taken.
    ///   - access: Who may do what. Principals need no key here: requests name them. The default is a worker without keys,
    ///     whose one principal is `local`.
    ///   - clock: What time it is; the same one that your actions and orchestrators were made with.
    ///   - patience: How long what executes may take until all has settled, by the machine's clock.
    ///   - logger: Where the worker says what it does; by default it says nothing.
    ///   - store: Makes the store of each worker: of the first one, and of those after a crash. By default records are
    ///     kept in memory, which outlasts the workers, and count as `fsynced`.
    ///   - configure: Changes the configuration; endpoints and access of it are left aside.
    /// - Throws: `WorkerError` with code `definition` for what cannot be hosted, ``TestWorkerError`` when the start-up does not
    ///   settle.
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
        // A moment of chance is no matter for a test.
        configuration.startJitter = .zero
        configure(&configuration)
        try Self.checkClocks(of: monitors, clock)
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

    /// The worker itself, for code that embeds one; another one after each crash.
    public var bus: BusWorker { life.bus }

    /// Stops the worker as a graceful shutdown does: it takes nothing new, and what can go on by itself is finished.
    ///
    /// The drain time is over as soon as nothing goes on by itself. Nothing may be asked of the worker after that, but
    /// ``restart()``.
    ///
    /// - Throws: What ended the worker, if its store failed.
    public func stop() async throws { try await life.stop() }

    /// Stops the worker if it serves, and puts another one in its place, on the same store.
    ///
    /// - Throws: What keeps that one from starting.
    public func restart() async throws {
        // What ended the worker was thrown when something was asked of it.
        try? await life.stop()
        lives += 1
        life = try await makeLife(clock, faults, lives)
        try await settle()
    }

    private static func checkClocks(of monitors: [HostedMonitor], _ clock: TestClock) throws(WorkerError) {
        for monitor in monitors {
            guard let other = monitor.orchestrator.intervalClock, other as? TestClock !== clock else { continue }
            throw WorkerError(
                .definition,
                "The monitor \(monitor.name) has an interval that the test's clock does not measure.",
                next: "Make it with MonitorOrchestrator(interval: …, clock: clock), and the TestWorker with that clock."
            )
        }
    }
}

// Time.
extension TestWorker {
    /// Moves the clock, through each moment at which something is due, and settles at each of them.
    ///
    /// Retry pauses, deadlines, reminders, intervals, sleeping actions and people on cue come in the order of their moments.
    ///
    /// - Parameter duration: How far; zero only settles.
    /// - Throws: ``TestWorkerError`` when something does not settle within the patience; what ended the worker, if its store
    ///   failed.
    public func advance(by duration: Duration) async throws { try await advance(by: duration) { false } }

    /// Waits until everything that can go on has gone on; the clock stands still.
    ///
    /// Each method does this before it returns. A test does it after it let something go on that the worker cannot know of:
    /// a `CompletionSignal` that an action waits for.
    ///
    /// - Parameter patience: How long what executes may take, by the machine's clock; nil is the worker's patience.
    /// - Throws: As ``advance(by:)`` does.
    public func settle(within patience: Duration? = nil) async throws {
        repeat {
            try await settleUnattended(within: patience)
            people.look(at: try await life.bus.waitingSignals(), at: clock.elapsed)
        } while try await letSomebodyDecide()
    }

    /// Moves the clock until `isDone` or so far.
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

    /// Settles, whoever has a script for what waits now.
    func settleUnattended(within patience: Duration? = nil) async throws {
        let patience = patience ?? self.patience
        while true {
            switch await life.settle(within: patience) {
            case .quiet(let next): return nextDue = next.map { clock.elapsed(at: $0) }
            case .busy(let activities): throw TestWorkerError(stillBusy: activities, after: patience)
            case .over: try await takeOver()
            }
        }
    }

    /// The next worker, where a crash was scripted; a store that failed ends the test worker as it ends any.
    private func takeOver() async throws {
        let end = await life.end()
        guard life.stage.hasDied else {
            try end.get()
            throw TestWorkerError(
                "The test worker was stopped.",
                next: "Ask it before stop(), or call restart()."
            )
        }
        lives += 1
        life = try await makeLife(clock, faults, lives)
    }

    private func letSomebodyDecide() async throws -> Bool {
        guard let plan = people.takeDue(at: clock.elapsed) else { return false }
        try await decide(SignalID(plan.signal), plan.script.decision, by: plan.script.principal)
        return true
    }

    /// An id that no request of this test worker had before.
    func nextRequestID() -> RequestID {
        requests += 1
        guard let id = try? RequestID("test-\(requests)") else { fatalError("test-\(requests) is no request id.") }
        return id
    }
}
