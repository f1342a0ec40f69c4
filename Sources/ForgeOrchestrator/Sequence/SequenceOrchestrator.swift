public import Logging
public import Observation

/// Runs actions once, one after the other, in priority order: for instance the checks at the start of an application.
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
/// Conditions and actions run off the main actor unless they are isolated to it. The observable properties belong to
/// the main actor and always show the latest state. Observers may get one notice for several changes; they are notified
/// of the final state before ``evaluate()`` returns.
@MainActor
open class SequenceOrchestrator: Observable {
    private nonisolated let registry: Registry<any SequenceAction>
    private nonisolated let logger: Logger
    private nonisolated let board = ProgressBoard()
    private nonisolated let clock: any Clock<Duration>

    /// Makes an orchestrator without actions; it logs under `forge.sequence`.
    ///
    /// Use this initializer from a subclass's `override init()`, or as the function `SequenceOrchestrator.init`.
    @_disfavoredOverload  // A call selects the nonisolated initializer.
    public init() {
        logger = Logger(label: "forge.sequence")
        registry = Registry(logger: logger)
        clock = ContinuousClock()
    }

    /// Makes an orchestrator without actions.
    ///
    /// - Parameters:
    ///   - logger: The logger for warnings, for instance about an action that failed.
    ///   - clock: The clock that measures the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function is the other initializer.
        logger: Logger = Logger(label: "forge.sequence"),
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.registry = Registry(logger: logger)
        self.logger = logger
        self.clock = clock
    }

    /// Whether an evaluation is running.
    public var isProcessing: Bool { board.isProcessing }

    /// The id of the action that is executing now, or nil.
    public var currentActionId: ActionID? { board.currentActionID }

    /// The number of actions whose condition held in the current or latest evaluation.
    public var eligibleCount: Int { board.eligibleCount }

    /// How many actions have finished in the current or latest evaluation.
    public var completedCount: Int { board.completedCount }

    /// The progress of the current or latest evaluation as one value, with each action's result.
    ///
    /// The property may be read from any thread. Observers are notified of changes on the main actor.
    public nonisolated var progress: OrchestratorProgress { board.progress }

    /// A new `AsyncSequence` of the events of all evaluations from now on; each access returns an independent one.
    public nonisolated var events: OrchestratorEvents { board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any SequenceAction] { registry.all.map(\.action) }

    /// Adds an action.
    ///
    /// If the action's id is already registered, the orchestrator keeps the first action and logs a warning.
    ///
    /// A running evaluation is not affected.
    open nonisolated func register(_ action: any SequenceAction) {
        registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(SequenceAction)`` does.
    open nonisolated func register(_ actions: [any SequenceAction]) {
        for action in actions { register(action) }
    }

    /// Removes the action registered under an id.
    ///
    /// A running evaluation finishes with the actions it began with. Another action may then be registered under the
    /// id.
    ///
    /// - Returns: Whether an action was registered under the id.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        registry.remove(id) != nil
    }

    /// Removes all actions.
    ///
    /// A running evaluation finishes with the actions it began with.
    open nonisolated func removeAll() {
        registry.removeAll()
    }

    /// Evaluates all conditions concurrently, then executes the actions whose condition holds, one at a time.
    ///
    /// While an evaluation is running, another call returns an empty array immediately. If the calling task is
    /// cancelled, further actions still start; each action can check for the cancellation itself.
    ///
    /// - Returns: The ids of the actions that ran, in order, including those that failed (see ``FallibleAction``).
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
        reports.warn("sequence action failed; the other actions are executed nevertheless", logger)
        return ids
    }
}

/// The steps of an evaluation that are special to sequences.
private struct SequenceWork: Work {
    func priority(of action: any SequenceAction) -> ActionPriority { action.priority }
    nonisolated(nonsending) func shouldRun(_ action: any SequenceAction) async -> Bool { await action.shouldRun() }

    nonisolated(nonsending) func execute(_ next: Registration<any SequenceAction>) async -> ActionResult? {
        if let fallible = next.fallible { return await fallible.result() }
        await next.action.execute()
        return .completed
    }
}
