/// Whoever hosts runs of a pipeline: its functions on a context find it there, and it may stand between the pipeline and
/// its actions.
package protocol PipelineHost: Sendable {
    /// Whether the steps of the run are to be told now; asked before each.
    var hearsTransitions: Bool { get }

    /// Whether the host executes this action; any other the pipeline executes by itself.
    func standsBefore(_ action: any PipelineAction) -> Bool

    /// Executes an action of the run, or leaves the run there: it takes no task while it waits, and is resumed later.
    ///
    /// - Parameters:
    ///   - action: The action; its id is the context's ``PipelineContext/currentActionID``.
    ///   - context: The run's.
    /// - Returns: What counts as the action's result; nil leaves the run at this action.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult?
}
