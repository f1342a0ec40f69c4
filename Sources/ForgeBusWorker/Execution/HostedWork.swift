import ForgeBusProtocol
import ForgeOrchestrator

/// The runs and cycles that are under way: each is a task on Swift's pool, and its end comes back as an event.
///
/// Owned by the reactor thread. The tasks are not children of one task: the core knows each of them, a drain waits for
/// each end, and ``cancelAll()`` reaches those that are left.
final class HostedWork {
    private let pipelines: [PipelineName: HostedPipeline]
    private let monitors: [HostedMonitor]
    private var runs: [RunID: RunTask] = [:]
    /// What runs hold that rest.
    private var resting: [RunID: PipelineContext] = [:]
    private let keepsValues: Bool
    private let starter = RunStarter(width: RunStarter.poolWidth)
    private var cycles: [Int: Task<Void, Never>] = [:]
    /// The monitors to which a mode shows a screen.
    private var shown: Set<Int> = []
    private var stopObserving: [@Sendable () -> Void] = []

    init(_ configuration: CoreConfiguration) {
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        monitors = configuration.monitors
        keepsValues = configuration.keepsRecords
    }

    /// How many runs have a task.
    var tasks: Int { runs.count }

    /// Takes up a run of a pipeline, with a context of its own.
    func start(_ start: RunStart, on loop: any WorkSupervisor) {
        guard let pipeline = pipelines[start.pipeline] else { fatalError("A run of a pipeline that is not hosted.") }
        let rested = start.resumption == nil ? nil : resting.removeValue(forKey: start.run)
        let task = RunTask()
        runs[start.run] = task
        if start.resumption?.isOver == true { task.cancel() }
        starter.begin { [keepsValues] in
            // Made where it is let go: memory that one thread takes and another gives back has both wait for it.
            let context = rested ?? Self.makeContext(start, pipeline, on: loop, keepsValues: keepsValues)
            guard let host = context.runHost else { fatalError("A context without its host.") }
            host.begin(start)
            task.adopt(context)
            let execution = RunExecution(start, pipeline, host, keepsValues: keepsValues)
            task.begin { await execution.run(in: context) }
        }
    }

    private static func makeContext(
        _ start: RunStart,
        _ pipeline: HostedPipeline,
        on loop: any WorkSupervisor,
        keepsValues: Bool
    ) -> PipelineContext {
        let context = PipelineContext(start.values)
        let age = start.began.map { Duration.milliseconds(max(0, WallClock.unixMilliseconds - $0)) }
        context.attach(RunHost(start.run, of: pipeline, on: loop, age: age))
        for value in start.resumption?.restored ?? [] {
            if let restored = value.restored { context.set(value.key, restored) } else { context.remove(value.key) }
        }
        if keepsValues { context.noteChanges() }
        return context
    }

    /// The task of a run is over: the run has ended, is given up or rests.
    func forget(_ run: RunID) { runs[run] = nil }

    /// Nothing of a run executes until it is started again.
    func rest(_ run: RunID) { resting[run] = runs.removeValue(forKey: run)?.context }

    /// The action of the run that is executing, if one is.
    func currentAction(of run: RunID) -> ActionID? { runs[run]?.context?.currentActionID }

    /// Has the task of a run tell its transitions from now on.
    func follow(_ run: RunID) { runs[run]?.follow() }

    /// Cancels the task of a run.
    func cancel(_ run: RunID) { runs[run]?.cancel() }

    /// A run that rested is over.
    func dropRest(of run: RunID) { resting[run] = nil }

    /// Runs a cycle of a monitor; one at a time, as the core orders them.
    func runCycle(of monitor: Int, for causes: MonitorCauses, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        cycles[monitor] = Task {
            // Told anew, because the exclusion may have begun after the cycle was ordered.
            if orchestrator.isExcluded { reportStanding(of: monitor, on: loop) }
            // Cancelled only when the worker closes, and then nobody waits for the end.
            guard let outcome = try? await orchestrator.nextCycle(with: causes) else { return }
            loop.post(.cycleEnded(monitor: monitor, outcome))
        }
    }

    /// Cancels the cycle of a monitor that has had its time; it goes on until it heeds that.
    func cancelCycle(of monitor: Int) { monitors[monitor].orchestrator.cancelCycle() }

    /// Tells a monitor which screen is showing.
    func show(_ screen: String?, to monitor: Int) {
        if screen == nil { shown.remove(monitor) } else { shown.insert(monitor) }
        monitors[monitor].orchestrator.updateCurrentScreen(screen)
    }

    /// From now on the core learns when an exclusion begins and lifts, whoever shows the screen.
    func observeMonitors(on loop: any WorkSupervisor) {
        for (monitor, hosted) in monitors.enumerated() {
            // A monitor outlives the worker, and does not keep it.
            let stop = hosted.orchestrator.observeStanding { [weak self, weak loop] in
                if let self, let loop { reportStanding(of: monitor, on: loop) }
            }
            stopObserving.append(stop)
            reportStanding(of: monitor, on: loop)
        }
    }

    /// Looks at the standing on the core's thread, so that the last look is at the last change.
    private func reportStanding(of monitor: Int, on loop: any WorkSupervisor) {
        let orchestrator = monitors[monitor].orchestrator
        loop.post { .standingChanged(monitor: monitor, orchestrator.standing) }
    }

    /// The worker closes.
    func cancelAll() {
        for stop in stopObserving { stop() }
        stopObserving = []
        for task in runs.values { task.cancel() }
        for (monitor, task) in cycles {
            task.cancel()
            monitors[monitor].orchestrator.cancelCycle()
        }
        // Nobody is left who would end these modes.
        for monitor in shown { monitors[monitor].orchestrator.updateCurrentScreen(nil) }
        shown = []
    }
}

// What changes is owned by the reactor thread: only the worker's loop touches it.
extension HostedWork: @unchecked Sendable {}
