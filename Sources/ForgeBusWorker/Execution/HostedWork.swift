import ForgeBusProtocol
import ForgeOrchestrator

/// Starts and cancels the tasks that execute runs and cycles; the core gets an event when a task ends.
///
/// The reactor thread owns this object. The tasks are unstructured, but no task gets lost: the core knows each task, a
/// drain waits for the end of each, and ``cancelAll(hasDied:)`` cancels the tasks that are left.
final class HostedWork {
    private let pipelines: [Name: HostedPipeline]
    let monitors: [HostedMonitor]
    private var runs: [Name: RunTask] = [:]
    /// The contexts of suspended runs.
    private var resting: [Name: PipelineContext] = [:]
    private let keepsValues: Bool
    private let starter: RunStarter
    /// The executors of runs (`executor`) and of cycles (`cycleExecutor`); nil means Swift's pool.
    private let executor: (any TaskExecutor)?
    private let cycleExecutor: (any TaskExecutor)?
    private var cycles: [Int: Task<Void, Never>] = [:]
    /// The indices of the monitors whose screen a mode has set.
    private var shown: Set<Int> = []
    /// The indices of the paused monitors.
    private var paused: Set<Int> = []
    private var stopObserving: [@Sendable () -> Void] = []

    /// Prepares to execute runs on `executor` and cycles on `cycleExecutor`; nil means Swift's pool for either.
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

    /// The number of runs that have a task.
    var tasks: Int { runs.count }
    /// Whether no run and no cycle has a task.
    var isIdle: Bool { runs.isEmpty && cycles.isEmpty }
    /// The runs that have a task.
    var started: Dictionary<Name, RunTask>.Keys { runs.keys }

    /// Starts a run with a new context, or resumes it with the context that it had when it was suspended.
    ///
    /// A run that an earlier worker suspended gets a new context with the stored values.
    func start(_ start: RunStart, on loop: any WorkSupervisor) {
        guard let pipeline = pipelines[start.pipeline] else {
            fatalError(
                "Internal error: the run \(start.run) needs the pipeline \"\(start.pipeline)\", which is not hosted."
            )
        }
        let rested = start.resumption == nil ? nil : resting.removeValue(forKey: start.run)
        let task = RunTask()
        runs[start.run] = task
        if start.resumption?.isOver == true { task.cancel() }
        starter.begin { [keepsValues, executor] in
            // The context is made on the thread that will free it: memory that another thread frees slows both threads.
            let context = rested ?? Self.makeContext(start, pipeline, on: loop, keepsValues: keepsValues)
            guard let host = context.runHost else { fatalError("Internal error: the run's context has no host.") }
            host.begin(start)
            task.adopt(context)
            let execution = RunExecution(start, pipeline, host, keepsValues: keepsValues)
            guard let executor else {
                guard let gate = loop.gate else { return task.begin { await execution.run(in: context) } }
                return task.begin { await ExecutionGate.$current.withValue(gate) { await execution.run(in: context) } }
            }
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
        context.attach(RunHost(start, of: pipeline, on: loop, age: age))
        for value in start.resumption?.restored ?? [] {
            if let restored = value.restored { context.set(value.key, restored) } else { context.remove(value.key) }
        }
        if keepsValues { context.noteChanges() }
        return context
    }

    /// Forgets the task of a run that has ended or was abandoned.
    func forget(_ run: Name) { runs[run] = nil }

    /// Forgets the task of a suspended run, and keeps the run's context until the run resumes or ends.
    func rest(_ run: Name) { resting[run] = runs.removeValue(forKey: run)?.context }

    /// The action that the run's task executes now, or nil.
    func currentAction(of run: Name) -> ActionID? { runs[run]?.context?.currentActionID }

    /// Makes a run's task report its transitions from now on.
    func follow(_ run: Name) { runs[run]?.follow() }

    /// Cancels the task of a run.
    func cancel(_ run: Name) { runs[run]?.cancel() }

    /// Drops the context of a suspended run that has ended.
    func dropRest(of run: Name) { resting[run] = nil }

    /// Starts the task of one cycle of a monitor; the core orders the next cycle only after this one has ended.
    func runCycle(of monitor: Int, for causes: MonitorCauses, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        let cycle: @Sendable () async -> Void = { [self] in
            // The standing is reported again, because the exclusion may have begun after the core ordered the cycle.
            if orchestrator.isExcluded { reportStanding(of: monitor, on: loop) }
            // The call throws only if the task was cancelled. That happens only when the worker closes, and then nobody
            // waits for the end of the cycle.
            let outcome = await ExecutionGate.$current.withValue(loop.gate) {
                try? await orchestrator.nextCycle(with: causes)
            }
            guard let outcome else { return }
            loop.post(.cycleEnded(monitor: monitor, outcome))
        }
        guard let cycleExecutor else { return cycles[monitor] = Task(operation: cycle) }
        cycles[monitor] = Task(executorPreference: cycleExecutor) {
            await MonitorExecutor.$preferred.withValue(cycleExecutor) {
                await Activity.$current.withValue(.cycle(monitor: monitor)) { await cycle() }
            }
        }
    }

    /// Cancels the overdue cycle of a monitor; the cycle continues until its code notices the cancellation.
    func cancelCycle(of monitor: Int) { monitors[monitor].orchestrator.cancelCycle() }

    /// Sets the current screen of a monitor; nil clears it.
    func show(_ screen: String?, to monitor: Int) {
        if screen == nil { shown.remove(monitor) } else { shown.insert(monitor) }
        monitors[monitor].orchestrator.updateCurrentScreen(screen)
    }

    /// Keeps a monitor from beginning cycles, or allows it again.
    func setPaused(_ isPaused: Bool, _ monitor: Int) {
        if isPaused { paused.insert(monitor) } else { paused.remove(monitor) }
        monitors[monitor].orchestrator.setPaused(isPaused)
    }

    /// Reports the standing of each monitor to the core, now and after each change.
    ///
    /// The reports include changes that the worker did not cause, for example if the process shows a screen itself.
    func observeMonitors(on loop: any WorkSupervisor) {
        for (monitor, hosted) in monitors.enumerated() {
            // A monitor may outlive the worker, so the monitor must not retain the worker.
            let stop = hosted.orchestrator.observeStanding { [weak self, weak loop] in
                if let self, let loop { reportStanding(of: monitor, on: loop) }
            }
            stopObserving.append(stop)
            let requests = hosted.orchestrator.registered.compactMap { $0 as? RequestMonitorAction }
            for action in requests { action.connect(to: MonitorRequests(monitor: monitor, loop: loop).request) }
            stopObserving.append { for action in requests { action.connect(to: nil) } }
            reportStanding(of: monitor, on: loop)
        }
    }

    /// Reports the monitor's standing to the core.
    ///
    /// The core's thread reads the standing, so the last report is never older than the last change.
    private func reportStanding(of monitor: Int, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        loop.post { .standingChanged(monitor: monitor, orchestrator.standing) }
    }

    /// Cancels all tasks and ends all modes and pauses, because the worker closes.
    ///
    /// - Parameter hasDied: Whether the worker was killed. If so, its runs are not cancelled, because the code of a
    ///   killed worker's run must not react any more.
    func cancelAll(hasDied: Bool = false) {
        for stop in stopObserving { stop() }
        stopObserving = []
        if !hasDied { for task in runs.values { task.cancel() } }
        for (monitor, task) in cycles {
            task.cancel()
            monitors[monitor].orchestrator.cancelCycle()
        }
        // Otherwise nothing would end these modes and pauses. A cycle that they hold back must not begin now.
        for monitor in shown.union(paused) { monitors[monitor].orchestrator.dropHeldBackCycle() }
        for monitor in shown { monitors[monitor].orchestrator.updateCurrentScreen(nil) }
        for monitor in paused { monitors[monitor].orchestrator.setPaused(false) }
        (shown, paused) = ([], [])
    }
}

// This class is Sendable because only the worker's loop, on the reactor thread, uses the mutable state.
extension HostedWork: @unchecked Sendable {}
