/// A change of a run or of one of its actions.
public struct RunProgress: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The number of the change among the changes sent for this run, from 1.
    public var sequence: Int
    /// The change.
    public var change: Change

    /// The kinds of changes.
    public enum Change: Hashable, Sendable {
        /// An action began.
        case started(action: String)
        /// An action ended.
        case finished(action: String, ActionOutcome.Result)
        /// An action waits for a signal or gate; also sent without a request for progress.
        case waiting(action: String, signal: SignalID)
        /// The action's signal is decided, and the run continues.
        case resumed(action: String, signal: SignalID)
        /// An action failed and will be tried again: the number of the next attempt, from 1, and the time until then.
        case retrying(action: String, attempt: Int, after: Duration)
        /// The run stopped at an action until somebody redrives it; also sent without a request for progress.
        case parked(action: String, reason: String)
        /// Somebody redrove the run, and it continues at the action; also sent without a request for progress.
        case redriven(action: String)
    }

    /// Makes a change of `run`.
    public init(run: RunID, sequence: Int, change: Change) {
        self.run = run
        self.sequence = sequence
        self.change = change
    }
}
