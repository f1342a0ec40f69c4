import ForgeBusProtocol
import ForgeOrchestrator

/// The tasks of executing runs and cycles, on Swift's pool; the end of each comes back as an event.
///
/// Owned by the reactor thread. The tasks are not children of one task: the core knows each of them, a drain waits for
/// each end, and ``cancelAll()`` reaches those that are left.
final class HostedWork {
    private let pipelines: [Name: HostedPipeline]
    let monitors: [HostedMonitor]
    private var runs: [Name: RunTask] = [:]
    /// The contexts of suspended runs.
    private var resting: [Name: PipelineContext] = [:]
    private let keepsValues: Bool
    private let starter: RunStarter
    /// The executors of runs and of cycles; nil is Swift's pool.
    private let executor: (any TaskExecutor)?
    private let cycleExecutor: (any TaskExecutor)?
    private var cycles: [Int: Task<Void, Never>] = [:]
    /// The monitors to which a mode shows a screen.
    private var shown: Set<Int> = []
    private var stopObserving: [@Sendable () -> Void] = []

    /// Runs execute on `executor` and cycles on `cycleExecutor`; nil is Swift's pool.
    init(
        _ configuration: CoreConfiguration,
        on executor: (any TaskExecutor)? = nil,
        cyclesOn cycleExecutor: (any TaskExecutor)? = nil
    ) {
        self.executor = executor
        self.cycleExecutor = cycleExecutor
        starter = RunStarter(width: executor == nil ? RunStarter.poolWidth : 1, on: executor)
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        monitors = configuration.monitors
        keepsValues = configuration.keepsRecords
    }

    /// How many runs have a task.
    var tasks: Int { runs.count }
    /// The runs that have a task.
    var started: Dictionary<Name, RunTask>.Keys { runs.keys }

    /// Starts or resumes a run of a pipeline, with a context of its own.
    func start(_ start: RunStart, on loop: any WorkSupervisor) {
        guard let pipeline = pipelines[start.pipeline] else { fatalError("The run's pipeline is not hosted.") }
        let rested = start.resumption == nil ? nil : resting.removeValue(forKey: start.run)
        let task = RunTask()
        runs[start.run] = task
        if start.resumption?.isOver == true { task.cancel() }
        starter.begin { [keepsValues, executor] in
            // Made on the thread that frees it: if one thread allocates memory and another frees it, both wait.
            let context = rested ?? Self.makeContext(start, pipeline, on: loop, keepsValues: keepsValues)
            guard let host = context.runHost else { fatalError("The run's context has no host.") }
            host.begin(start)
            task.adopt(context)
            let execution = RunExecution(start, pipeline, host, keepsValues: keepsValues)
            guard let executor else { return task.begin { await execution.run(in: context) } }
            task.begin(on: executor) {
                await Activity.$current.withValue(.run(start.run)) { await execution.run(in: context) }
            }
        }
    }

    private static func makeContext(
        _ start: RunStart,
        _ pipeline: HostedPipeline,
        on loop: any WorkSupervisor,
        keepsValues: Bool
    ) -> PipelineContext {
        let context = PipelineContext(start.values)
        let age = start.began.map { Duration.milliseconds(max(0, loop.unixMilliseconds - $0)) }
        context.attach(RunHost(start.run, of: pipeline, seeds: start.values, on: loop, age: age))
        for value in start.resumption?.restored ?? [] {
            if let restored = value.restored { context.set(value.key, restored) } else { context.remove(value.key) }
        }
        if keepsValues { context.noteChanges() }
        return context
    }

    /// Forgets the task of a run that has ended or was given up.
    func forget(_ run: Name) { runs[run] = nil }

    /// Keeps the context of a suspended run until it starts again.
    func rest(_ run: Name) { resting[run] = runs.removeValue(forKey: run)?.context }

    /// The run's executing action, or nil.
    func currentAction(of run: Name) -> ActionID? { runs[run]?.context?.currentActionID }

    /// Makes a run's task report its transitions from now on.
    func follow(_ run: Name) { runs[run]?.follow() }

    /// Cancels the task of a run.
    func cancel(_ run: Name) { runs[run]?.cancel() }

    /// Drops the context of a suspended run that has ended.
    func dropRest(of run: Name) { resting[run] = nil }

    /// Runs a cycle of a monitor; the core orders one cycle at a time.
    func runCycle(of monitor: Int, for causes: MonitorCauses, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        let cycle: @Sendable () async -> Void = { [self] in
            // Reported again, because the exclusion may have begun after the cycle was ordered.
            if orchestrator.isExcluded { reportStanding(of: monitor, on: loop) }
            // Cancelled only when the worker closes, and then nobody waits for the end.
            guard let outcome = try? await orchestrator.nextCycle(with: causes) else { return }
            loop.post(.cycleEnded(monitor: monitor, outcome))
        }
        guard let cycleExecutor else { return cycles[monitor] = Task(operation: cycle) }
        cycles[monitor] = Task(executorPreference: cycleExecutor) {
            await MonitorExecutor.$preferred.withValue(cycleExecutor) {
                await Activity.$current.withValue(.cycle(monitor: monitor)) { await cycle() }
            }
        }
    }

    /// Cancels the overdue cycle of a monitor; the cycle runs until it notices the cancellation.
    func cancelCycle(of monitor: Int) { monitors[monitor].orchestrator.cancelCycle() }

    /// Shows a screen to a monitor; nil shows none.
    func show(_ screen: String?, to monitor: Int) {
        if screen == nil { shown.remove(monitor) } else { shown.insert(monitor) }
        monitors[monitor].orchestrator.updateCurrentScreen(screen)
    }

    /// Reports to the core when an exclusion begins and ends, also if the worker did not show the screen.
    func observeMonitors(on loop: any WorkSupervisor) {
        for (monitor, hosted) in monitors.enumerated() {
            // A monitor may outlive the worker, so it must not retain it.
            let stop = hosted.orchestrator.observeStanding { [weak self, weak loop] in
                if let self, let loop { reportStanding(of: monitor, on: loop) }
            }
            stopObserving.append(stop)
            reportStanding(of: monitor, on: loop)
        }
    }

    /// Reads the standing on the core's thread, so that the last report shows the last change.
    private func reportStanding(of monitor: Int, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        loop.post { .standingChanged(monitor: monitor, orchestrator.standing) }
    }

    /// Cancels all tasks and ends the modes, because the worker closes.
    ///
    /// - Parameter hasDied: Whether the worker was killed: then its runs are not cancelled, because they may do nothing
    ///   more.
    func cancelAll(hasDied: Bool = false) {
        for stop in stopObserving { stop() }
        stopObserving = []
        if !hasDied { for task in runs.values { task.cancel() } }
        for (monitor, task) in cycles {
            task.cancel()
            monitors[monitor].orchestrator.cancelCycle()
        }
        // Nothing else would end these modes.
        for monitor in shown { monitors[monitor].orchestrator.updateCurrentScreen(nil) }
        shown = []
    }
}

// Sendable because the reactor thread owns its mutable state: only the worker's loop touches it.
extension HostedWork: @unchecked Sendable {}
