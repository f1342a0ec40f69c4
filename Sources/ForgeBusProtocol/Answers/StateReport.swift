/// The state after a request was carried out, or the current state of a run.
public struct StateReport: Hashable, Sendable {
    /// The run's id; nil if the report is not about a run.
    public var run: RunID?
    /// The current state of the run or watch, or what the request has done, such as `paused`.
    public var state: State
    /// How durable the answer is; nil if the worker does not keep the answer for a repetition of the request.
    public var durability: Durability?
    /// How long the worker repeats this answer if the same request comes again; nil if the worker does not keep it.
    public var retention: Duration?
    /// Details for programs, for instance `monitors` after MODE.
    public var details: JSONObject

    /// The states of runs and watches, and the results of WITHDRAW, MODE, PAUSE, ADMIN and requests about many runs.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run waits for a free slot.
        case queued
        /// The run's actions are executing.
        case running
        /// The run waits for a signal, a gate, or the end of a run that it requested.
        case waiting
        /// The run waits to try an action again.
        case retrying
        /// The run stopped at an action, and waits until somebody redrives or cancels it.
        case parked
        /// The run was cancelled, or its deadline passed, and an action has not returned yet.
        case stopping
        /// The run has ended, and no action failed.
        case completed
        /// The run has ended, because an action failed or the outputs cannot be part of the result.
        case failed
        /// The run has ended, because its deadline passed.
        case timedOut = "timed_out"
        /// Somebody cancelled the run, and it has ended, or ends without executing another action.
        case cancelled
        /// The run has ended, because a worker without a durable store stopped.
        case lost
        /// The watch has ended, because the worker has sent the requested number of events.
        case creditEnded = "credit_ended"
        /// The sender has ended the watch, or there was no watch with this id.
        case unwatched
        /// The sender's early decision or vote is taken back.
        case withdrawn
        /// The sender has no early decision and no vote to take back.
        case nothing
        /// The signal is decided already, so the sender cannot take back a decision.
        case decided
        /// The screen is set, or no screen is showing any more, as MODE requested.
        case set
        /// The pipeline or monitor is paused.
        case paused
        /// The pipeline or monitor is not paused any more.
        case resumed
        /// The worker has done an operator's task, or has cancelled or redriven all runs that match a filter.
        case done

        /// Makes the state of an ended run from the run's final state.
        public init(_ end: RunResult.State) {
            switch end {
            case .completed: self = .completed
            case .failed: self = .failed
            case .timedOut: self = .timedOut
            case .cancelled: self = .cancelled
            case .lost: self = .lost
            }
        }
    }

    /// Makes a report of `state`.
    public init(
        _ state: State,
        run: RunID? = nil,
        durability: Durability? = nil,
        retention: Duration? = nil,
        details: JSONObject = [:]
    ) {
        self.run = run
        self.state = state
        self.durability = durability
        self.retention = retention
        self.details = details
    }
}
