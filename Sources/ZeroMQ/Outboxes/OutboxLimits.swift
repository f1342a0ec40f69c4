/// The limits of a ``Router``'s outboxes, which keep messages for peers whose queues are full.
public struct OutboxLimits: Hashable, Sendable {
    /// The maximum number of messages kept for one peer.
    ///
    /// With 0 no message is kept: sending to a peer whose queue is full returns ``SendOutcome/full`` immediately.
    public var messagesPerPeer: Int

    /// The maximum number of bytes kept for all peers together.
    ///
    /// The messages for one peer may take at most a quarter of the bytes that are still free. So one slow peer takes at
    /// most a quarter of the limit, and other peers still have room.
    public var bytes: Int

    /// Makes limits for outboxes.
    ///
    /// - Parameters:
    ///   - messagesPerPeer: The maximum number of messages kept for one peer.
    ///   - bytes: The maximum number of bytes kept for all peers together.
    public init(messagesPerPeer: Int = 1024, bytes: Int = 64 << 20) {
        self.messagesPerPeer = messagesPerPeer
        self.bytes = bytes
    }

    /// Limits with which no message is kept: the sender must handle ``SendOutcome/full``.
    public static let none = OutboxLimits(messagesPerPeer: 0, bytes: 0)
}

/// A message from a ``Router``'s outbox that did not reach its peer's queue.
public struct Undelivered: Sendable {
    /// The peer to which the message was sent.
    public let peer: PeerID

    /// The message that was not delivered.
    public let message: Message

    /// Why the message was not delivered.
    public let reason: Reason

    /// Why a message did not reach its peer's queue.
    public enum Reason: Hashable, Sendable {
        /// The peer is no longer connected.
        case peerUnreachable

        /// The peer's queue had no room before the message's deadline.
        case deadline

        /// The socket was closed.
        case closed
    }
}
