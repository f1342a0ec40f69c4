/// The steps of an evaluation that differ between sequences, pipelines and monitors.
///
/// The ``Engine`` does the steps that are the same for all of them.
protocol Work: Sendable {
    associatedtype Action: Sendable

    func priority(of action: Action) -> ActionPriority
    nonisolated(nonsending) func shouldRun(_ action: Action) async -> Bool

    /// Decides, immediately before an eligible action's turn, whether to execute it.
    func decide(_ next: Registration<Action>, of eligible: [Registration<Action>]) -> Decision

    /// Executes the action; returns nil to suspend the evaluation, which later resumes at this action.
    nonisolated(nonsending) func execute(_ next: Registration<Action>) async -> ActionResult?

    /// Called before the action executes.
    func willExecute(_ id: ActionID)
    /// Called after the action has ended or was skipped; the result is nil if the action suspended the evaluation.
    func didEnd(_ id: ActionID, _ result: ActionResult?)
}

/// Whether an action is executed when its turn comes.
enum Decision {
    case execute
    /// The action is not executed, because a required action did not complete or the run was cancelled.
    case skip
    /// The action ended before the run was resumed; it is not executed again, and the listener gets no call for it.
    case known(ActionResult)
}

extension Work {
    func decide(_ next: Registration<Action>, of eligible: [Registration<Action>]) -> Decision { .execute }
    func willExecute(_ id: ActionID) {}
    func didEnd(_ id: ActionID, _ result: ActionResult?) {}
}

/// Receives the steps of an evaluation.
///
/// The engine waits for each call to return before it takes the next step.
protocol EvaluationListener: Sendable {
    nonisolated(nonsending) func eligible(_ ids: [ActionID]) async
    nonisolated(nonsending) func started(_ id: ActionID) async
    nonisolated(nonsending) func finished(_ report: ActionReport) async
}
