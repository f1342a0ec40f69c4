import CZeroMQ

/// How a socket serves encrypted connections: its keys, and the authenticator that decides about clients.
public struct CurveServer: Sendable {
    let keys: KeyPair
    let authenticator: Authenticator

    /// Combines the keys and the authenticator.
    ///
    /// - Parameters:
    ///   - keys: The server's own keys; clients know the public one beforehand.
    ///   - authenticator: The authenticator, from the same reactor.
    public init(keys: KeyPair, authenticator: Authenticator) {
        self.keys = keys
        self.authenticator = authenticator
    }
}

/// How a socket connects with encryption: its keys, and the server's public key.
public struct CurveClient: Hashable, Sendable {
    /// The client's own keys.
    public let keys: KeyPair

    /// The server's public key; the client refuses any other server.
    public let server: PublicKey

    /// Combines both sides' keys.
    ///
    /// - Parameters:
    ///   - keys: The client's own keys; the server has to allow the public one.
    ///   - server: The server's public key.
    public init(keys: KeyPair, server: PublicKey) {
        self.keys = keys
        self.server = server
    }
}

/// The mechanism of a socket; all its connections use the same.
enum SocketSecurity {
    case plain
    case server(CurveServer)
    case client(CurveClient)

    /// The mechanism's name; mechanisms with equal names may be mixed.
    var mechanism: String {
        switch self {
        case .plain: "no encryption"
        case .server: "CURVE as a server"
        case .client: "CURVE as a client"
        }
    }

    /// The bytes that encryption adds to a frame, which libzmq counts against the size limit.
    var envelopeSize: Int {
        switch self {
        case .plain: 0
        case .server, .client: 33
        }
    }

    /// Sets the mechanism on a socket, for all later binds and connects.
    func apply(to socket: UnsafeMutableRawPointer) throws(ZeroMQError) {
        let setter = OptionSetter(socket: socket)
        switch self {
        case .plain:
            break
        case .server(let server):
            try setter.set(ZMQ_CURVE_SERVER, "curve.server", 1)
            try setter.set(ZMQ_CURVE_SECRETKEY, "curve.secretKey", secret: server.keys.secretKey.text)
            // Without a domain and its enforcement, libzmq skips the question when nobody answers it.
            try setter.set(ZMQ_ZAP_DOMAIN, "zap.domain", secret: "global")
            try setter.set(czmq_zap_enforce_domain, "zap.enforceDomain", 1)
        case .client(let client):
            try setter.set(ZMQ_CURVE_SERVERKEY, "curve.serverKey", secret: client.server.description)
            try setter.set(ZMQ_CURVE_PUBLICKEY, "curve.publicKey", secret: client.keys.publicKey.description)
            try setter.set(ZMQ_CURVE_SECRETKEY, "curve.secretKey", secret: client.keys.secretKey.text)
        }
    }
}

extension OptionSetter {
    /// Sets a text that errors must not show.
    fileprivate func set(_ option: Int32, _ name: String, secret text: String) throws(ZeroMQError) {
        guard zmq_setsockopt(socket, option, text, text.utf8.count) == 0 else { throw refused(name, "what was given") }
    }
}
