/// How a run ended.
public struct RunResult: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// How it ended.
    public var state: State
    /// Why it ended so, for every state but `completed`.
    public var reason: String
    /// Its actions in the order in which they were taken up.
    public var actions: [ActionOutcome]
    /// What the pipeline declares as its outputs, as far as the run set it.
    public var outputs: JSONObject
    /// The actions that had not returned when it ended; they can no longer change anything.
    public var abandoned: [String]

    /// How a run can end.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// No action failed.
        case completed
        /// An action failed.
        case failed
        /// Its deadline passed.
        case timedOut = "timed_out"
        /// Somebody cancelled it.
        case cancelled
        /// The worker stopped before it ended, and could not store it. Sending the request again runs it again.
        case lost
    }

    /// A run ended.
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

/// How one action of a run or cycle ended.
public struct ActionOutcome: Hashable, Sendable {
    /// The action's id.
    public var action: String
    /// How it ended.
    public var result: Result
    /// When it began, since its run or cycle began.
    public var start: Duration
    /// How long it took.
    public var duration: Duration

    /// How an action can end.
    public enum Result: Hashable, Sendable {
        /// It finished its work.
        case completed
        /// It was not executed, or bailed out.
        case skipped
        /// It failed, with its reason.
        case failed(String)
    }

    /// An action ended.
    public init(action: String, result: Result, start: Duration, duration: Duration) {
        self.action = action
        self.result = result
        self.start = start
        self.duration = duration
    }
}
