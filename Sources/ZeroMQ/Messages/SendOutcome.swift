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
    /// For a ``Router``, the peer's queue is full; for another kind, no connection has room. Also while tasks wait for room,
    /// because a new message never overtakes theirs.
    case full

    /// The message has no frame, or several for a ``Stream``; or a ``Req`` has no answer to its last question yet, or a ``Rep`` no question to answer.
    case refused
}
