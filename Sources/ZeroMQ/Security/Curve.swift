import CZeroMQ

/// How a socket serves encrypted connections: with these keys, for whom the authenticator allows.
public struct CurveServer: Sendable {
    let keys: KeyPair
    let authenticator: Authenticator

    /// Names the keys and who decides.
    ///
    /// - Parameters:
    ///   - keys: The server's own; clients know the public one beforehand.
    ///   - authenticator: Who decides about clients, from the same reactor.
    public init(keys: KeyPair, authenticator: Authenticator) {
        self.keys = keys
        self.authenticator = authenticator
    }
}

/// How a socket connects with encryption: with these keys, to the server that holds the other one.
public struct CurveClient: Hashable, Sendable {
    /// The client's own.
    public let keys: KeyPair

    /// The server's; another server is not talked to.
    public let server: PublicKey

    /// Names both sides.
    ///
    /// - Parameters:
    ///   - keys: The client's own; the server has to allow the public one.
    ///   - server: The server's public key.
    public init(keys: KeyPair, server: PublicKey) {
        self.keys = keys
        self.server = server
    }
}

/// The one mechanism of a socket: everything it binds or connects to speaks the same.
enum SocketSecurity {
    case plain
    case server(CurveServer)
    case client(CurveClient)

    /// What tells two apart.
    var mechanism: String {
        switch self {
        case .plain: "no encryption"
        case .server: "CURVE as a server"
        case .client: "CURVE as a client"
        }
    }

    /// The bytes by which encryption makes a frame larger, which libzmq counts against the limit of its size.
    var envelopeSize: Int {
        switch self {
        case .plain: 0
        case .server, .client: 33
        }
    }

    /// Sets it on a socket; it holds for what is bound or connected from now on.
    func apply(to socket: UnsafeMutableRawPointer) throws(ZeroMQError) {
        let setter = OptionSetter(socket: socket)
        switch self {
        case .plain:
            break
        case .server(let server):
            try setter.set(ZMQ_CURVE_SERVER, "curve.server", 1)
            try setter.set(ZMQ_CURVE_SECRETKEY, "curve.secretKey", secret: server.keys.secretKey.text)
            // Without a domain, or without enforcing it, libzmq asks nobody when nobody answers.
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
    /// Sets a text that an error does not show.
    fileprivate func set(_ option: Int32, _ name: String, secret text: String) throws(ZeroMQError) {
        guard zmq_setsockopt(socket, option, text, text.utf8.count) == 0 else { throw refused(name, "what was given") }
    }
}
