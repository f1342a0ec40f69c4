/// A peer that has proved its key and wants to connect to a CURVE server.
public struct ConnectionRequest: Hashable, Sendable {
    /// The peer's public key; the peer has proved that it holds the secret key.
    public let key: PublicKey
    /// The peer's address as libzmq reports it: an IP address over `tcp`, an unspecified text over `ipc`.
    public let address: String
}

/// An ``Authenticator``'s decision about a peer that wants to connect.
public enum Admission: Sendable {
    /// The peer may connect.
    case allowed
    /// The peer is told that its key is not allowed, and the peer's libzmq does not try again.
    case refused
    /// The peer gets no answer: the connection ends after ``SocketOptions/handshakeInterval``, and the peer's libzmq
    /// tries again.
    case postponed
}
