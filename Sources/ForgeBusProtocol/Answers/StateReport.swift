/// The state after a request was carried out, or the current state of a run.
public struct StateReport: Hashable, Sendable {
    /// The run's id; nil if the report is not about a run.
    public var run: RunID?
    /// The current state.
    public var state: State
    /// How durable the change is; nil if nothing changed.
    public var durability: Durability?
    /// How long the worker gives this answer again to the same request; nil if it does not keep the answer.
    public var retention: Duration?
    /// Details for programs, for instance `monitors` after MODE.
    public var details: JSONObject

    /// The states of runs and watches, and the results of WITHDRAW, MODE and ADMIN.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run waits for a free slot.
        case queued
        /// The run's actions are executing.
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
        /// The sender's early decision is taken back.
        case withdrawn
        /// The sender has no early decision to take back.
        case nothing
        /// The signal is decided, so no decision can be taken back.
        case decided
        /// The screen is set.
        case set
        /// The operator's request was carried out.
        case done

        /// The state of a run that ended in this final state.
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
