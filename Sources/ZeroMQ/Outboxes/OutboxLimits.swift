/// What a ``Router`` keeps for peers whose queues are full, until they have room.
public struct OutboxLimits: Hashable, Sendable {
    /// The messages kept for one peer; 0 keeps none, and a full peer is ``SendOutcome/full`` at once.
    public var messagesPerPeer: Int

    /// The bytes kept for all peers together.
    ///
    /// One peer takes at most a quarter of what is still free: a single peer a fifth of all, and however many peers
    /// don't read, some room is always left for the next.
    public var bytes: Int

    /// Sets the limits.
    ///
    /// - Parameters:
    ///   - messagesPerPeer: The messages kept for one peer.
    ///   - bytes: The bytes kept for all peers together.
    public init(messagesPerPeer: Int = 1024, bytes: Int = 64 << 20) {
        self.messagesPerPeer = messagesPerPeer
        self.bytes = bytes
    }

    /// Nothing is kept: the sender handles a full peer.
    public static let none = OutboxLimits(messagesPerPeer: 0, bytes: 0)
}

/// A message that a ``Router`` had queued for a peer, and that did not reach the peer's queue.
public struct Undelivered: Sendable {
    /// The receiver.
    public let peer: PeerID

    /// The message.
    public let message: Message

    /// Why it was not delivered.
    public let reason: Reason

    /// Why a message did not reach its peer's queue.
    public enum Reason: Hashable, Sendable {
        /// The peer is no longer connected.
        case peerUnreachable

        /// The peer had no room before the message's deadline.
        case deadline

        /// The socket was closed.
        case closed
    }
}
