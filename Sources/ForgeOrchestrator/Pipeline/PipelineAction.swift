/// An action of a ``PipelineOrchestrator``: reads values from the run's context, adds values to it, and returns how the
/// action ended.
public protocol PipelineAction: OrchestratedAction {
    /// The actions that must have ended as ``ActionResult/completed`` before this action starts; none by default.
    ///
    /// If one of the required actions did not complete, this action is not executed and its result is
    /// ``ActionResult/skipped``. A required action that is not registered, was not eligible or runs later counts as not
    /// completed, and the orchestrator logs a warning. The failure of another action skips this one only if `requires`
    /// names that action.
    var requires: Set<ActionID> { get }

    /// The action's condition: whether the action has something to do in a run that begins with this context.
    ///
    /// By default the method returns ``OrchestratedAction/shouldRun()``. Implement it if the answer depends on the
    /// seeds, the values that the run begins with. Conditions are evaluated before any action executes, so the context
    /// holds only the seeds.
    func shouldRun(context: PipelineContext) async -> Bool

    /// Does the work and returns how it ended.
    func execute(context: PipelineContext) async -> ActionResult
}

extension PipelineAction {
    /// An empty set: the action requires no other action.
    public var requires: Set<ActionID> { [] }

    /// Calls ``OrchestratedAction/shouldRun()``.
    public func shouldRun(context: PipelineContext) async -> Bool {
        await shouldRun()
    }
}
