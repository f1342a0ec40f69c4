/// The cycles that covered a notification.
public struct Evaluation: Hashable, Sendable {
    /// The monitors that matched, in the order of their answers.
    public var monitors: [Monitor]
    /// The monitors whose covering cycle had not ended when the deadline passed.
    public var pending: [Name]

    /// The outcome of one monitor.
    public struct Monitor: Hashable, Sendable {
        /// The monitor's name.
        public var monitor: Name
        /// The number of the covering cycle; nil if none ran.
        public var cycle: Int?
        /// The outcome of the cycle.
        public var state: State
        /// The actions the cycle ran.
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
        /// It ran, and none of its actions failed.
        case ran
        /// It ran, and an action failed.
        case failed
        /// It did not end within the monitor's time limit.
        case overdue
        /// An excluded screen is showing; the evaluation is still owed.
        case excluded
    }

    /// Makes an evaluation from the monitors that answered and those that did not.
    public init(monitors: [Monitor], pending: [Name] = []) {
        self.monitors = monitors
        self.pending = pending
    }
}
