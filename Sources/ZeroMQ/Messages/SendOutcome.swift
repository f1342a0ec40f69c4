/// The outcome of sending a message.
///
/// Sending never waits and never throws; the sender decides whether to keep a message that was not sent.
public enum SendOutcome: Hashable, Sendable {
    /// The socket accepted the whole message; only an answer from the peer proves that the message arrived.
    case sent

    /// The peer's queue is full, and the message waits in the peer's outbox; only a ``Router`` has outboxes.
    case queued

    /// The peer is no longer connected to this socket, or the socket is closed.
    case unreachable

    /// The message was not accepted, because there is no room now.
    ///
    /// For a ``Router``, the peer's queue is full and the peer's outbox cannot keep the message. For a ``Dealer`` or a
    /// ``Pair``, no connection has room.
    case full
}
