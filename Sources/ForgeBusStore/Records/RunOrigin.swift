public import ForgeBusProtocol

/// The origin of a run that the worker itself requested.
public struct RunOrigin: Hashable, Sendable {
    /// What requested the run.
    public var cause: Cause
    /// More principals that caused the run; each of them counts as a requester, like the run's own principal.
    public var causers: Set<String>
    /// The position of this run in a chain of runs that the worker itself requested, from 1.
    ///
    /// It is 1 if a monitor or an event requested this run. If an action of another run requested this run, it is the
    /// depth of that other run plus 1, where a run that a sender requested counts as 0.
    public var depth: Int
    /// Whether an event requested this run, or one of the runs whose actions led to this run.
    ///
    /// The events of such a run request no further runs.
    public var isQuiet: Bool

    /// What requested a run.
    public enum Cause: Hashable, Sendable {
        /// An action of another run.
        case action(run: Name, action: String)
        /// An action of a monitor.
        case monitor(Name, action: String)
        /// An event of the worker, by its name in the worker file, such as `parked`.
        case event(String)
    }

    /// Creates the origin of a run.
    public init(_ cause: Cause, causers: Set<String> = [], depth: Int = 1, isQuiet: Bool = false) {
        self.cause = cause
        self.causers = causers
        self.depth = depth
        self.isQuiet = isQuiet
    }
}
