/// What a ``Router`` keeps for peers whose queues are full, until they have room.
public struct OutboxLimits: Hashable, Sendable {
    /// The messages kept for one peer; 0 keeps none, and a full peer is ``SendOutcome/full`` at once.
    public var messagesPerPeer: Int

    /// The bytes kept for all peers together.
    ///
    /// One peer takes a quarter of what is still free at most: alone a fifth of all, and however many read nothing, there
    /// is always something left for the next.
    public var bytes: Int

    /// Limits of what is kept.
    ///
    /// - Parameters:
    ///   - messagesPerPeer: The messages kept for one peer.
    ///   - bytes: The bytes kept for all peers together.
    public init(messagesPerPeer: Int = 1024, bytes: Int = 64 << 20) {
        self.messagesPerPeer = messagesPerPeer
        self.bytes = bytes
    }

    /// Nothing is kept: a full peer is the sender's business.
    public static let none = OutboxLimits(messagesPerPeer: 0, bytes: 0)
}

/// A message that a ``Router`` had taken for a peer, and that did not reach the peer's queue.
public struct Undelivered: Sendable {
    /// For whom it was.
    public let peer: PeerID

    /// What was to be sent.
    public let message: Message

    /// Why it was not.
    public let reason: Reason

    /// Why a message did not reach its peer's queue.
    public enum Reason: Hashable, Sendable {
        /// The peer is not connected any more.
        case peerUnreachable

        /// The peer had no room in the time that the message was given.
        case deadline

        /// The socket was closed.
        case closed
    }
}
