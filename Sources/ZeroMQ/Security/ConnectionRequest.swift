/// A peer that has proved its key and wants to connect to a CURVE server.
public struct ConnectionRequest: Hashable, Sendable {
    /// The key.
    public let key: PublicKey
    /// The peer's address from libzmq: an IP address over `tcp`, another text over `ipc`.
    public let address: String
}

/// An ``Authenticator``'s decision about a peer that wants to connect.
public enum Admission: Sendable {
    /// The peer is connected.
    case allowed
    /// The peer learns that its key is not allowed, and its libzmq does not try again.
    case refused
    /// The peer gets no answer; the connection ends after ``SocketOptions/handshakeInterval``, and its libzmq tries
    /// again.
    case postponed
}
