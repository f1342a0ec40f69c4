public import Logging
public import Observation

/// Evaluates its actions' conditions again and again, and executes the actions whose condition holds.
///
/// ```swift
/// struct TermsExpiredAction: MonitorAction {
///     let id: ActionID = "terms-expired"
///     let priority: ActionPriority = .critical
///     func shouldRun() async -> Bool { false }
///     func execute() async {}
/// }
///
/// let monitor = MonitorOrchestrator(interval: 300)
/// monitor.register(TermsExpiredAction())
/// monitor.start()
/// await monitor.reevaluate()
/// monitor.stop()
/// ```
///
/// One such evaluation is a *cycle*; cycles of one monitor never overlap. A cycle is caused by a tick of the interval,
/// by ``reevaluate()`` or by ``nextCycle()``. While a cycle is running, a tick and ``reevaluate()`` do nothing, but a
/// call of ``nextCycle()`` gets the next cycle.
@MainActor
open class MonitorOrchestrator: Observable {
    private nonisolated let core: MonitorCore
    /// The time between two ticks; nil for a monitor that does not tick.
    package nonisolated let interval: Duration?
    private nonisolated let clock: any Clock<Duration>

    /// Makes a monitor without actions; it logs under `forge.monitor`, and its ticks follow the continuous clock.
    ///
    /// Use this initializer from a subclass's `override init(interval:)`, or as the function
    /// `MonitorOrchestrator.init`.
    ///
    /// - Parameter interval: The seconds between two ticks, as for
    ///   ``init(interval:logger:clock:)-(Double?,_,_)``.
    @_disfavoredOverload  // A call selects the nonisolated initializer.
    public init(interval: Double? = nil) {
        let logger = Logger(label: "forge.monitor")
        self.interval = MonitorLoop.interval(ofSeconds: interval, logger)
        self.core = MonitorCore(logger: logger, clock: ContinuousClock())
        self.clock = ContinuousClock()
    }

    /// Makes a monitor without actions.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two ticks; `nil` for a monitor that does not tick. Values below 1 ms,
    ///     including zero and negative ones, become 1 ms; values above 100 years become 100 years. NaN counts as `nil`
    ///     and logs a warning.
    ///   - logger: The logger for warnings, for instance about actions that failed in a tick.
    ///   - clock: The clock that measures the ticks, the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function is the other initializer.
        interval: Double? = nil,
        logger: Logger = Logger(label: "forge.monitor"),
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.interval = MonitorLoop.interval(ofSeconds: interval, logger)
        self.core = MonitorCore(logger: logger, clock: clock)
        self.clock = clock
    }

    /// Makes a monitor without actions.
    ///
    /// - Parameters:
    ///   - interval: The time between two ticks. Values below 1 ms, including zero and negative ones, become 1 ms;
    ///     values above 100 years become 100 years.
    ///   - logger: The logger for warnings, for instance about actions that failed in a tick.
    ///   - clock: The clock that measures the ticks, the conditions and the times in reports.
    public nonisolated init<C: Clock>(
        interval: Duration,
        logger: Logger = Logger(label: "forge.monitor"),
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.interval = MonitorLoop.interval(interval)
        self.core = MonitorCore(logger: logger, clock: clock)
        self.clock = clock
    }

    deinit {
        core.stopLoop()
    }

    /// Whether a cycle is running.
    public var isProcessing: Bool { core.board.isProcessing }

    /// The id of the action that is executing now, or nil.
    public var currentActionId: ActionID? { core.board.currentActionID }

    /// The number of actions whose condition held in the current or latest cycle.
    public var eligibleCount: Int { core.board.eligibleCount }

    /// How many actions have ended in the current or latest cycle.
    public var completedCount: Int { core.board.completedCount }

    /// The progress of the current or latest cycle as one value, with each action's result.
    ///
    /// The property may be read from any thread. Observers are notified of changes on the main actor.
    public nonisolated var progress: OrchestratorProgress { core.board.progress }

    /// A new `AsyncSequence` of the events of all cycles from now on; each access returns an independent one.
    public nonisolated var events: OrchestratorEvents { core.board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any MonitorAction] { core.registry.all.map(\.action) }

    /// Whether the current screen is an excluded screen, or a host such as a worker has paused the monitor.
    ///
    /// While this is true, no cycle starts.
    public nonisolated var isExcluded: Bool { core.isExcluded }

    /// Adds an action.
    ///
    /// If the action's id is already registered, the monitor keeps the first action and logs a warning.
    ///
    /// A running cycle is not affected.
    open nonisolated func register(_ action: any MonitorAction) {
        core.registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(MonitorAction)`` does.
    open nonisolated func register(_ actions: [any MonitorAction]) {
        for action in actions { register(action) }
    }

    /// Removes the action registered under an id.
    ///
    /// A running cycle finishes with the actions it began with; later cycles run with the actions that are left.
    /// Another action may then be registered under the id.
    ///
    /// - Returns: Whether an action was registered under the id.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        core.registry.remove(id) != nil
    }

    /// Removes all actions.
    ///
    /// Callers of ``nextCycle()`` whose cycle has not started get ``MonitorOutcome/stopped``. A running cycle finishes
    /// with the actions it began with. The interval loop continues; ``stop()`` ends it.
    open nonisolated func removeAll() {
        core.removeAll()
    }

    /// Starts the interval loop, which calls ``reevaluate()`` once per interval.
    ///
    /// The first call comes one interval from now. A loop that is already running is stopped as by ``stop()``, so the
    /// interval begins again. The method does nothing if the monitor has no interval.
    ///
    /// The loop does not keep the monitor alive.
    open nonisolated func start() {
        guard let interval else { return }
        core.restartLoop { MonitorLoop.start(every: interval, on: clock, self) }
    }

    /// Ends the interval loop, and cancels the task of a running tick.
    ///
    /// The tick's cycle still executes every eligible action; each action can check for the cancellation itself. A
    /// cycle caused by ``reevaluate()`` or ``nextCycle()`` is not cancelled. Safe to call any number of times.
    open nonisolated func stop() {
        core.stopLoop()
    }

    /// Runs one cycle and returns when the cycle is over.
    ///
    /// If a cycle is running, or ``isExcluded`` is true, the call returns immediately and runs no cycle. So callers
    /// need no debouncing: if code on the main actor starts several tasks that call this method, and does not suspend
    /// in between, only one cycle runs.
    ///
    /// The cycle begins before the call first suspends. From then on ``isProcessing`` is true, and actions that are
    /// registered later do not take part in the cycle.
    ///
    /// If no cycle is running, but ``nextCycle()`` has requested one, the call begins that cycle and waits for it. Use
    /// ``nextCycle()`` if a request must not be lost.
    open func reevaluate() async {
        await core.reevaluate()
    }

    /// Requests a cycle that starts after this call, and waits until the cycle is over.
    ///
    /// A cycle starts when its first condition is evaluated. Callers can share a cycle: all calls that come while a
    /// cycle is running get the same next cycle. While ``isExcluded`` is true, the callers wait; when it becomes false,
    /// one cycle serves all of them.
    ///
    /// - Important: Don't call this method from an action or a condition of the same monitor: the new cycle cannot
    ///   begin before the running cycle has ended, so both cycles would wait forever.
    /// - Returns: The cycle, or ``MonitorOutcome/stopped`` if ``removeAll()`` was called before the cycle started.
    /// - Throws: `CancellationError` if the task is cancelled before the cycle has ended. The cycle still runs.
    public nonisolated func nextCycle() async throws(CancellationError) -> MonitorOutcome {
        guard let outcome = await core.nextCycle() else { throw CancellationError() }
        return outcome
    }

    /// Replaces the set of excluded screens: no cycle starts while one of them is the current screen.
    open nonisolated func setExcludedScreens(_ screens: Set<String>) {
        core.exclude(screens)
    }

    /// Sets the current screen, or `nil` if no screen is showing.
    ///
    /// The call causes no cycle, with one exception: if it ends an exclusion and callers of ``nextCycle()`` are
    /// waiting, their cycle starts.
    open nonisolated func updateCurrentScreen(_ screen: String?) {
        core.show(screen)
    }
}

/// Methods for a host that gives cycles a time limit, and decides itself when a cycle begins.
extension MonitorOrchestrator {
    /// Requests a cycle as ``nextCycle()`` does, and attaches a value to the request.
    ///
    /// - Parameter baggage: A value that the conditions and actions of the cycle can read from ``MonitorBaggage``,
    ///   along with the values of the other requests that the cycle serves.
    /// - Returns: The outcome of the request.
    /// - Throws: `CancellationError` if the task is cancelled before the cycle has ended.
    package nonisolated func nextCycle(with baggage: any Sendable) async throws(CancellationError) -> MonitorOutcome {
        guard let outcome = await core.nextCycle(with: baggage) else { throw CancellationError() }
        return outcome
    }

    /// Cancels the task of the latest cycle that ``nextCycle()`` requested; its actions can check for the cancellation.
    ///
    /// Only a host may call this method: when it closes, or when its time limit for a cycle has passed. Several
    /// callers can share the cycle, so one of them must not cancel it for the others.
    package nonisolated func cancelCycle() {
        core.cancelCycle()
    }

    /// Begins or ends a pause; during a pause no cycle starts, as while an excluded screen shows.
    package nonisolated func setPaused(_ isPaused: Bool) { core.setPaused(isPaused) }

    /// Drops the requested cycle that an exclusion keeps from starting, if no caller waits for the cycle any more.
    ///
    /// The host calls this method before it ends the exclusion.
    package nonisolated func dropHeldBackCycle() { core.dropHeldBackCycle() }

    /// Whether an excluded screen is showing or the monitor is paused, and whether this keeps a requested cycle from
    /// starting.
    package nonisolated var standing: MonitorStanding { core.standing }

    /// Calls `changed` after each change of ``standing``, on the thread that made the change.
    ///
    /// Calls for two quick changes may come in any order, so read ``standing`` for the current value.
    ///
    /// - Returns: A function that ends the observation.
    package nonisolated func observeStanding(_ changed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = core.observe(changed)
        return { [core] in core.stopObserving(number) }
    }
}
