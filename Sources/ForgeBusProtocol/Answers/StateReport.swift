/// What was asked is done, or stands so.
public struct StateReport: Hashable, Sendable {
    /// The run it is about; nil where it is about none.
    public var run: RunID?
    /// What stands now.
    public var state: State
    /// How long what was done lives; nil where nothing was.
    public var durability: Durability?
    /// How long the same request gets this answer again; nil where it is not kept.
    public var retention: Duration?
    /// What a program may want to know beyond that: `monitors` of a mode.
    public var details: JSONObject

    /// What can stand.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The run waits for its turn.
        case queued
        /// The run's actions run.
        case running
        /// The run waits for a signal or gate.
        case waiting
        /// The run waits to try an action again.
        case retrying
        /// The run stopped at an action, and goes on when somebody redrives it.
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
        /// The watch ended: as many events were told as it asked for.
        case creditEnded = "credit_ended"
        /// The watch ended: its sender does not want it any more, or it was none.
        case unwatched
        /// The screen is set.
        case set
        /// What the operator asked is done.
        case done

        /// The run ended so.
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

    /// `state` stands.
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
