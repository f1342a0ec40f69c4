public import ForgeBusProtocol

/// The notifications for which a monitor is owed a cycle, also after a restart.
public struct DebtRecord: Hashable, Sendable {
    /// The monitor.
    public var monitor: Name
    /// The notifications, by topic.
    public var causes: [Cause]
    /// How many notifications came on other topics.
    public var others: Int

    /// The notifications on one topic.
    public struct Cause: Hashable, Sendable {
        /// The topic.
        public var topic: Name
        /// How many notifications came on it.
        public var count: Int
        /// When the first of them came, in milliseconds since 1970.
        public var first: Int64
        /// When the last of them came, in milliseconds since 1970.
        public var last: Int64
        /// The sender of the last of them.
        public var publisher: String
        /// The latest trace ids among them.
        public var traceIDs: [String]
        /// The beginning of the last one's body.
        public var body: [UInt8]
        /// How many bytes that body had.
        public var bodySizeInBytes: Int

        /// Notifications on `topic`.
        public init(
            topic: Name,
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

    /// The debt to `monitor`.
    public init(monitor: Name, causes: [Cause], others: Int = 0) {
        self.monitor = monitor
        self.causes = causes
        self.others = others
    }
}

/// The screen that a monitor shows, as set by MODE.
public struct ModeRecord: Hashable, Sendable {
    /// The monitor.
    public var monitor: Name
    /// The screen.
    public var screen: String
    /// When it ends, in milliseconds since 1970.
    public var until: Int64

    /// The screen of `monitor`.
    public init(monitor: Name, screen: String, until: Int64) {
        self.monitor = monitor
        self.screen = screen
        self.until = until
    }
}
