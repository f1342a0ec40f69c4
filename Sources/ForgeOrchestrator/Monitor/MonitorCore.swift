import ForgeLocks
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

    var isExcluded: Bool { standing.isExcluded }

    var standing: MonitorStanding { state.withLock { $0.standing } }

    /// Runs a cycle, or sees the one through that is ordered, unless one is under way or the screen is excluded.
    ///
    /// The cycle has begun, with the actions and the screen of this call, before the caller first suspends. It ends on
    /// the main actor: whoever is called there before it does finds it under way.
    @MainActor func reevaluate() async {
        switch change({ $0.beginWelcomeCycle(with: registry.all) }) {
        case .never: return
        case .own(let cycle):
            showBeginning(of: cycle.number)
            let ended = MonitorCycle(number: cycle.number, actions: await evaluate(cycle))
            end(ended)
            ended.actions.warn("monitor action failed", logger)
        case .ordered(let number, let cycle):
            showBeginning(of: number)
            await cycle.value
        }
        board.deliverNotices()
    }

    /// Waits for a cycle that starts after this call; `nil` when the task was cancelled first.
    ///
    /// - Parameter baggage: What the cycle's conditions and actions find in ``MonitorBaggage``.
    /// - Returns: How it ended; nil when the task was cancelled first.
    func nextCycle(with baggage: (any Sendable)? = nil) async -> MonitorOutcome? {
        if Task.isCancelled { return nil }
        let number = state.withLock { $0.makeNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                LiveObjects.waiters.add()
                change { $0.wait(number, with: baggage, continuation) }
                // A cancellation before the waiter was in place found nobody to resume.
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

    func removeAll() {
        // Together: a cycle has begun before, and runs its actions, or does not begin. They are released behind the lock.
        let (_, waiters) = change { (registry.removeAll(), $0.empty()) }
        for waiter in waiters { resume(waiter, .stopped) }
    }

    /// Cancels the task of the cycle that was ordered last, if it is still under way.
    func cancelCycle() {
        state.withLock { $0.cycle }?.cancel()
    }

    /// Tells every change of ``standing`` from now on.
    func observe(_ changed: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            let number = state.makeNumber()
            state.observers[number] = changed
            return number
        }
    }

    func stopObserving(_ number: UInt64) {
        // What the observer holds is released after the lock, because its `deinit` may come back here.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Keeps the loop that is made, in place of the one there is.
    func restartLoop(_ make: () -> Task<Void, Never>) {
        // Cancelled behind the lock: what an action does then may come back here.
        state.withLock { exchange(&$0.loop, with: make()) }?.cancel()
    }

    var hasLoop: Bool { state.withLock { $0.loop != nil } }

    func stopLoop() {
        state.withLock { exchange(&$0.loop, with: nil) }?.cancel()
    }
}

extension MonitorCore {
    /// Runs the cycle of an order, if it may begin or has begun, and answers everyone it covered.
    @concurrent private func runCycle(ofOrder order: Int) async {
        guard let cycle = change({ $0.beginCycle(ofOrder: order, with: registry.all) }) else { return }
        board.begin(cycle.number)
        end(MonitorCycle(number: cycle.number, actions: await evaluate(cycle)))
    }

    private func end(_ cycle: MonitorCycle) {
        board.end()
        for waiter in change({ $0.endCycle() }) { resume(waiter, .ran(cycle)) }
    }

    /// Tells who watches before anything else can happen on the main actor.
    @MainActor private func showBeginning(of number: Int) {
        board.begin(number, tellsItself: false)
        board.deliverNotices()
    }

    @concurrent private func evaluate(_ cycle: MonitorState.BegunCycle) async -> [ActionReport] {
        // The task that happens to run this may be another cycle's, whose baggage is none of this one's.
        guard !cycle.baggage.isEmpty || !MonitorBaggage.current.isEmpty else { return await evaluate(cycle.registered) }
        return await MonitorBaggage.$current.withValue(cycle.baggage) { await evaluate(cycle.registered) }
    }

    private func evaluate(_ registered: [Registration<any MonitorAction>]) async -> [ActionReport] {
        let engine = Engine(work: MonitorWork(), stopwatch: Stopwatch(clock))
        let eligible = await engine.eligible(among: registered)
        board.eligible(eligible.map(\.id))
        return await engine.execute(eligible, tell: board)
    }

    /// Changes the state, begins the cycle that is ordered with it, and tells the observers afterwards if the standing
    /// changed.
    private func change<Value: Sendable>(_ body: (inout MonitorState) -> Value) -> Value {
        let (value, observers) = state.withLock { state in
            let before = (standing: state.standing, orders: state.orders)
            let value = body(&state)
            // A task of its own: the cycle is shared, so it must not end with the task of one of those who wait for it.
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

/// What a monitor does with its actions.
private struct MonitorWork: Work {
    func priority(of action: any MonitorAction) -> ActionPriority { action.priority }
    nonisolated(nonsending) func shouldRun(_ action: any MonitorAction) async -> Bool { await action.shouldRun() }

    nonisolated(nonsending) func execute(_ next: Registration<any MonitorAction>) async -> ActionResult? {
        if let fallible = next.fallible { return await fallible.result() }
        await next.action.execute()
        return .completed
    }
}
