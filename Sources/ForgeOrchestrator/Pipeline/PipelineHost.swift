/// An object, for instance in a worker, that hosts runs of a pipeline and may execute actions instead of the pipeline.
///
/// The pipeline finds the host of a run in ``PipelineContext/host``.
package protocol PipelineHost: Sendable {
    /// Whether the host wants the run's transitions now; the run checks this before it reports each transition.
    var hearsTransitions: Bool { get }

    /// Whether the host executes this action; the pipeline itself executes all other actions.
    func standsBefore(_ action: any PipelineAction) -> Bool

    /// Executes an action of the run, or suspends the run.
    ///
    /// A suspended run needs no task while it waits; the host resumes it later.
    ///
    /// - Parameters:
    ///   - action: The action; its id is the context's ``PipelineContext/currentActionID``.
    ///   - context: The context of the run.
    /// - Returns: The action's result, or nil to suspend the run at this action.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult?
}
