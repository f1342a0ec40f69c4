/// A notification that a process publishes, from a PUB or XPUB to a worker's SUB.
///
/// A hint that may be lost and gets no answer. Send what must arrive as a ``Request``.
public struct Publication: Hashable, Sendable {
    /// The topic that changed.
    public var topic: Name
    /// The sender's id: messages with the same id are one, even if they arrive by two ways.
    public var id: RequestID
    /// The number of the message at its publisher; nil if the publisher does not count.
    public var origin: Origin?
    /// Any bytes, up to the frame's limit; a hint for people, never the state itself.
    public var body: [UInt8]
    /// The sender's own label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the notification belongs to.
    public var traceparent: String?

    /// Numbers a publisher's message, so that a receiver notices missing ones.
    public struct Origin: Hashable, Sendable {
        /// Identifies one start of one publisher, and no other: 64 random bits.
        public var epoch: UInt64
        /// Counts the messages of that start on this topic, from 1.
        public var sequence: UInt64

        /// Makes the origin of message `sequence` of `epoch`.
        public init(epoch: UInt64, sequence: UInt64) {
            self.epoch = epoch
            self.sequence = sequence
        }
    }

    /// Makes a notification on `topic`.
    public init(
        topic: Name,
        id: RequestID = .random(),
        origin: Origin? = nil,
        body: [UInt8] = [],
        source: String? = nil,
        traceparent: String? = nil
    ) {
        self.topic = topic
        self.id = id
        self.origin = origin
        self.body = body
        self.source = source
        self.traceparent = traceparent
    }

    /// The shortest subscription of a SUB that covers `pattern`; empty for everything.
    ///
    /// A subscription compares first bytes, so more messages may arrive than the pattern matches: `stock.` for
    /// `stock.*.price`.
    public static func subscription(for pattern: NamePattern) -> String { pattern.literalPrefix }
}
