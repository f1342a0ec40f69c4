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
        /// Who the worker is, what it speaks and what its limits are.
        case welcome(Welcome)
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
        /// What was asked is done, or stands so.
        case ok(StateReport)
        /// What one run, signal, monitor or pipeline is.
        case shown(JSONObject)
        /// A page of a list.
        case page(Page)
        /// Something happened that is watched.
        case event(BusEvent)
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
