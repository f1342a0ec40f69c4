/// What every action has in common: an identity, a place in the order, and a condition.
///
/// Conform to one of the three protocols that refine it: ``SequenceAction``, ``PipelineAction`` or ``MonitorAction``.
public protocol OrchestratedAction: Sendable {
    /// The stable name of the action. An orchestrator keeps the first action registered under an id.
    var id: ActionID { get }

    /// When the action runs, relative to the others of the same evaluation.
    var priority: ActionPriority { get }

    /// Whether the action has something to do now.
    ///
    /// Asked of every registered action, concurrently, before anything executes. Keep it cheap, free of side effects
    /// and safe to ask again: it costs its time in every evaluation.
    func shouldRun() async -> Bool
}

/// An action of a ``SequenceOrchestrator``: runs once, in its turn, and the next one waits for it.
///
/// One that may fail also conforms to ``FallibleAction``.
public protocol SequenceAction: OrchestratedAction {
    /// Does the work. The next action starts after this returns.
    func execute() async
}

/// An action of a ``MonitorOrchestrator``: asked again and again, executed whenever its condition holds.
///
/// One that may fail also conforms to ``FallibleAction``.
public protocol MonitorAction: OrchestratedAction {
    /// Does the work of one cycle. It has to stand being called many times in the life of a process.
    func execute() async
}
