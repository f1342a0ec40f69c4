/// An event of a connection or a listener of a socket, as reported by libzmq's I/O thread.
///
/// Endpoints are texts as libzmq writes them, with the real ports: the local address for a listener, the remote address
/// for an outgoing connection.
public enum SocketEvent: Hashable, Sendable {
    /// The socket now listens on the endpoint.
    case listening(endpoint: String)

    /// The socket could not be bound to the endpoint; `reason` is the operating system's description of the error.
    case bindFailed(endpoint: String, reason: String)

    /// A listener accepted a connection; its peer is not authenticated yet.
    case accepted(endpoint: String)

    /// A listener could not accept an incoming connection.
    case acceptFailed(endpoint: String, AcceptFailure)

    /// An outgoing connection is established; its peer is not authenticated yet.
    case connected(endpoint: String)

    /// Connecting did not succeed immediately; libzmq continues in the background.
    case connectDelayed(endpoint: String)

    /// Connecting failed; libzmq tries again after this time.
    case connectRetried(endpoint: String, after: Duration)

    /// The connection is ready for messages; with CURVE, the peer has proved its key.
    case handshakeSucceeded(endpoint: String)

    /// The handshake failed: one side refused the other, or the connection ended.
    case handshakeFailed(endpoint: String, HandshakeFailure)

    /// An established connection has ended.
    case disconnected(endpoint: String)

    /// A listener was closed, or a connection was closed before it was established; also reported if closing failed.
    case closed(endpoint: String)

    /// Any other event of libzmq; `number` is libzmq's `ZMQ_EVENT_…` number.
    case other(number: Int, endpoint: String)
}

/// Why a connection could not be accepted.
public struct AcceptFailure: Hashable, Sendable {
    /// Whether the cause is a lack of descriptors or memory, so that an immediate retry would fail again.
    public let isExhaustion: Bool

    /// The operating system's description of the error.
    public let reason: String
}

/// Why a handshake failed.
public enum HandshakeFailure: Hashable, Sendable {
    /// The server's authenticator refused the key, with the ZAP status code `status`: 300, 400 or 500.
    case refused(status: Int)

    /// The peer used another security mechanism, a wrong server key, or a protocol other than ZeroMQ's.
    ///
    /// The number is libzmq's `ZMQ_PROTOCOL_ERROR_…` code.
    case protocolError(number: Int)

    /// The connection ended during the handshake, or the handshake took too long.
    ///
    /// `reason` is the operating system's description of the error.
    case ended(reason: String)
}
