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
    ///
    /// - Parameter baggage: What the cycle's conditions and actions find in ``MonitorBaggage``.
    /// - Returns: How it ended; nil when the task was cancelled first.
    func nextCycle(with baggage: (any Sendable)? = nil) async -> MonitorOutcome? {
        if Task.isCancelled { return nil }
        let number = state.withLock { $0.makeNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                LiveObjects.waiters.add()
                perform(change { $0.wait(number, with: baggage, continuation) })
                // A cancellation before the waiter was in place found nobody to resume.
                if Task.isCancelled { abandon(number) }
            }
        } onCancel: {
            abandon(number)
        }
    }

    func exclude(_ screens: Set<String>) {
        perform(change { $0.exclude(screens) })
    }

    func show(_ screen: String?) {
        perform(change { $0.show(screen) })
    }

    func removeAll() {
        registry.removeAll()
        for waiter in change({ $0.empty() }) { resume(waiter, .stopped) }
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
        guard let (number, baggage) = change({ $0.beginCycle(isOrdered: isOrdered) }) else { return nil }
        board.begin()
        let cycle = MonitorCycle(number: number, actions: await evaluateRegistered(with: baggage))
        board.end()
        let (covered, next) = change { $0.endCycle() }
        for waiter in covered { resume(waiter, .ran(cycle)) }
        perform(next)
        return cycle
    }

    private func evaluateRegistered(with baggage: [any Sendable]) async -> [ActionReport] {
        // The task that happens to run this may be another cycle's, whose baggage is none of this one's.
        guard !baggage.isEmpty || !MonitorBaggage.current.isEmpty else { return await evaluateRegistered() }
        return await MonitorBaggage.$current.withValue(baggage) { await evaluateRegistered() }
    }

    private func evaluateRegistered() async -> [ActionReport] {
        let engine = Engine(work: MonitorWork(), stopwatch: Stopwatch(clock))
        let eligible = await engine.eligible(among: registry.all)
        board.eligible(eligible.map(\.id))
        return await engine.execute(eligible, tell: board)
    }

    /// Changes the state, and tells the observers afterwards if the standing changed with it.
    private func change<Value: Sendable>(_ body: (inout MonitorState) -> Value) -> Value {
        let (value, observers) = state.withLock { state in
            let before = state.standing
            let value = body(&state)
            return (value, state.standing == before ? [] : Array(state.observers.values))
        }
        for tell in observers { tell() }
        return value
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
    nonisolated(nonsending) func shouldRun(_ action: any MonitorAction) async -> Bool { await action.shouldRun() }
    nonisolated(nonsending) func execute(_ action: any MonitorAction) async -> ActionResult? { await action.run() }
}
