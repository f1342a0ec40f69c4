/// Which cycles covered a notification.
public struct Evaluation: Hashable, Sendable {
    /// The monitors that matched, in the order in which they answered.
    public var monitors: [Monitor]
    /// The monitors whose covering cycle had not ended when the deadline passed.
    public var pending: [Name]

    /// What one monitor did.
    public struct Monitor: Hashable, Sendable {
        /// Which monitor.
        public var monitor: Name
        /// The number of the covering cycle; nil where none ran.
        public var cycle: Int?
        /// What became of it.
        public var state: State
        /// The actions the cycle ran.
        public var actions: [ActionOutcome]

        /// One monitor's part.
        public init(monitor: Name, cycle: Int?, state: State, actions: [ActionOutcome]) {
            self.monitor = monitor
            self.cycle = cycle
            self.state = state
            self.actions = actions
        }
    }

    /// What can become of a covering cycle.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It ran, and none of its actions failed.
        case ran
        /// It ran, and an action failed.
        case failed
        /// It did not end within the monitor's time limit.
        case overdue
        /// An excluded screen is showing; the debt is kept.
        case excluded
    }

    /// The monitors that answered and those that did not.
    public init(monitors: [Monitor], pending: [Name] = []) {
        self.monitors = monitors
        self.pending = pending
    }
}
