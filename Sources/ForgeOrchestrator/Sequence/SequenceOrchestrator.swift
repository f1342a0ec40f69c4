public import Logging
public import Observation

/// Runs actions once, one after the other, in priority order: the gates between start and open doors.
///
/// ```swift
/// struct MigrateAction: SequenceAction {
///     let id: ActionID = "migrate"
///     let priority: ActionPriority = .critical
///     func shouldRun() async -> Bool { true }
///     func execute() async {}
/// }
///
/// let orchestrator = SequenceOrchestrator()
/// orchestrator.register(MigrateAction())
/// let executed: [ActionID] = await orchestrator.evaluate()
/// ```
///
/// Conditions and actions run off the main actor unless they ask for it. The observable properties belong to the main
/// actor and always show the latest state; change notices are coalesced, and the final state has been told when
/// ``evaluate()`` returns.
@MainActor
open class SequenceOrchestrator: Observable {
    private nonisolated let registry: Registry<any SequenceAction>
    private nonisolated let logger: Logger
    private nonisolated let board = ProgressBoard()
    private nonisolated let clock: any Clock<Duration>

    /// Makes an orchestrator without actions that logs under `forge.sequence`.
    ///
    /// For subclasses, whose `override init()` belongs to the main actor, and for `SequenceOrchestrator.init` as a function.
    @_disfavoredOverload  // A call means the one that is bound to no actor.
    public init() {
        logger = Logger(label: "forge.sequence")
        registry = Registry(logger: logger)
        clock = ContinuousClock()
    }

    /// Makes an orchestrator without actions.
    ///
    /// - Parameters:
    ///   - logger: Where warnings go, for instance about an action that failed.
    ///   - clock: What measures the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function cannot mean this one.
        logger: Logger = Logger(label: "forge.sequence"),
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.registry = Registry(logger: logger)
        self.logger = logger
        self.clock = clock
    }

    /// Whether an evaluation is running.
    public var isProcessing: Bool { board.isProcessing }

    /// The action that is executing now, if one is.
    public var currentActionId: ActionID? { board.currentActionID }

    /// How many actions passed their condition in the current or latest evaluation.
    public var eligibleCount: Int { board.eligibleCount }

    /// How many actions have finished in the current or latest evaluation.
    public var completedCount: Int { board.completedCount }

    /// The progress of the current or latest evaluation as one value, with each action's result.
    ///
    /// It may be read from any thread; its changes are observed on the main actor, as those of the properties above.
    public nonisolated var progress: OrchestratorProgress { board.progress }

    /// The steps of all evaluations from now on; every access makes a new reader.
    public nonisolated var events: OrchestratorEvents { board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any SequenceAction] { registry.all.map(\.action) }

    /// Adds an action.
    ///
    /// If its id is registered already, the first action is kept and a warning logged.
    ///
    /// A running evaluation is not affected.
    open nonisolated func register(_ action: any SequenceAction) {
        registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(SequenceAction)`` does.
    open nonisolated func register(_ actions: [any SequenceAction]) {
        for action in actions { register(action) }
    }

    /// Forgets the action registered under an id.
    ///
    /// A running evaluation finishes with the actions it began with.
    ///
    /// - Returns: Whether there was one. The id is free then.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        registry.remove(id) != nil
    }

    /// Forgets all actions.
    ///
    /// A running evaluation finishes with the ones it began with.
    open nonisolated func removeAll() {
        registry.removeAll()
    }

    /// Asks all conditions concurrently, then executes the actions whose condition holds, one at a time.
    ///
    /// While one evaluation is running, another call returns an empty array at once. Cancelling the calling task does
    /// not keep further actions from starting; actions can see the cancellation and decide themselves.
    ///
    /// - Returns: The ids of the actions that ran, in order, also of those that failed: see ``FallibleAction``.
    @discardableResult
    open func evaluate() async -> [ActionID] {
        let registered = registry.all
        return await board.show { await evaluate(registered) } ?? []
    }

    @concurrent private nonisolated func evaluate(
        _ registered: [Registration<any SequenceAction>]
    ) async -> [ActionID] {
        let engine = Engine(work: SequenceWork(), stopwatch: Stopwatch(clock))
        let eligible = await engine.eligible(among: registered)
        let ids = eligible.map(\.id)
        board.eligible(ids)
        let reports = await engine.execute(eligible, tell: board)
        reports.warn("sequence action failed", logger)
        return ids
    }
}

/// What a sequence does with its actions.
private struct SequenceWork: Work {
    func priority(of action: any SequenceAction) -> ActionPriority { action.priority }
    nonisolated(nonsending) func shouldRun(_ action: any SequenceAction) async -> Bool { await action.shouldRun() }

    nonisolated(nonsending) func execute(_ next: Registration<any SequenceAction>) async -> ActionResult? {
        if let fallible = next.fallible { return await fallible.result() }
        await next.action.execute()
        return .completed
    }
}
