public import ForgeBusProtocol

/// How far an unfinished run has come: enough to resume behind its last completed action.
///
/// A run has one from the moment its conditions are evaluated, or earlier if it stops or its worker died. A started run
/// without one evaluates its conditions again.
public struct ProgressRecord: Hashable, Sendable {
    /// The run.
    public var run: Name
    /// The actions whose conditions held, in their order; nil while the conditions are being evaluated.
    public var eligible: [String]?
    /// How the first of them ended, in the same order.
    public var actions: [ActionOutcome]
    /// The values of its context beyond the seeds, in the order of the keys.
    public var values: [Value]
    /// The key of a value that cannot be stored: such a run starts again instead of resuming.
    public var unkept: String?
    /// The number of the current action's attempt, from 1, crashes not counted.
    public var attempt: Int
    /// How often a worker died while the current action was executing.
    public var crashes: Int
    /// How many attempts at the current action there were before a redrive.
    public var earlierAttempts: Int
    /// How many attempts at each unfinished action earlier workers may have made without recording them.
    public var unrecorded: Int
    /// The highest number of an attempt that ended; 0 if none did.
    public var highestAttempt: Int
    /// What the run is doing.
    public var state: State

    /// What a started run can be doing.
    public enum State: Hashable, Sendable {
        /// An action executes, or the conditions are being evaluated.
        case executing
        /// The action waits for this signal, and does not execute meanwhile.
        case waiting(Name)
        /// The action's next attempt is due at this time, in milliseconds since 1970.
        case retrying(due: Int64)
        /// The run waits for a redrive; `remaining` milliseconds of its deadline are left.
        case parked(reason: String, remaining: Int64?)
        /// The run will end in this state; an action still has time to return.
        case stopping(RunResult.State, reason: String)
    }

    /// One value of a context.
    public struct Value: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The name of its Swift type; it is read back as that type only.
        public var type: String
        /// Its JSON text.
        public var json: [UInt8]

        /// A value under `key`.
        public init(key: String, type: String, json: [UInt8]) {
            self.key = key
            self.type = type
            self.json = json
        }
    }

    /// The progress of `run`; by default it has started and done nothing yet.
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
