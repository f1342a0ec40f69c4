/// What a worker answers.
public struct Answer: Hashable, Sendable {
    /// The id of the request that is answered; nil when the request had none that could be read.
    public var id: RequestID?
    /// What is said.
    public var content: Content
    /// Whether this was said before: the same request came again.
    public var isReplayed: Bool

    /// An answer to the request `id`.
    public init(to id: RequestID?, _ content: Content, isReplayed: Bool = false) {
        self.id = id
        self.content = content
        self.isReplayed = isReplayed
    }

    /// The answers of version 1.
    public enum Content: Hashable, Sendable {
        /// The notification or request is taken.
        case accepted(Acceptance)
        /// A run changed its state.
        case progress(RunProgress)
        /// A run ended.
        case result(RunResult)
        /// The cycles that cover a notification ended, or its deadline passed.
        case evaluated(Evaluation)
        /// What became of a decision.
        case verdict(VerdictReport)
        /// A page of a list.
        case page(Page)
        /// The worker lives.
        case pong(Pong)
        /// The request had no effect.
        case error(BusError)
    }
}

/// The notification or request is taken, and what that is worth.
public struct Acceptance: Hashable, Sendable {
    /// How long what was taken lives.
    public var durability: Durability
    /// How many monitors match the topic of a notification; nil for a run.
    ///
    /// Zero is no error.
    public var monitors: Int?
    /// The run that was begun; nil for a notification.
    public var run: RunID?
    /// How long after the run's end its answer is kept; nil for a notification.
    public var retention: Duration?

    /// A notification is taken.
    public static func notification(durability: Durability, monitors: Int) -> Acceptance {
        Acceptance(durability: durability, monitors: monitors, run: nil, retention: nil)
    }

    /// A run is taken.
    public static func run(_ run: RunID, durability: Durability, retention: Duration) -> Acceptance {
        Acceptance(durability: durability, monitors: nil, run: run, retention: retention)
    }
}

/// A run, or one of its actions, changed its state.
public struct RunProgress: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// Counts the changes told of this run, from 1.
    public var sequence: Int
    /// What changed.
    public var change: Change

    /// What can change.
    public enum Change: Hashable, Sendable {
        /// An action began.
        case started(action: String)
        /// An action ended.
        case finished(action: String, ActionOutcome.Result)
        /// An action waits for a signal or gate; told also to those who did not ask for progress.
        case waiting(action: String, signal: SignalID)
        /// What the action waited for is decided, and the run goes on.
        case resumed(action: String, signal: SignalID)
    }

    /// A change of `run`.
    public init(run: RunID, sequence: Int, change: Change) {
        self.run = run
        self.sequence = sequence
        self.change = change
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
    public init(run: RunID, state: State, reason: String = "", actions: [ActionOutcome], outputs: JSONObject = [:]) {
        self.run = run
        self.state = state
        self.reason = reason
        self.actions = actions
        self.outputs = outputs
    }
}

/// Which cycles covered a notification.
public struct Evaluation: Hashable, Sendable {
    /// The monitors that matched, in the order in which they answered.
    public var monitors: [Monitor]
    /// The monitors whose covering cycle had not ended when the deadline passed.
    public var pending: [Name]

    /// What one monitor did.
    public struct Monitor: Hashable, Sendable {
        /// Which monitor.
        public var monitor: Name
        /// The number of the covering cycle; nil where none ran.
        public var cycle: Int?
        /// What became of it.
        public var state: State
        /// The actions the cycle ran.
        public var actions: [ActionOutcome]

        /// One monitor's part.
        public init(monitor: Name, cycle: Int?, state: State, actions: [ActionOutcome]) {
            self.monitor = monitor
            self.cycle = cycle
            self.state = state
            self.actions = actions
        }
    }

    /// What can become of a covering cycle.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It ran, and none of its actions failed.
        case ran
        /// It ran, and an action failed.
        case failed
        /// It did not end within the monitor's time limit.
        case overdue
        /// An excluded screen is showing; the debt is kept.
        case excluded
    }

    /// The monitors that answered and those that did not.
    public init(monitors: [Monitor], pending: [Name] = []) {
        self.monitors = monitors
        self.pending = pending
    }
}

/// A page of a list.
public struct Page: Hashable, Sendable {
    /// The items, one object each.
    public var items: [JSONObject]
    /// What to send to get the next page; nil where this is the last.
    public var cursor: String?

    /// A page.
    public init(items: [JSONObject], cursor: String? = nil) {
        self.items = items
        self.cursor = cursor
    }
}

/// The worker lives.
public struct Pong: Hashable, Sendable {
    /// What the worker calls itself.
    public var worker: String
    /// What it takes.
    public var state: State
    /// The body of the PING.
    public var body: [UInt8]

    /// What a worker takes.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Decisions only: its start-up sequence is not through.
        case starting
        /// Everything.
        case ready
        /// Decisions only: it finishes what it has and stops.
        case draining
    }

    /// The worker lives.
    public init(worker: String, state: State, body: [UInt8] = []) {
        self.worker = worker
        self.state = state
        self.body = body
    }
}
