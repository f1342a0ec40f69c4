/// The result of one run of a pipeline: the eligible actions and how they ended.
public struct PipelineReport: Sendable, Equatable {
    /// The ids of the actions whose condition held, in the order of execution.
    public let eligible: [ActionID]
    /// The reports of the eligible actions, in the order of execution.
    public let actions: [ActionReport]
    /// Whether the task of the run was cancelled before the run ended.
    ///
    /// Actions that had not started before the cancellation were not executed; their result is
    /// ``ActionResult/skipped``.
    public let isCancelled: Bool

    /// Makes a report, for instance to restore a stored one.
    public init(eligible: [ActionID], actions: [ActionReport], isCancelled: Bool) {
        self.eligible = eligible
        self.actions = actions
        self.isCancelled = isCancelled
    }

    /// Whether at least one action ended with ``ActionResult/failed(_:)``.
    public var isFailed: Bool { actions.contains(where: \.isFailed) }

    /// The results of the eligible actions, in the order of execution.
    public var results: [ActionResult] { actions.map(\.result) }
}

/// A step of a run, reported before the run takes its next step.
public enum PipelineTransition: Sendable, Equatable {
    /// All conditions were evaluated; these actions will run, in this order.
    ///
    /// A resumed run does not report this step again.
    case eligible([ActionID])
    /// The action is about to execute.
    case started(ActionID)
    /// The action ended, or was skipped.
    ///
    /// An action is skipped if a required action did not complete or the run was cancelled. The run does not report
    /// ``started(_:)`` for an action that it did not execute.
    case finished(ActionReport)
}

/// The state of an interrupted run, needed to resume the run.
///
/// A resumed run does not evaluate conditions again, and does not execute actions that have a result. Those results
/// count for `requires`, and ``PipelineContext/result(of:)`` returns them like the results of actions that ended later.
public struct PipelineResumption: Sendable, Equatable {
    /// The ids of the actions that the interrupted run found eligible, in the order of execution.
    public let eligible: [ActionID]
    /// The results that were known when the run was interrupted, by action id.
    ///
    /// Results of actions that are not in ``eligible`` are ignored.
    public let results: [ActionID: ActionResult]

    /// Makes the state of an interrupted run from its eligible actions and its known results.
    public init(eligible: [ActionID], results: [ActionID: ActionResult]) {
        self.eligible = eligible
        self.results = results
    }
}
