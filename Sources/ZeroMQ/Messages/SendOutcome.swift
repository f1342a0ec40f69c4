/// The outcome of sending a message.
///
/// Sending never waits and never throws; the sender decides whether to keep a message that was not sent.
public enum SendOutcome: Hashable, Sendable {
    /// The socket accepted the whole message; only an answer from the peer proves that the message arrived.
    case sent

    /// The peer is no longer connected to this socket, or the socket is closed.
    case unreachable

    /// The message was not accepted, because there is no room now.
    ///
    /// For a ``Router``, the peer's queue is full, or tasks wait for room in it. For a ``Dealer`` or a ``Pair``, no
    /// connection has room.
    case full
}
