/// One evaluation of a monitor: which actions ran, and how they ended.
public struct MonitorCycle: Sendable, Equatable {
    /// Counts the cycles of one monitor from 1.
    ///
    /// Cycles that an excluded screen skipped have no number.
    public let number: Int
    /// The actions whose condition held, in the order of execution.
    public let actions: [ActionReport]

    /// Makes a cycle, for instance to restore one that was stored.
    public init(number: Int, actions: [ActionReport]) {
        self.number = number
        self.actions = actions
    }

    /// Whether at least one action ended with ``ActionResult/failed(_:)``.
    public var isFailed: Bool { actions.contains(where: \.isFailed) }
}

/// What became of a request for a cycle.
public enum MonitorOutcome: Sendable, Equatable {
    /// This cycle started after the request, and has finished.
    case ran(MonitorCycle)
    /// The monitor's actions were removed before a cycle started.
    case stopped
}
