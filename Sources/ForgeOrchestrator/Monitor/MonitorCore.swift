import ForgeLocks
import Logging

/// Runs the cycles of one monitor and resumes the callers that wait for them.
///
/// The core is an object of its own, so that a running cycle does not keep the orchestrator alive.
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

    var isExcluded: Bool { standing.isExcluded }

    var standing: MonitorStanding { state.withLock { $0.standing } }

    /// Runs a cycle and waits for its end; does nothing while a cycle is running or the monitor is excluded.
    ///
    /// If `nextCycle()` has requested a cycle that has not begun, this method begins that cycle. The cycle begins
    /// before the caller first suspends, with the actions that are registered then. If `nextCycle()` did not request
    /// the cycle, the cycle ends on the main actor.
    @MainActor func reevaluate() async {
        switch change({ $0.beginWelcomeCycle(with: registry.all) }) {
        case .never: return
        case .own(let cycle):
            showBeginning(of: cycle.number)
            let ended = MonitorCycle(number: cycle.number, actions: await evaluate(cycle))
            end(ended)
            ended.actions.warn("monitor action failed; the next cycle may execute it again", logger)
        case .ordered(let number, let cycle):
            showBeginning(of: number)
            await cycle.value
        }
        board.deliverNotices()
    }

    /// Requests a cycle that starts after this call, and waits for it.
    ///
    /// - Parameter baggage: A value that the cycle's conditions and actions can read from ``MonitorBaggage``.
    /// - Returns: The outcome of the request; nil if the task was cancelled before the cycle ended.
    func nextCycle(with baggage: (any Sendable)? = nil) async -> MonitorOutcome? {
        if Task.isCancelled { return nil }
        let number = state.withLock { $0.makeNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                LiveObjects.waiters.add()
                change { $0.wait(number, with: baggage, continuation) }
                // A cancellation that came before the waiter was stored has not resumed the waiter.
                if Task.isCancelled { abandon(number) }
            }
        } onCancel: {
            abandon(number)
        }
    }

    func exclude(_ screens: Set<String>) {
        change { $0.exclude(screens) }
    }

    func show(_ screen: String?) {
        change { $0.show(screen) }
    }

    func setPaused(_ isPaused: Bool) {
        change { $0.setPaused(isPaused) }
    }

    func dropHeldBackCycle() {
        change { $0.dropHeldBackCycle() }
    }

    func removeAll() {
        // One change removes the actions and drops the owed cycle, so that no cycle begins between these two steps. The
        // actions are released after the lock.
        let (_, waiters) = change { (registry.removeAll(), $0.empty()) }
        for waiter in waiters { resume(waiter, .stopped) }
    }

    /// Cancels the task of the latest cycle that `nextCycle()` requested, if that cycle has not ended.
    func cancelCycle() {
        state.withLock { $0.cycle }?.cancel()
    }

    /// Calls `changed` after every change of ``standing`` from now on; returns a number for `stopObserving`.
    func observe(_ changed: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            let number = state.makeNumber()
            state.observers[number] = changed
            return number
        }
    }

    func stopObserving(_ number: UInt64) {
        // The removed closure is released after the lock: an object that it holds may use this monitor in its `deinit`.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Starts a new interval loop and cancels the current one.
    func restartLoop(_ make: () -> Task<Void, Never>) {
        // The old loop is cancelled after the lock: an action's cancellation handler may use this monitor.
        state.withLock { exchange(&$0.loop, with: make()) }?.cancel()
    }

    func stopLoop() {
        state.withLock { exchange(&$0.loop, with: nil) }?.cancel()
    }
}

extension MonitorCore {
    /// Runs the cycle with this order number, and resumes the callers that the cycle serves.
    ///
    /// Does nothing if the cycle is no longer owed, or an exclusion keeps the cycle from starting.
    @concurrent private func runCycle(ofOrder order: Int) async {
        guard let cycle = change({ $0.beginCycle(ofOrder: order, with: registry.all) }) else { return }
        board.begin(cycle.number)
        end(MonitorCycle(number: cycle.number, actions: await evaluate(cycle)))
    }

    private func end(_ cycle: MonitorCycle) {
        board.end()
        for waiter in change({ $0.endCycle() }) { resume(waiter, .ran(cycle)) }
    }

    /// Records in the progress that a cycle has begun, and notifies the observers before the method returns.
    @MainActor private func showBeginning(of number: Int) {
        board.begin(number, tellsItself: false)
        board.deliverNotices()
    }

    @concurrent private func evaluate(_ cycle: MonitorState.BegunCycle) async -> [ActionReport] {
        // This task may have inherited the baggage of another monitor's cycle.
        guard !cycle.baggage.isEmpty || !MonitorBaggage.current.isEmpty else { return await evaluate(cycle.registered) }
        return await MonitorBaggage.$current.withValue(cycle.baggage) { await evaluate(cycle.registered) }
    }

    private func evaluate(_ registered: [Registration<any MonitorAction>]) async -> [ActionReport] {
        let engine = Engine(work: MonitorWork(), stopwatch: Stopwatch(clock))
        let eligible = await engine.eligible(among: registered)
        board.eligible(eligible.map(\.id))
        return await engine.execute(eligible, tell: board)
    }

    /// Changes the state, starts a task if the change ordered a cycle, and calls the observers if ``standing`` changed.
    private func change<Value: Sendable>(_ body: (inout MonitorState) -> Value) -> Value {
        let (value, observers) = state.withLock { state in
            let before = (standing: state.standing, orders: state.orders)
            let value = body(&state)
            // The cycle has a task of its own: callers share it, so it must not end when one of them is cancelled.
            if state.orders != before.orders {
                state.cycle = Task(executorPreference: MonitorExecutor.preferred) { [order = state.orders] in
                    _ = await self.runCycle(ofOrder: order)
                }
            }
            return (value, state.standing == before.standing ? [] : Array(state.observers.values))
        }
        for tell in observers { tell() }
        return value
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

/// The steps of an evaluation that are special to monitors.
private struct MonitorWork: Work {
    func priority(of action: any MonitorAction) -> ActionPriority { action.priority }
    nonisolated(nonsending) func shouldRun(_ action: any MonitorAction) async -> Bool { await action.shouldRun() }

    nonisolated(nonsending) func execute(_ next: Registration<any MonitorAction>) async -> ActionResult? {
        if let fallible = next.fallible { return await fallible.result() }
        await next.action.execute()
        return .completed
    }
}
