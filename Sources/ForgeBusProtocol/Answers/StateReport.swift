/// The state after a request, or the current state.
public struct StateReport: Hashable, Sendable {
    /// The run it is about; nil if it is not about a run.
    public var run: RunID?
    /// The current state.
    public var state: State
    /// How durable the change is; nil without a change.
    public var durability: Durability?
    /// How long the same request gets this answer again; nil if it is not kept.
    public var retention: Duration?
    /// Details for programs: `monitors` of a mode.
    public var details: JSONObject

    /// The states.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run waits for its turn.
        case queued
        /// The run's actions run.
        case running
        /// The run waits for a signal or gate.
        case waiting
        /// The run waits to try an action again.
        case retrying
        /// The run stopped at an action until somebody redrives it.
        case parked
        /// The run was cancelled, or its deadline passed, and an action has not returned yet.
        case stopping
        /// The run ended: no action failed.
        case completed
        /// The run ended: an action failed.
        case failed
        /// The run ended: its deadline passed.
        case timedOut = "timed_out"
        /// The run ended: somebody cancelled it.
        case cancelled
        /// The run ended: the worker stopped and could not store it.
        case lost
        /// The watch ended: the requested number of events was sent.
        case creditEnded = "credit_ended"
        /// The watch ended: its sender ended it, or it did not exist.
        case unwatched
        /// The screen is set.
        case set
        /// The operator's request was carried out.
        case done

        /// The state of a run with this end.
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
