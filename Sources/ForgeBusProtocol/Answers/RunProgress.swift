/// A run, or one of its actions, changed its state.
public struct RunProgress: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// Counts the changes told of this run, from 1.
    public var sequence: Int
    /// What changed.
    public var change: Change

    /// What can change.
    public enum Change: Hashable, Sendable {
        /// An action began.
        case started(action: String)
        /// An action ended.
        case finished(action: String, ActionOutcome.Result)
        /// An action waits for a signal or gate; told also to those who did not ask for progress.
        case waiting(action: String, signal: SignalID)
        /// What the action waited for is decided, and the run goes on.
        case resumed(action: String, signal: SignalID)
        /// An action failed and is tried again: which attempt comes next, counted from 1, and how long until then.
        case retrying(action: String, attempt: Int, after: Duration)
        /// The run stopped at an action and goes on when somebody redrives it; told also to those who did not ask.
        case parked(action: String, reason: String)
        /// Somebody redrove the run, and it goes on at the action; told also to those who did not ask.
        case redriven(action: String)
    }

    /// A change of `run`.
    public init(run: RunID, sequence: Int, change: Change) {
        self.run = run
        self.sequence = sequence
        self.change = change
    }
}
