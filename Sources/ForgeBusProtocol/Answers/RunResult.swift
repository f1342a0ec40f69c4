/// The end of a run.
public struct RunResult: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The run's final state.
    public var state: State
    /// The reason, for every state but `completed`.
    public var reason: String
    /// Its actions, in the order in which they started.
    public var actions: [ActionOutcome]
    /// The pipeline's declared outputs, as far as the run set them.
    public var outputs: JSONObject
    /// The actions that had not returned when it ended; they can no longer change anything.
    public var abandoned: [String]

    /// The final states of a run.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// No action failed.
        case completed
        /// An action failed.
        case failed
        /// Its deadline passed.
        case timedOut = "timed_out"
        /// Somebody cancelled it.
        case cancelled
        /// The worker stopped before the run ended and could not store it. Sending the request again runs it again.
        case lost
    }

    /// Makes the end of a run.
    public init(
        run: RunID,
        state: State,
        reason: String = "",
        actions: [ActionOutcome],
        outputs: JSONObject = [:],
        abandoned: [String] = []
    ) {
        self.run = run
        self.state = state
        self.reason = reason
        self.actions = actions
        self.outputs = outputs
        self.abandoned = abandoned
    }
}

/// The end of one action of a run or cycle.
public struct ActionOutcome: Hashable, Sendable {
    /// The action's id.
    public var action: String
    /// The action's result.
    public var result: Result
    /// When it began, measured from the start of its run or cycle.
    public var start: Duration
    /// How long it took.
    public var duration: Duration

    /// The results of an action.
    public enum Result: Hashable, Sendable {
        /// It finished its work.
        case completed
        /// It was not executed, or skipped itself.
        case skipped
        /// It failed, for this reason.
        case failed(String)
    }

    /// Makes the end of an action.
    public init(action: String, result: Result, start: Duration, duration: Duration) {
        self.action = action
        self.result = result
        self.start = start
        self.duration = duration
    }
}
