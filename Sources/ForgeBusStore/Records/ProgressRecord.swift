public import ForgeBusProtocol

/// The progress of an unfinished run, which lets a worker resume the run after its last completed action.
///
/// A run has this record as soon as its conditions are evaluated, or earlier if the run is stopped or its worker died.
/// A started run without this record begins again with the evaluation of its conditions.
public struct ProgressRecord: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The actions whose conditions were true, in the order of execution; nil while the conditions are being evaluated.
    public var eligible: [String]?
    /// The outcomes of the actions that have ended, in the order of ``eligible``.
    public var actions: [ActionOutcome]
    /// The values of the run's context other than the seeds, sorted by key.
    public var values: [Value]
    /// The key of a context value that cannot be stored; nil if all values are stored.
    ///
    /// After a restart, a run with such a value starts again from the beginning.
    public var unkept: String?
    /// The number of the attempt at the current action, from 1.
    ///
    /// Attempts during which the worker died, and attempts before the last redrive, do not count.
    public var attempt: Int
    /// How often a worker died while the current action was executing.
    public var crashes: Int
    /// The number of attempts at the current action before the last redrive.
    public var earlierAttempts: Int
    /// The number of attempts at each unfinished action that earlier workers may have made without recording them.
    public var unrecorded: Int
    /// The highest attempt number of the ended actions; 0 if no action has ended.
    public var highestAttempt: Int
    /// The state of the run.
    public var state: State

    /// The state of a started run.
    public enum State: Hashable, Sendable {
        /// An action is executing, or the conditions are being evaluated.
        case executing
        /// The action waits for this signal, and does not execute during the wait.
        case waiting(Name)
        /// The action waits for the end of another run, with this id, which the action requested.
        case awaiting(Name)
        /// The next attempt at the action is due at this time, in milliseconds since 1970.
        case retrying(due: Int64)
        /// The run waits for a redrive; `remaining` is the time that its deadline leaves, in milliseconds, or nil
        /// without a deadline.
        case parked(reason: String, remaining: Int64?)
        /// The run is stopping and will end in this state; its executing action still has time to return.
        case stopping(RunResult.State, reason: String)
    }

    /// One stored value of a run's context.
    public struct Value: Hashable, Sendable {
        /// The value's key in the context.
        public var key: String
        /// The name of the value's Swift type, or an empty text if the value was removed.
        ///
        /// A worker can read the value as this type, and as no other type.
        public var type: String
        /// The value as JSON text.
        public var json: [UInt8]

        /// Creates a stored value.
        public init(key: String, type: String, json: [UInt8]) {
            self.key = key
            self.type = type
            self.json = json
        }
    }

    /// Creates the progress of `run`; by default the run has started, and no action has ended.
    public init(
        run: Name,
        eligible: [String]? = nil,
        actions: [ActionOutcome] = [],
        values: [Value] = [],
        unkept: String? = nil,
        attempt: Int = 1,
        crashes: Int = 0,
        earlierAttempts: Int = 0,
        unrecorded: Int = 0,
        highestAttempt: Int = 0,
        state: State = .executing
    ) {
        self.run = run
        self.eligible = eligible
        self.actions = actions
        self.values = values
        self.unkept = unkept
        self.attempt = attempt
        self.crashes = crashes
        self.earlierAttempts = earlierAttempts
        self.unrecorded = unrecorded
        self.highestAttempt = highestAttempt
        self.state = state
    }
}
