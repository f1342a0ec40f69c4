public import ForgeBusProtocol

/// What notifications owe a monitor that were to survive the worker.
public struct DebtRecord: Hashable, Sendable {
    /// Which monitor.
    public var monitor: Name
    /// What was said, by topic.
    public var causes: [Cause]
    /// How many notifications came on topics beyond these.
    public var others: Int

    /// What was said on one topic.
    public struct Cause: Hashable, Sendable {
        /// The topic.
        public var topic: Topic
        /// How many notifications came on it.
        public var count: Int
        /// When the first of them came, in milliseconds since 1970.
        public var first: Int64
        /// When the last of them came, in milliseconds since 1970.
        public var last: Int64
        /// Who sent the last of them.
        public var publisher: String
        /// The latest trace ids among them.
        public var traceIDs: [String]
        /// The beginning of the last one's body.
        public var body: [UInt8]
        /// How many bytes that body had.
        public var bodySizeInBytes: Int

        /// What was said on `topic`.
        public init(
            topic: Topic,
            count: Int,
            first: Int64,
            last: Int64,
            publisher: String,
            traceIDs: [String],
            body: [UInt8],
            bodySizeInBytes: Int
        ) {
            self.topic = topic
            self.count = count
            self.first = first
            self.last = last
            self.publisher = publisher
            self.traceIDs = traceIDs
            self.body = body
            self.bodySizeInBytes = bodySizeInBytes
        }
    }

    /// What is owed `monitor`.
    public init(monitor: Name, causes: [Cause], others: Int = 0) {
        self.monitor = monitor
        self.causes = causes
        self.others = others
    }
}

/// The screen that somebody said is showing to a monitor.
public struct ModeRecord: Hashable, Sendable {
    /// Which monitor.
    public var monitor: Name
    /// The screen.
    public var screen: String
    /// Until when, in milliseconds since 1970.
    public var until: Int64

    /// `screen` is showing to `monitor`.
    public init(monitor: Name, screen: String, until: Int64) {
        self.monitor = monitor
        self.screen = screen
        self.until = until
    }
}
