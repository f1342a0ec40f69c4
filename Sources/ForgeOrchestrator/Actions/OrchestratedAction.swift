/// The base protocol of all actions: an id, a priority and a condition.
///
/// Conform to one of the three protocols that refine it: ``SequenceAction``, ``PipelineAction`` or ``MonitorAction``.
public protocol OrchestratedAction: Sendable {
    /// The stable name of the action, unique within an orchestrator.
    ///
    /// If a second action is registered under the same id, the orchestrator keeps the first.
    var id: ActionID { get }

    /// When the action runs, relative to the other actions of the same evaluation.
    var priority: ActionPriority { get }

    /// The action's condition: whether the action has something to do now.
    ///
    /// The orchestrator calls this method on all registered actions concurrently, in every evaluation, before any
    /// action executes. So the method must be fast and free of side effects.
    func shouldRun() async -> Bool
}

/// An action that a ``SequenceOrchestrator`` executes at most once per evaluation.
///
/// An action that may fail also conforms to ``FallibleAction``.
public protocol SequenceAction: OrchestratedAction {
    /// Does the work; the next action starts after this method returns.
    func execute() async
}

/// An action that a ``MonitorOrchestrator`` executes in every cycle in which the action's condition holds.
///
/// An action that may fail also conforms to ``FallibleAction``.
public protocol MonitorAction: OrchestratedAction {
    /// Does the work of one cycle.
    ///
    /// The monitor can call this method many times, but never twice at the same time.
    func execute() async
}
