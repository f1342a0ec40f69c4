import Logging

/// Runs the cycles of one monitor and answers those who wait for them.
///
/// Apart from the orchestrator, so that a cycle under way does not need it to stay alive.
final class MonitorCore: Sendable {
    let registry: Registry<any MonitorAction>
    let board = ProgressBoard()
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Guarded(MonitorState())

    init(logger: Logger, clock: any Clock<Duration>) {
        self.registry = Registry(logger: logger)
        self.logger = logger
        self.clock = clock
    }

    var isExcluded: Bool { state.withLock { $0.debt.isExcluded } }

    /// Runs a cycle now, unless one is ordered or under way or the screen is excluded.
    @concurrent func runUnlessBusy() async {
        guard let cycle = await runCycle(isOrdered: false) else { return }
        // Nobody asked for the report of this cycle, so this is where a failure is told.
        for report in cycle.actions {
            guard case .failed(let reason) = report.result else { continue }
            logger.warning("monitor action failed", metadata: ["action": "\(report.id)", "reason": "\(reason)"])
        }
    }

    /// Waits for a cycle that starts after this call; `nil` when the task was cancelled first.
    func nextCycle() async -> MonitorOutcome? {
        if Task.isCancelled { return nil }
        let number = state.withLock { $0.makeWaiterNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                LiveObjects.waiters.add()
                perform(state.withLock { $0.wait(number, continuation) })
                // A cancellation before the waiter was in place found nobody to resume.
                if Task.isCancelled { abandon(number) }
            }
        } onCancel: {
            abandon(number)
        }
    }

    func exclude(_ screens: Set<String>) {
        perform(state.withLock { $0.exclude(screens) })
    }

    func show(_ screen: String?) {
        perform(state.withLock { $0.show(screen) })
    }

    func removeAll() {
        registry.removeAll()
        for waiter in state.withLock({ $0.empty() }) { resume(waiter, .stopped) }
    }

    /// Cancels the task of the cycle that was ordered last, if it is still under way.
    func cancelCycle() {
        state.withLock { $0.cycle }?.cancel()
    }

    /// Keeps the loop if there is none yet.
    func startLoop(_ make: () -> Task<Void, Never>) {
        state.withLock { state in
            if state.loop == nil { state.loop = make() }
        }
    }

    func stopLoop() {
        state.withLock { state in
            defer { state.loop = nil }
            return state.loop
        }?.cancel()
    }
}

extension MonitorCore {
    /// Runs one cycle, if one may begin now, and answers everyone it covered.
    @concurrent @discardableResult private func runCycle(isOrdered: Bool) async -> MonitorCycle? {
        guard let number = state.withLock({ $0.beginCycle(isOrdered: isOrdered) }) else { return nil }
        board.begin()
        let cycle = MonitorCycle(number: number, actions: await evaluateRegistered())
        board.end()
        let (covered, next) = state.withLock { $0.endCycle() }
        for waiter in covered { resume(waiter, .ran(cycle)) }
        perform(next)
        return cycle
    }

    private func evaluateRegistered() async -> [ActionReport] {
        let engine = Engine(work: MonitorWork(), stopwatch: Stopwatch(clock))
        let eligible = await engine.eligible(among: registry.all)
        board.eligible(eligible.map(\.id))
        return await engine.execute(eligible, tell: board)
    }

    private func perform(_ action: MonitorDebt.Action) {
        switch action {
        case .startCycle:
            // A task of its own: the cycle is shared, so it must not end with the task of one of those who wait for it.
            let cycle = Task { _ = await runCycle(isOrdered: true) }
            state.withLock { $0.cycle = cycle }
        case .none: return
        // Answers to events that are not asked through here.
        case .runCycle, .stopWaiting: return
        }
    }

    private func abandon(_ number: UInt64) {
        guard let waiter = state.withLock({ $0.abandon(number) }) else { return }
        resume(waiter, nil)
    }

    private func resume(_ waiter: MonitorState.Waiter, _ outcome: MonitorOutcome?) {
        LiveObjects.waiters.remove()
        waiter.continuation.resume(returning: outcome)
    }
}

/// What a monitor does with its actions.
private struct MonitorWork: Work {
    func priority(of action: any MonitorAction) -> ActionPriority { action.priority }
    func shouldRun(_ action: any MonitorAction) async -> Bool { await action.shouldRun() }
    func execute(_ action: any MonitorAction) async -> ActionResult { await action.run() }
}
