/// An action of a ``PipelineOrchestrator``: reads what earlier actions left in the context, adds to it, and reports how
/// it ended.
public protocol PipelineAction: OrchestratedAction {
    /// The actions that must have ended ``ActionResult/completed`` before this one may start; none by default.
    ///
    /// If one of them did not, this action is not executed and reports ``ActionResult/skipped``. A required action that
    /// is not registered, was not eligible or sorts after this one counts as not completed, and the orchestrator's log
    /// says so. Without `requires` nothing is skipped because something else failed.
    var requires: Set<ActionID> { get }

    /// Whether the action has something to do in a run that begins with this context;
    /// ``OrchestratedAction/shouldRun()`` by default.
    ///
    /// Implement it instead of `shouldRun()` when the answer depends on the values the run was seeded with. It is asked
    /// before any action executes, so it sees the seeds only.
    func shouldRun(context: PipelineContext) async -> Bool

    /// Does the work and says how it ended.
    func execute(context: PipelineContext) async -> ActionResult
}

extension PipelineAction {
    /// No action is required.
    public var requires: Set<ActionID> { [] }

    /// Asks ``OrchestratedAction/shouldRun()``.
    public func shouldRun(context: PipelineContext) async -> Bool {
        await shouldRun()
    }
}
