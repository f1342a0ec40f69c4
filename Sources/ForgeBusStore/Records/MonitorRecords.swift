public import ForgeBusProtocol

/// The durable notifications that no successful cycle of a monitor has covered yet; after a restart, a cycle covers
/// them.
public struct DebtRecord: Hashable, Sendable {
    /// The monitor's name.
    public var monitor: Name
    /// The notifications, grouped by topic.
    public var causes: [Cause]
    /// The number of notifications on further topics, which are not in ``causes``.
    public var others: Int
    /// The principals that sent these notifications; empty if the worker has no keys.
    public var principals: Set<String>

    /// The notifications on one topic.
    public struct Cause: Hashable, Sendable {
        /// The topic's name.
        public var topic: Name
        /// The number of notifications on this topic.
        public var count: Int
        /// When the first of these notifications came, in milliseconds since 1970.
        public var first: Int64
        /// When the last of these notifications came, in milliseconds since 1970.
        public var last: Int64
        /// The sender of the last notification: its principal; for a sender without a key, also the label that it sent
        /// as `source`.
        public var publisher: String
        /// The latest trace ids of these notifications, without repetitions, oldest first.
        public var traceIDs: [String]
        /// The beginning of the last notification's body.
        public var body: [UInt8]
        /// The number of bytes in the whole body of the last notification.
        public var bodySizeInBytes: Int

        /// Creates a summary of the notifications on `topic`.
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

    /// Creates the record of the durable notifications that no successful cycle of `monitor` has covered yet.
    public init(monitor: Name, causes: [Cause], others: Int = 0, principals: Set<String> = []) {
        self.monitor = monitor
        self.causes = causes
        self.others = others
        self.principals = principals
    }
}

/// A monitor whose latest cycle failed or took too long.
public struct TroubleRecord: Hashable, Sendable {
    /// The monitor's name.
    public var monitor: Name
    /// The end of the first failed cycle since the last successful cycle, in milliseconds since 1970.
    public var since: Int64

    /// Creates the record of a failing monitor.
    public init(monitor: Name, since: Int64) {
        self.monitor = monitor
        self.since = since
    }
}

/// The screen that a MODE request set for a monitor.
public struct ModeRecord: Hashable, Sendable {
    /// The monitor's name.
    public var monitor: Name
    /// The screen's name.
    public var screen: String
    /// When the mode ends, in milliseconds since 1970.
    public var until: Int64

    /// Creates the record of a mode of `monitor`.
    public init(monitor: Name, screen: String, until: Int64) {
        self.monitor = monitor
        self.screen = screen
        self.until = until
    }
}
