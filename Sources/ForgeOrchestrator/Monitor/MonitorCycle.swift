/// One evaluation of a monitor: which actions ran, and how they ended.
public struct MonitorCycle: Sendable, Equatable {
    /// The cycle's number; a monitor numbers its cycles from 1.
    ///
    /// A cycle that does not start, for instance because of an excluded screen, gets no number.
    public let number: Int
    /// The reports of the actions whose condition held, in the order of execution.
    public let actions: [ActionReport]

    /// Makes a cycle, for instance to restore a stored one.
    public init(number: Int, actions: [ActionReport]) {
        self.number = number
        self.actions = actions
    }

    /// Whether at least one action ended with ``ActionResult/failed(_:)``.
    public var isFailed: Bool { actions.contains(where: \.isFailed) }
}

/// The outcome of a request for a cycle, as returned by ``MonitorOrchestrator/nextCycle()``.
public enum MonitorOutcome: Sendable, Equatable {
    /// A cycle started after the request, and has finished.
    case ran(MonitorCycle)
    /// No cycle started after the request, because all actions of the monitor were removed first.
    case stopped
}
