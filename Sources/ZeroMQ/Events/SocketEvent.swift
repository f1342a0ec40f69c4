/// What happened to a connection or a listener of a socket, as libzmq's I/O thread saw it.
///
/// Endpoints are texts as libzmq writes them, with the real ports: those of one's own side for a listener, those of the
/// other side for an outgoing connection.
public enum SocketEvent: Hashable, Sendable {
    /// The socket listens.
    case listening(endpoint: String)

    /// The socket could not be bound.
    case bindFailed(endpoint: String, reason: String)

    /// A connection came in; it is not authenticated yet.
    case accepted(endpoint: String)

    /// A connection could not be taken in.
    case acceptFailed(endpoint: String, AcceptFailure)

    /// A connection is up on the network; it is not authenticated yet.
    case connected(endpoint: String)

    /// Connecting takes a while; libzmq goes on in the background.
    case connectDelayed(endpoint: String)

    /// Connecting failed and is tried again.
    case connectRetried(endpoint: String, after: Duration)

    /// The peer has proved who it is, where that is asked for: messages flow.
    case handshakeSucceeded(endpoint: String)

    /// The peer was refused, or has refused us.
    case handshakeFailed(endpoint: String, HandshakeFailure)

    /// A connection that was up has ended.
    case disconnected(endpoint: String)

    /// A listener, or a connection that was not up yet, was closed.
    case closed(endpoint: String)

    /// Something libzmq reports that this version has no case for.
    case other(number: Int, endpoint: String)
}

/// Why a connection was not taken in.
public struct AcceptFailure: Hashable, Sendable {
    /// Whether descriptors or memory are used up, so that trying again at once is no use.
    public let isExhaustion: Bool

    /// The operating system's words.
    public let reason: String
}

/// Why two sides did not come together.
public enum HandshakeFailure: Hashable, Sendable {
    /// The authenticator did not allow the key; its status code, 300, 400 or 500.
    case refused(status: Int)

    /// What the peer sent is not the protocol that was expected: another mechanism, a wrong server key, or no ZeroMQ at
    /// all. The number is libzmq's `ZMQ_PROTOCOL_ERROR_…`.
    case protocolError(number: Int)

    /// The connection ended before the handshake did, or took too long; the operating system's words.
    case ended(reason: String)
}
