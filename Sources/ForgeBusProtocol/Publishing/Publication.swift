/// A notification that a process publishes, from a PUB or XPUB to a worker's SUB.
///
/// A hint that may be lost, with nobody to answer it. What must arrive is sent as a ``Request``.
public struct Publication: Hashable, Sendable {
    /// What changed.
    public var topic: Topic
    /// The sender's id: what comes twice under one id, by two ways, is one.
    public var id: RequestID
    /// Which of its publisher's messages this is; nil where the publisher does not count.
    public var origin: Origin?
    /// Anything, up to the frame's limit; a hint for people, never the state itself.
    public var body: [UInt8]
    /// What the sender calls itself: a label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the notification belongs to.
    public var traceparent: String?

    /// Which of its publisher's messages one is, so that a receiver sees what it missed.
    public struct Origin: Hashable, Sendable {
        /// Stands for one life of one publisher, and for no other: 64 random bits.
        public var epoch: UInt64
        /// Counts the messages of that life on this topic, from 1.
        public var sequence: UInt64

        /// The message `sequence` of `epoch`.
        public init(epoch: UInt64, sequence: UInt64) {
            self.epoch = epoch
            self.sequence = sequence
        }
    }

    /// Something on `topic` changed.
    public init(
        topic: Topic,
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

    /// The least that a SUB has to subscribe to for everything `pattern` means; empty for all there is.
    ///
    /// A subscription compares first bytes, so more than the pattern means may come: `stock.` for `stock.*.price`.
    public static func subscription(for pattern: NamePattern) -> String { pattern.literalPrefix }
}
