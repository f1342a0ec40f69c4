import CZeroMQ

/// The settings of a socket that accepts encrypted connections: its keys and the authenticator that admits clients.
///
/// Each endpoint of a socket keeps the keys that it was bound with. So endpoints of one socket may have different keys.
public struct CurveServer: Sendable {
    let keys: KeyPair
    let authenticator: Authenticator

    /// Makes the settings of a server from its keys and an authenticator.
    ///
    /// - Parameters:
    ///   - keys: The server's own keys; clients need the public key to connect.
    ///   - authenticator: The authenticator of the reactor that binds the socket.
    public init(keys: KeyPair, authenticator: Authenticator) {
        self.keys = keys
        self.authenticator = authenticator
    }
}

/// The settings of a socket that connects with encryption: its own keys and the server's public key.
public struct CurveClient: Hashable, Sendable {
    /// The client's own keys.
    public let keys: KeyPair

    /// The server's public key; the client refuses any other server.
    public let server: PublicKey

    /// Makes the settings of a client from its own keys and the server's public key.
    ///
    /// - Parameters:
    ///   - keys: The client's own keys; the server must allow the public key.
    ///   - server: The server's public key.
    public init(keys: KeyPair, server: PublicKey) {
        self.keys = keys
        self.server = server
    }
}

/// Names a bind that lets everybody connect: see ``Reactor/bind(_:to:_:)``.
public enum OpenAdmission: Sendable {
    /// No encryption and no check of who connects.
    case unauthenticated
}

/// The security mechanism of a socket; all connections of a socket use the same mechanism.
enum SocketSecurity {
    case plain
    case server(CurveServer)
    case client(CurveClient)

    /// The mechanism's name, for comparisons and for error messages.
    var mechanism: String {
        switch self {
        case .plain: "no encryption"
        case .server: "CURVE as a server"
        case .client: "CURVE as a client"
        }
    }

    /// The number of bytes that encryption adds to a frame; libzmq's limit for the size of a frame includes them.
    var envelopeSize: Int {
        switch self {
        case .plain: 0
        case .server, .client: 33
        }
    }

    /// Sets the mechanism on a socket, for all later binds and connects.
    func apply(to socket: UnsafeMutableRawPointer) throws(ZeroMQError) {
        switch self {
        case .plain:
            break
        case .server(let server):
            try SocketOption(number: ZMQ_CURVE_SERVER, name: "curve.server", coding: .flag).set(true, on: socket)
            try ZeroMQ.set(ZMQ_CURVE_SECRETKEY, "curve.secretKey", secret: server.keys.secretKey.text, on: socket)
            // Without an enforced domain, libzmq accepts every key if no authenticator answers.
            // The domain tells the authenticator which of the server's keys the peer knows.
            try ZeroMQ.set(ZMQ_ZAP_DOMAIN, "zap.domain", secret: server.keys.publicKey.description, on: socket)
            try SocketOption(number: czmq_zap_enforce_domain, name: "zap.enforceDomain", coding: .flag)
                .set(true, on: socket)
        case .client(let client):
            try ZeroMQ.set(ZMQ_CURVE_SERVERKEY, "curve.serverKey", secret: client.server.description, on: socket)
            try ZeroMQ.set(
                ZMQ_CURVE_PUBLICKEY,
                "curve.publicKey",
                secret: client.keys.publicKey.description,
                on: socket
            )
            try ZeroMQ.set(ZMQ_CURVE_SECRETKEY, "curve.secretKey", secret: client.keys.secretKey.text, on: socket)
        }
    }
}

/// Sets an option to a secret text; the error for a refused value does not show the text.
private func set(
    _ option: Int32,
    _ name: String,
    secret text: String,
    on socket: UnsafeMutableRawPointer
) throws(ZeroMQError) {
    guard zmq_setsockopt(socket, option, text, text.utf8.count) == 0 else { throw Errors.keyRefused(option: name) }
}
