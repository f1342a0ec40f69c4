/// The outcomes of the cycles that cover a notification, and the monitors whose outcome is still missing.
public struct Evaluation: Hashable, Sendable {
    /// The known outcomes, one for each monitor, in the order in which they came.
    public var monitors: [Monitor]
    /// The monitors whose covering cycle had not ended when the deadline passed or the worker stopped.
    public var pending: [Name]

    /// The outcome of one monitor's covering cycle.
    public struct Monitor: Hashable, Sendable {
        /// The monitor's name.
        public var monitor: Name
        /// The number of the covering cycle; nil if no covering cycle has ended.
        public var cycle: Int?
        /// The outcome of the cycle: whether it ran, failed, took too long, or could not run.
        public var state: State
        /// The outcomes of the actions that the cycle executed.
        public var actions: [ActionOutcome]

        /// Makes one monitor's outcome.
        public init(monitor: Name, cycle: Int?, state: State, actions: [ActionOutcome]) {
            self.monitor = monitor
            self.cycle = cycle
            self.state = state
            self.actions = actions
        }
    }

    /// The outcome of a covering cycle.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The cycle ran, and none of its actions failed.
        case ran
        /// The cycle ran, and an action failed.
        case failed
        /// The cycle did not end within the monitor's time limit.
        case overdue
        /// A screen that excludes the monitor is showing, or the monitor is paused; the monitor runs the cycle
        /// afterwards.
        case excluded
    }

    /// Makes an evaluation from the known outcomes and the names of the pending monitors.
    public init(monitors: [Monitor], pending: [Name] = []) {
        self.monitors = monitors
        self.pending = pending
    }
}
