/// What happened to a connection or a listener of a socket, as libzmq's I/O thread saw it.
///
/// Endpoints are texts as libzmq writes them, with the real ports: the local side for a listener, the remote side for
/// an outgoing connection.
public enum SocketEvent: Hashable, Sendable {
    /// The socket listens.
    case listening(endpoint: String)

    /// The socket could not be bound.
    case bindFailed(endpoint: String, reason: String)

    /// A connection came in; it is not authenticated yet.
    case accepted(endpoint: String)

    /// An incoming connection could not be accepted.
    case acceptFailed(endpoint: String, AcceptFailure)

    /// A connection is up on the network; it is not authenticated yet.
    case connected(endpoint: String)

    /// Connecting takes a while; libzmq goes on in the background.
    case connectDelayed(endpoint: String)

    /// Connecting failed and is tried again.
    case connectRetried(endpoint: String, after: Duration)

    /// The connection is ready for messages; with CURVE, the peer has proved its key.
    case handshakeSucceeded(endpoint: String)

    /// One side refused the other.
    case handshakeFailed(endpoint: String, HandshakeFailure)

    /// A connection that was up has ended.
    case disconnected(endpoint: String)

    /// A listener, or a connection that was not up yet, was closed.
    case closed(endpoint: String)

    /// An event that this version has no case for.
    case other(number: Int, endpoint: String)
}

/// Why a connection could not be accepted.
public struct AcceptFailure: Hashable, Sendable {
    /// Whether descriptors or memory are used up, so that an immediate retry would fail again.
    public let isExhaustion: Bool

    /// The operating system's text.
    public let reason: String
}

/// Why a handshake failed.
public enum HandshakeFailure: Hashable, Sendable {
    /// The authenticator did not allow the key; its status code, 300, 400 or 500.
    case refused(status: Int)

    /// The peer sent something else than the expected protocol: another mechanism, a wrong server key, or no ZeroMQ.
    /// The number is libzmq's `ZMQ_PROTOCOL_ERROR_…`.
    case protocolError(number: Int)

    /// The connection ended during the handshake, or the handshake took too long; the operating system's text.
    case ended(reason: String)
}
