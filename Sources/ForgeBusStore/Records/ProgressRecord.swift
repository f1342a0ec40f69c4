public import ForgeBusProtocol

/// How far an unfinished run has come: enough to go on behind its last completed action.
///
/// Kept from when its conditions were answered, or when it was to end or a worker died before; a run that has begun and has
/// none of it asks its conditions again.
public struct ProgressRecord: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// The actions whose conditions held, in their order; nil while the conditions are being asked.
    public var eligible: [String]?
    /// How those ended that have, in the same order.
    public var actions: [ActionOutcome]
    /// What its context holds beyond the seeds, in the order of the keys.
    public var values: [Value]
    /// The key of a value that has no form in which it could be kept: such a run is begun again, not gone on with.
    public var unkept: String?
    /// Which attempt at the action under way this is, from 1, crashes not counted.
    public var attempt: Int
    /// How often a worker died while the action under way was executing.
    public var crashes: Int
    /// How many attempts at the action under way there were before a redrive.
    public var earlierAttempts: Int
    /// How many attempts at each action that has not ended may have been made and not kept, by workers that ended meanwhile.
    public var unrecorded: Int
    /// The highest number that an attempt at an action had which has ended; 0 where none has.
    public var highestAttempt: Int
    /// What the run is doing.
    public var standing: Standing

    /// What a run that has begun can be doing.
    public enum Standing: Hashable, Sendable {
        /// An action executes, or the conditions are asked.
        case executing
        /// The action waits for this signal, and nothing of it executes meanwhile.
        case waiting(SignalID)
        /// The action is tried again when it is this late, in milliseconds since 1970.
        case retrying(due: Int64)
        /// It stopped, for this reason, until somebody redrives it; so much of its deadline is left, in milliseconds.
        case parked(reason: String, remaining: Int64?)
        /// It is to end so: an action was given its time to return.
        case stopping(RunResult.State, reason: String)
    }

    /// One value of a context, as an action left it.
    public struct Value: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The name of its Swift type: it is given back as that type, and as no other.
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

    /// How far `run` has come; by default it has begun and done nothing yet.
    public init(
        run: RunID,
        eligible: [String]? = nil,
        actions: [ActionOutcome] = [],
        values: [Value] = [],
        unkept: String? = nil,
        attempt: Int = 1,
        crashes: Int = 0,
        earlierAttempts: Int = 0,
        unrecorded: Int = 0,
        highestAttempt: Int = 0,
        standing: Standing = .executing
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
        self.standing = standing
    }
}
