public import Logging
public import Observation

/// Runs actions one after the other over a shared context, and reports how each ended.
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
/// A failed action does not stop the pipeline; an action that must not run after a failure says so with
/// ``PipelineAction/requires``. ``evaluate()`` is for one evaluation at a time with observable progress,
/// ``run(context:resuming:onTransition:)`` for any number of runs at once, each with a context of its own.
@MainActor
open class PipelineOrchestrator: Observable {
    nonisolated let registry: Registry<any PipelineAction>
    private nonisolated let board = ProgressBoard()
    nonisolated let logger: Logger
    nonisolated let clock: any Clock<Duration>

    /// Makes an orchestrator without actions that logs under `forge.pipeline`.
    ///
    /// For subclasses, whose `override init()` belongs to the main actor, and for `PipelineOrchestrator.init` as a function.
    @_disfavoredOverload  // A call means the one that is bound to no actor.
    public init() {
        logger = Logger(label: "forge.pipeline")
        registry = Registry(logger: logger)
        clock = ContinuousClock()
    }

    /// Makes an orchestrator without actions.
    ///
    /// - Parameters:
    ///   - logger: Where warnings go, for instance about a requirement that cannot be met.
    ///   - clock: What measures the conditions and the times in reports.
    public nonisolated init<C: Clock>(  // Generic, so that `init` as a function cannot mean this one.
        logger: Logger = Logger(label: "forge.pipeline"),
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

    /// How many actions have ended in the current or latest evaluation.
    public var completedCount: Int { board.completedCount }

    /// How they ended, in the order of execution; grows during an evaluation.
    public var results: [ActionResult] { board.results }

    /// The progress of the current or latest evaluation as one value, with each action's result.
    ///
    /// It may be read from any thread; its changes are observed on the main actor, as those of the properties above.
    public nonisolated var progress: OrchestratorProgress { board.progress }

    /// The steps of all evaluations from now on; every access makes a new reader.
    ///
    /// Runs are not told here: they have their own transitions.
    public nonisolated var events: OrchestratorEvents { board.events }

    /// The registered actions, in registration order.
    public nonisolated var registered: [any PipelineAction] { registry.all.map(\.action) }

    /// The registered actions that are of exactly this type, in registration order.
    package nonisolated func registered<Action: PipelineAction>(_: Action.Type) -> [Action] {
        // Compared first, and nothing made where none is: a cast that fails costs many times as much, and most do.
        var found: [Action] = []
        for registration in registry.all where registration.type == Action.self {
            if let action = registration.action as? Action { found.append(action) }
        }
        return found
    }

    /// Adds an action.
    ///
    /// If its id is registered already, the first action is kept and a warning logged.
    ///
    /// Evaluations and runs that have begun are not affected.
    open nonisolated func register(_ action: any PipelineAction) {
        registry.add(action, as: action.id)
    }

    /// Adds actions in this order, as ``register(_:)-(PipelineAction)`` does.
    open nonisolated func register(_ actions: [any PipelineAction]) {
        for action in actions { register(action) }
    }

    /// Forgets the action registered under an id.
    ///
    /// Evaluations and runs finish with the actions they began with. A run that is resumed later
    /// reports ``ActionResult/failed(_:)`` for it.
    ///
    /// - Returns: Whether there was one. The id is free then.
    @discardableResult
    open nonisolated func unregister(_ id: ActionID) -> Bool {
        registry.remove(id) != nil
    }

    /// Forgets all actions.
    ///
    /// Evaluations and runs finish with the ones they began with.
    open nonisolated func removeAll() {
        registry.removeAll()
    }

    /// Asks all conditions concurrently, then executes the actions whose condition holds, one at a time, over a fresh
    /// context.
    ///
    /// While one evaluation is running, another call returns an empty array at once. Cancelling the calling task does
    /// not keep further actions from starting; actions can see the cancellation and decide themselves.
    ///
    /// - Returns: How the eligible actions ended, in the order of execution.
    @discardableResult
    open func evaluate() async -> [ActionResult] {
        let registered = registry.all
        let report = await board.show {
            await evaluate(registered, PipelineContext(), endsWhenCancelled: false, tell: board)
        }
        return report?.results ?? []
    }
}
