/// An object that hosts runs of a pipeline; it may execute actions in the pipeline's place.
///
/// The host is found through ``PipelineContext/host``.
package protocol PipelineHost: Sendable {
    /// Whether the run currently reports its transitions; checked before each one.
    var hearsTransitions: Bool { get }

    /// Whether the host executes this action; the pipeline itself executes all other actions.
    func standsBefore(_ action: any PipelineAction) -> Bool

    /// Executes an action of the run, or suspends the run: it then needs no task while it waits, and is resumed later.
    ///
    /// - Parameters:
    ///   - action: The action; its id is the context's ``PipelineContext/currentActionID``.
    ///   - context: The context of the run.
    /// - Returns: The action's result, or nil to suspend the run at this action.
    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult?
}
