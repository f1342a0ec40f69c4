/// An answer of a worker.
public struct Answer: Hashable, Sendable {
    /// The id of the answered request; nil when the request had no readable id.
    public var id: RequestID?
    /// The answer's content.
    public var content: Content
    /// Whether this answer repeats an earlier one, because the same request came again.
    public var isReplayed: Bool

    /// Makes an answer to the request `id`.
    public init(to id: RequestID?, _ content: Content, isReplayed: Bool = false) {
        self.id = id
        self.content = content
        self.isReplayed = isReplayed
    }

    /// The answers of version 1.
    public enum Content: Hashable, Sendable {
        /// The description of the worker, such as its name, its protocol versions and its limits.
        case welcome(Welcome)
        /// The worker has accepted a notification or a run.
        case accepted(Acceptance)
        /// A run or one of its actions changed its state.
        case progress(RunProgress)
        /// A run ended.
        case result(RunResult)
        /// The cycles that cover a notification have ended, or the notification's deadline has passed.
        case evaluated(Evaluation)
        /// The outcome of a decision.
        case verdict(VerdictReport)
        /// The worker has carried out the request, or reports the current state of a run.
        case ok(StateReport)
        /// The item that SHOW requested, for instance a run or a signal.
        case shown(JSONObject)
        /// A page of a list.
        case page(Page)
        /// An event that matches the pattern of a watch.
        case event(BusEvent)
        /// The worker responds to a PING.
        case pong(Pong)
        /// The request failed or was refused.
        case error(BusError)
    }
}

/// A worker's confirmation that it has accepted a notification or a run, with the durability of the acceptance.
public struct Acceptance: Hashable, Sendable {
    /// How durable the acceptance is.
    public var durability: Durability
    /// How many monitors follow the topic of the notification; nil for a run.
    ///
    /// Zero is not an error.
    public var monitors: Int?
    /// The accepted run; nil for a notification.
    public var run: RunID?
    /// How long after the run's end the worker keeps the answers to the request; nil for a notification.
    public var retention: Duration?

    /// Makes the acceptance of a notification.
    public static func notification(durability: Durability, monitors: Int) -> Acceptance {
        Acceptance(durability: durability, monitors: monitors, run: nil, retention: nil)
    }

    /// Makes the acceptance of a run.
    public static func run(_ run: RunID, durability: Durability, retention: Duration) -> Acceptance {
        Acceptance(durability: durability, monitors: nil, run: run, retention: retention)
    }
}

/// A page of a list.
public struct Page: Hashable, Sendable {
    /// The items; each item is one object.
    public var items: [JSONObject]
    /// The cursor to send for the next page; nil on the last page.
    public var cursor: String?

    /// Makes a page of `items`.
    public init(items: [JSONObject], cursor: String? = nil) {
        self.items = items
        self.cursor = cursor
    }
}
