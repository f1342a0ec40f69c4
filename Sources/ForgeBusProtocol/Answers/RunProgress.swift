/// A change of a run or of one of its actions.
public struct RunProgress: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The number of the change, from 1; a later change of the run has a higher number.
    ///
    /// A receiver that does not get every change sees gaps in the numbers.
    public var sequence: Int
    /// The change.
    public var change: Change

    /// The kinds of changes.
    public enum Change: Hashable, Sendable {
        /// An action began.
        case started(action: String)
        /// An action ended.
        case finished(action: String, ActionOutcome.Result)
        /// An action waits for a signal or gate.
        ///
        /// The worker sends this change even without a request for progress.
        case waiting(action: String, signal: SignalID)
        /// The action's signal is decided, and the run resumes.
        ///
        /// The worker sends this change even without a request for progress.
        case resumed(action: String, signal: SignalID)
        /// An action failed, and the worker will try it again.
        ///
        /// The values are the number of the next attempt, the time until then, and why the last attempt failed. The
        /// first attempt at an action has the number 1. The reason is empty if the worker does not send one.
        case retrying(action: String, attempt: Int, after: Duration, reason: String = "")
        /// The run stopped at an action, and waits until somebody redrives or cancels it.
        ///
        /// The worker sends this change even without a request for progress.
        case parked(action: String, reason: String)
        /// Somebody redrove the run, and the run resumes at the action.
        ///
        /// The worker sends this change even without a request for progress.
        case redriven(action: String)
    }

    /// Makes a change of `run`.
    public init(run: RunID, sequence: Int, change: Change) {
        self.run = run
        self.sequence = sequence
        self.change = change
    }
}
