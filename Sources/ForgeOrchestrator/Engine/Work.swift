/// What one kind of orchestrator does with one of its actions.
///
/// The ``Engine`` does the rest.
protocol Work: Sendable {
    associatedtype Action: Sendable

    func priority(of action: Action) -> ActionPriority
    nonisolated(nonsending) func shouldRun(_ action: Action) async -> Bool

    /// What becomes of the next of the eligible actions, decided when its turn has come.
    func decide(_ next: Registration<Action>, of eligible: [Registration<Action>]) -> Decision

    /// Executes the action; nil leaves the evaluation at it, to be gone on with there another time.
    nonisolated(nonsending) func execute(_ next: Registration<Action>) async -> ActionResult?

    /// Told before the action executes, and after its result is known, or nil when the evaluation is left at it.
    func willExecute(_ id: ActionID)
    func didEnd(_ id: ActionID, _ result: ActionResult?)
}

/// What becomes of an action when its turn has come.
enum Decision {
    case execute
    /// Not executed: what it requires did not complete, or the run was cancelled.
    case skip
    /// It ended in an earlier part of this run; nobody is told again.
    case known(ActionResult)
}

extension Work {
    func decide(_ next: Registration<Action>, of eligible: [Registration<Action>]) -> Decision { .execute }
    func willExecute(_ id: ActionID) {}
    func didEnd(_ id: ActionID, _ result: ActionResult?) {}
}

/// Who is told about the steps of an evaluation.
///
/// Each call returns before the next step is taken.
protocol EvaluationListener: Sendable {
    nonisolated(nonsending) func eligible(_ ids: [ActionID]) async
    nonisolated(nonsending) func started(_ id: ActionID) async
    nonisolated(nonsending) func finished(_ report: ActionReport) async
}
