/// The outcome of a run that ended.
public struct RunResult: Hashable, Sendable {
    /// The run's id.
    public var run: RunID
    /// The run's final state.
    public var state: State
    /// The reason for the state; empty if the state is `completed`.
    public var reason: String
    /// The outcomes of the run's actions, in the order in which the actions started.
    public var actions: [ActionOutcome]
    /// The pipeline's declared outputs, as far as the run has set them; empty if they do not fit into the result.
    public var outputs: JSONObject
    /// The actions that had not returned when the run ended; they can no longer change the context, outputs or signals.
    public var abandoned: [String]

    /// The final states of a run.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run ended, and no action failed.
        case completed
        /// An action failed, or the outputs cannot be part of the result: they are too large, or one has no JSON form.
        case failed
        /// The run's deadline passed.
        case timedOut = "timed_out"
        /// Somebody cancelled the run.
        case cancelled
        /// A worker without a durable store stopped before the run ended.
        ///
        /// A resend of the request starts a new run.
        case lost
    }

    /// Makes the outcome of a run that ended.
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

/// The outcome of one action of a run or cycle.
public struct ActionOutcome: Hashable, Sendable {
    /// The action's id.
    public var action: String
    /// How the action ended: completed, skipped, or failed with a reason.
    public var result: Result
    /// The time from the start of the action's run or cycle to the start of the action.
    public var start: Duration
    /// The time from the start of the action to its end, waits included.
    public var duration: Duration

    /// The results of an action.
    public enum Result: Hashable, Sendable {
        /// The action finished its work.
        case completed
        /// The worker did not execute the action, or the action ended itself as skipped.
        case skipped
        /// The action failed, for this reason.
        case failed(String)
    }

    /// Makes the outcome of an action.
    public init(action: String, result: Result, start: Duration, duration: Duration) {
        self.action = action
        self.result = result
        self.start = start
        self.duration = duration
    }

    /// The action and why it failed; nil if the action did not fail.
    package var failure: (action: String, why: String)? {
        if case .failed(let why) = result { (action, why) } else { nil }
    }
}
