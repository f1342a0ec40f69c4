/// A notification that a process publishes, from a PUB or XPUB socket to the SUB sockets of workers.
///
/// A publication may be lost, and its sender gets no answer. If a notification must arrive, send it as a ``Request``.
public struct Publication: Hashable, Sendable {
    /// The topic that changed.
    public var topic: Name
    /// The sender's id for the notification.
    ///
    /// A worker does not compare the ids of publications: it recognises a repetition by ``origin``.
    public var id: RequestID
    /// The publisher's number for the message; nil if the publisher does not count its messages.
    public var origin: Origin?
    /// A hint for the monitors' actions: any bytes, up to ``WireLimits/frameSizeInBytes``.
    ///
    /// The actions read the state itself elsewhere, for instance from a database.
    public var body: [UInt8]
    /// A label that the sender chooses, at most 128 bytes; it does not prove the sender's identity.
    public var source: String?
    /// The W3C trace context that the notification belongs to; nil if it belongs to no trace.
    public var traceparent: String?

    /// The number of a publisher's message; a gap in the numbers shows a receiver that messages are missing.
    public struct Origin: Hashable, Sendable {
        /// 64 random bits that the publisher draws each time it starts.
        public var epoch: UInt64
        /// The number of the message on its topic since the publisher started, from 1.
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

    /// The narrowest subscription of a SUB socket that covers `pattern`; an empty text subscribes to everything.
    ///
    /// The subscription for `stock.*.price` is `stock.`. A SUB socket compares only the first bytes of a topic, so the
    /// socket may also get messages whose topics do not match the pattern.
    public static func subscription(for pattern: NamePattern) -> String { pattern.literalPrefix }
}
