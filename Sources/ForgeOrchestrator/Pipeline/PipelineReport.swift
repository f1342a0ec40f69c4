/// What happened in one run of a pipeline.
public struct PipelineReport: Sendable, Equatable {
    /// The actions whose condition held, in the order of execution.
    public let eligible: [ActionID]
    /// How each of them ended, in the same order.
    public let actions: [ActionReport]
    /// Whether the task of the run was cancelled before the run ended.
    ///
    /// Actions that had not started by then were not executed and report ``ActionResult/skipped``.
    public let isCancelled: Bool

    /// Makes a report, for instance to restore one that was stored.
    public init(eligible: [ActionID], actions: [ActionReport], isCancelled: Bool) {
        self.eligible = eligible
        self.actions = actions
        self.isCancelled = isCancelled
    }

    /// Whether at least one action ended with ``ActionResult/failed(_:)``.
    public var isFailed: Bool { actions.contains(where: \.isFailed) }

    /// The results alone, in the order of execution: what ``PipelineOrchestrator/evaluate()`` returns.
    public var results: [ActionResult] { actions.map(\.result) }
}

/// A step of a run, told before the next one is taken.
public enum PipelineTransition: Sendable, Equatable {
    /// The conditions were asked; these actions run, in this order. Not told again when a run is resumed.
    case eligible([ActionID])
    /// The action is about to execute.
    case started(ActionID)
    /// The action ended. One that was not executed, because a required action did not complete or the run was
    /// cancelled, is told here without having started.
    case finished(ActionReport)
}

/// Where an interrupted run stood, so that it can be continued.
///
/// A run that is resumed asks no conditions again. Actions with a result are not executed again; their results count
/// for `requires` and are read with ``PipelineContext/result(of:)`` as if they had ended in this run.
public struct PipelineResumption: Sendable, Equatable {
    /// The ids the first run found eligible, in their order.
    public let eligible: [ActionID]
    /// The results known so far.
    ///
    /// Results of actions that are not eligible are not looked at.
    public let results: [ActionID: ActionResult]

    /// Describes where the run stood.
    public init(eligible: [ActionID], results: [ActionID: ActionResult]) {
        self.eligible = eligible
        self.results = results
    }
}
