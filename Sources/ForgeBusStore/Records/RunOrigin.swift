public import ForgeBusProtocol

/// How a run began that no sender requested: the worker itself requested it.
public struct RunOrigin: Hashable, Sendable {
    /// What requested the run.
    public var cause: Cause
    /// The principals that caused the request, beside the run's own principal; each counts as a requester of the run.
    public var causers: Set<String>
    /// How many runs requested each other down to this run: 1 if a monitor or an event requested it, or a run that a
    /// sender requested.
    public var depth: Int
    /// Whether an event requested this run, or a run from which this one descends; such a run reports no events.
    public var isQuiet: Bool

    /// What requested a run.
    public enum Cause: Hashable, Sendable {
        /// An action of another run.
        case action(run: Name, action: String)
        /// An action of a monitor.
        case monitor(Name, action: String)
        /// An event, by its word in the worker's file.
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
