public import Logging
public import Observation

/// Runs actions one after the other with a shared context, and reports how each ended.
///
/// ```swift
/// struct CountAction: PipelineAction {
///     let id: ActionID = "count"
///     let priority: ActionPriority = .high
///     func shouldRun() async -> Bool { true }
///     func execute(context: PipelineContext) async -> ActionResult {
///         context.set("count", 42)
///         return .completed
///     }
/// }
///
/// let pipeline = PipelineOrchestrator()
/// pipeline.register(CountAction())
/// let results: [ActionResult] = await pipeline.evaluate()
/// ```
///
/// A failed action does not stop the pipeline. If an action may execute only after another action has completed, list
/// the other action in ``PipelineAction/requires``. Use ``evaluate()`` for one evaluation at a time with observable
/// progress, and ``run(context:resuming:onTransition:)`` for any number of concurrent runs, each with its own context.
@MainActor
open class PipelineOrchestrator: Observable {
    nonisolated let registry: Registry<any PipelineAction>
    private nonisolated let board = ProgressBoard()
    nonisolated let logger: Logger
    nonisolated let clock: any Clock<Duration>

    /// Makes an orchestrator without actions; it logs under `forge.pipeline`.
    ///
    /// Use this initializer from a subclass's `override init()`, or as the function `PipelineOrchestrator.init`.
    @_disfavoredOverload  // A call selects the nonisolated initializer.
    public init() {
        logger = Logger(label: "forge.pipeline")
        registry = Registry(logger: logger)
        clock = ContinuousClock()
    }

    /// Makes an orchestrator without actions.
    ///
    /// - Parameters:
    ///   - logger: The logger for warnings, for instance about a required action that is not registered.
    ///   - clock: The clock that measures the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function is the other initializer.
        logger: Logger = Logger(label: "forge.pipeline"),
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

    /// How many actions have ended in the current or latest evaluation.
    public var completedCount: Int { board.completedCount }

    /// The results of the actions that have ended in the current or latest evaluation, in the order of execution.
    public var results: [ActionResult] { board.results }

    /// The progress of the current or latest evaluation as one value, with each action's result.
    ///
    /// The property may be read from any thread. Observers are notified of changes on the main actor.
    public nonisolated var progress: OrchestratorProgress { board.progress }

    /// A new `AsyncSequence` of the events of all evaluations from now on; each access returns an independent one.
    ///
    /// It does not contain the events of runs: ``run(context:resuming:onTransition:)`` reports those to its closure.
    public nonisolated var events: OrchestratorEvents { board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any PipelineAction] { registry.all.map(\.action) }

    /// The registered actions whose dynamic type is exactly `Action`, in registration order.
    package nonisolated func registered<Action: PipelineAction>(_: Action.Type) -> [Action] {
        // The types are compared first: most actions don't match, and a failed cast takes much longer than a
        // comparison.
        var found: [Action] = []
        for registration in registry.all where registration.type == Action.self {
            if let action = registration.action as? Action { found.append(action) }
        }
        return found
    }

    /// Adds an action.
    ///
    /// If the action's id is already registered, the orchestrator keeps the first action and logs a warning.
    ///
    /// Evaluations and runs that have begun are not affected.
    open nonisolated func register(_ action: any PipelineAction) {
        registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(PipelineAction)`` does.
    open nonisolated func register(_ actions: [any PipelineAction]) {
        for action in actions { register(action) }
    }

    /// Removes the action registered under an id.
    ///
    /// Evaluations and runs finish with the actions they began with. If a run is resumed later and the id is among its
    /// eligible ids, the missing action gets ``ActionResult/failed(_:)``. Another action may be registered under the id
    /// after this call.
    ///
    /// - Returns: Whether an action was registered under the id.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        registry.remove(id) != nil
    }

    /// Removes all actions.
    ///
    /// Evaluations and runs finish with the actions they began with.
    open nonisolated func removeAll() {
        registry.removeAll()
    }

    /// Evaluates all conditions concurrently, then executes the eligible actions one at a time, with a new context.
    ///
    /// While an evaluation is running, another call returns an empty array immediately. If the calling task is
    /// cancelled, further actions still start; each action can check for the cancellation itself.
    ///
    /// - Returns: The results of the eligible actions, in the order of execution.
    @discardableResult
    open func evaluate() async -> [ActionResult] {
        let registered = registry.all
        let report = await board.show {
            await evaluate(registered, PipelineContext(), endsWhenCancelled: false, tell: board)
        }
        return report?.results ?? []
    }
}
