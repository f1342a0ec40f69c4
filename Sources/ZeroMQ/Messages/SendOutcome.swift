/// The outcome of sending a message.
///
/// No outcome is an error: sending never waits, and the sender decides whether to keep the message.
public enum SendOutcome: Hashable, Sendable {
    /// The socket took the whole message; only an answer proves that it arrived.
    case sent

    /// The peer's queue is full, and the message waits in the peer's outbox; only a ``Router`` has outboxes.
    case queued

    /// The peer is no longer connected to this socket, or the socket is closed.
    case unreachable

    /// There is no room now: the peer's queue and its outbox are full, or a ``Dealer`` or ``Pair`` has no connection that takes messages.
    case full
}
