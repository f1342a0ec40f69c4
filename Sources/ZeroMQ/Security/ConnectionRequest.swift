/// A peer that has proved its key and wants to connect to a CURVE server.
public struct ConnectionRequest: Hashable, Sendable {
    /// The peer's public key; the peer has proved that it holds the secret key.
    public let key: PublicKey
    /// The peer's address as libzmq reports it: an IP address for `tcp`, and a text without a defined form for `ipc`.
    public let address: String
    /// The public key of the server at the endpoint that the peer connects to.
    public let server: PublicKey
}

/// An ``Authenticator``'s answer about a peer that wants to connect.
public enum Admission: Sendable {
    /// The peer may connect.
    case allowed
    /// The server tells the peer that its key is not allowed, and the peer's libzmq does not connect again.
    case refused
    /// The peer gets no answer.
    ///
    /// The connection ends after ``SocketOptions/handshakeInterval``, and the peer's libzmq connects again.
    case postponed
}
