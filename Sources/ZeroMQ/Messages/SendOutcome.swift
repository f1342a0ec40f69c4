/// What became of a message that was handed to a socket.
///
/// None of these is an error: sending never waits, and the sender decides whether to keep the message.
public enum SendOutcome: Hashable, Sendable {
    /// The socket took the whole message; whether it arrives only an answer can tell.
    case sent

    /// The peer's queue is full, and the message waits in the peer's outbox for room; only a ``Router`` has those.
    case queued

    /// Nobody is there: the peer is not connected to this socket any more, or the socket is closed.
    case unreachable

    /// There is no room now: the peer's queue and its outbox are full, or a ``Dealer`` or ``Pair`` has no connection that takes messages.
    case full
}
