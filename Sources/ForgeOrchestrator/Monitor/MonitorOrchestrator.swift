public import Logging
public import Observation

/// Asks its actions again and again, and executes those whose condition holds.
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
/// There are three ways to a cycle: a tick of the interval, ``reevaluate()``, which does nothing while a cycle is under
/// way, and ``nextCycle()``, whose trigger is never lost. Cycles of one monitor never overlap.
@MainActor
open class MonitorOrchestrator: Observable {
    private nonisolated let core: MonitorCore
    private nonisolated let interval: Duration?
    private nonisolated let clock: any Clock<Duration>

    /// Makes a monitor without actions that logs under `forge.monitor` and ticks on the continuous clock.
    ///
    /// For subclasses, whose `override init(interval:)` belongs to the main actor, and for `MonitorOrchestrator.init` as a
    /// function.
    ///
    /// - Parameter interval: The seconds between two ticks, as for
    ///   ``init(interval:logger:clock:)-(Double?,_,_)``.
    @_disfavoredOverload  // A call means the one that is bound to no actor.
    public init(interval: Double? = nil) {
        let logger = Logger(label: "forge.monitor")
        self.interval = MonitorLoop.interval(ofSeconds: interval, logger)
        self.core = MonitorCore(logger: logger, clock: ContinuousClock())
        self.clock = ContinuousClock()
    }

    /// Makes a monitor without actions.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two ticks; `nil` for a monitor that is only asked on demand. Less than a
    ///     millisecond, zero and negative numbers too, count as a millisecond, and more than 100 years as 100 years.
    ///     What is not a number counts as `nil`, and a warning is logged.
    ///   - logger: Where warnings go, for instance about actions that failed in a tick.
    ///   - clock: What measures the ticks, the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function cannot mean this one.
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
    ///   - interval: The time between two ticks, at least a millisecond: what is shorter, zero and negative too, counts
    ///     as one. More than 100 years counts as 100 years.
    ///   - logger: Where warnings go, for instance about actions that failed in a tick.
    ///   - clock: What measures the ticks, the conditions and the times in reports.
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

    /// The action that is executing now, if one is.
    public var currentActionId: ActionID? { core.board.currentActionID }

    /// How many actions passed their condition in the current or latest cycle.
    public var eligibleCount: Int { core.board.eligibleCount }

    /// How many actions have ended in the current or latest cycle.
    public var completedCount: Int { core.board.completedCount }

    /// The progress of the current or latest cycle as one value, with each action's result.
    ///
    /// It may be read from any thread; its changes are observed on the main actor, as those of the properties above.
    public nonisolated var progress: OrchestratorProgress { core.board.progress }

    /// The steps of all cycles from now on; every access makes a new reader.
    public nonisolated var events: OrchestratorEvents { core.board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any MonitorAction] { core.registry.all.map(\.action) }

    /// Whether the current screen is excluded, so that no cycle starts.
    public nonisolated var isExcluded: Bool { core.isExcluded }

    /// Adds an action.
    ///
    /// If its id is registered already, the first action is kept and a warning logged.
    ///
    /// A running cycle is not affected.
    open nonisolated func register(_ action: any MonitorAction) {
        core.registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(MonitorAction)`` does.
    open nonisolated func register(_ actions: [any MonitorAction]) {
        for action in actions { register(action) }
    }

    /// Forgets the action registered under an id.
    ///
    /// A running cycle finishes with the actions it began with. Callers of ``nextCycle()`` get a cycle of the others.
    ///
    /// - Returns: Whether there was one. The id is free then.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        core.registry.remove(id) != nil
    }

    /// Forgets all actions, and answers ``MonitorOutcome/stopped`` to everyone whose cycle has not started.
    ///
    /// A running cycle finishes with the actions it began with. The interval loop goes on; see ``stop()``.
    open nonisolated func removeAll() {
        core.removeAll()
    }

    /// Begins the interval loop: from now on a tick calls ``reevaluate()`` every interval, the first one interval from
    /// now.
    ///
    /// A loop that runs already ends, as by ``stop()``: the interval begins anew. Does nothing if there is no interval.
    ///
    /// The loop does not keep the monitor alive.
    open nonisolated func start() {
        guard let interval else { return }
        core.restartLoop { MonitorLoop.start(every: interval, on: clock, self) }
    }

    /// Ends the interval loop, and cancels the actions of a tick that is under way.
    ///
    /// Its cycle still executes every eligible action: each sees the cancellation and decides itself. A cycle that came
    /// from ``reevaluate()`` or ``nextCycle()`` is not cancelled. Safe to call any number of times.
    open nonisolated func stop() {
        core.stopLoop()
    }

    /// Runs one cycle and returns when it is over.
    ///
    /// Returns at once, and does nothing, while a cycle is under way or the current screen is excluded. So triggers need
    /// no debouncing: any number of calls from one job on the main actor run one cycle. The cycle has begun when this
    /// first suspends: ``isProcessing`` is true, and it runs with the actions that were registered by then.
    ///
    /// A cycle that ``nextCycle()`` asked for and that has not begun is as good: it begins now, and this returns when it
    /// is over. Callers whose trigger must not be lost use ``nextCycle()``.
    open func reevaluate() async {
        await core.reevaluate()
    }

    /// Waits for a cycle that starts after this call, and causes it.
    ///
    /// A cycle starts when its conditions are first asked. Any number of callers share one cycle; however many call
    /// while one runs, exactly one more follows it. While the current screen is excluded the callers wait, and one
    /// cycle serves them when the exclusion lifts.
    ///
    /// - Important: An action or a condition of this monitor must not wait here: the cycle it asks for cannot begin
    ///   before the one that it is part of has ended, so that both would wait for ever.
    /// - Returns: The cycle, or ``MonitorOutcome/stopped`` if ``removeAll()`` was called before it started.
    /// - Throws: `CancellationError` when the task was cancelled before the cycle ended. The cycle runs all the same.
    public nonisolated func nextCycle() async throws(CancellationError) -> MonitorOutcome {
        guard let outcome = await core.nextCycle() else { throw CancellationError() }
        return outcome
    }

    /// Names the screens during which no cycle starts.
    open nonisolated func setExcludedScreens(_ screens: Set<String>) {
        core.exclude(screens)
    }

    /// Says which screen is showing; `nil` when none is.
    ///
    /// This by itself causes no cycle, with one exception: when it ends an exclusion and callers of ``nextCycle()``
    /// wait, their cycle starts.
    open nonisolated func updateCurrentScreen(_ screen: String?) {
        core.show(screen)
    }
}

/// For a host that gives cycles a time limit, and decides itself when one begins.
extension MonitorOrchestrator {
    /// Waits for a cycle as ``nextCycle()`` does, and gives it something on its way.
    ///
    /// - Parameter baggage: What the conditions and actions of the cycle find in ``MonitorBaggage``, beside that of the
    ///   others whom the cycle covers.
    /// - Returns: How it ended.
    /// - Throws: `CancellationError` when the task was cancelled first.
    package nonisolated func nextCycle(with baggage: any Sendable) async throws(CancellationError) -> MonitorOutcome {
        guard let outcome = await core.nextCycle(with: baggage) else { throw CancellationError() }
        return outcome
    }

    /// Cancels the cycle under way that somebody waited for with ``nextCycle()``: its actions see the cancellation.
    ///
    /// For a host that closes, or whose time limit for a cycle has passed. Everybody else lets a cycle finish: it may be
    /// shared with callers that are not theirs.
    package nonisolated func cancelCycle() {
        core.cancelCycle()
    }

    /// The clock of the interval; nil where there is none.
    package nonisolated var intervalClock: (any Clock<Duration>)? { interval == nil ? nil : clock }

    /// Whether the interval loop runs.
    package nonisolated var isTicking: Bool { core.hasLoop }

    /// Whether cycles may begin now.
    package nonisolated var standing: MonitorStanding { core.standing }

    /// Calls `changed` whenever ``standing`` has changed, on whatever thread changed it.
    ///
    /// Two changes soon after one another may be told in any order: look at ``standing`` then.
    ///
    /// - Returns: What ends it.
    package nonisolated func observeStanding(_ changed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = core.observe(changed)
        return { [core] in core.stopObserving(number) }
    }
}
