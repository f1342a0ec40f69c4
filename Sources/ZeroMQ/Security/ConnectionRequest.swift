/// A peer that has proved a key and wants to connect to a CURVE server.
public struct ConnectionRequest: Hashable, Sendable {
    /// The key.
    public let key: PublicKey
    /// Where it connects from, as libzmq tells it: an IP address over `tcp`, a text that is none over `ipc`.
    public let address: String
}

/// What an ``Authenticator`` decides about a peer that wants to connect.
public enum Admission: Sendable {
    /// It is connected.
    case allowed
    /// It is told that its key is not allowed, and libzmq does not try again.
    case refused
    /// It is told nothing; the connection ends after ``SocketOptions/handshakeInterval``, and libzmq tries again.
    case postponed
}
