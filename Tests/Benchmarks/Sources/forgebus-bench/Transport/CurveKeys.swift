import CFloor
import ZeroMQ

/// The keys of an encrypted measure: the keys of the server, the keys of the client, and the set of allowed keys.
struct CurveKeys: Sendable {
    let server = KeyPair()
    let client: KeyPair
    /// The keys that may connect.
    ///
    /// The server in Swift checks this set for each connection and again for each message, as the documentation of
    /// `AllowedKeys` advises. The server in C has no such check.
    let allowed: AllowedKeys

    init() {
        let client = KeyPair()
        self.client = client
        allowed = AllowedKeys([client.publicKey])
    }
}

extension CurveKeys? {
    /// Whether the sender's key is allowed; without keys, every message is allowed.
    func allow(_ message: Message) -> Bool {
        guard let keys = self else { return true }
        return message.senderKey.map(keys.allowed.contains) ?? false
    }

    /// Calls `body` with the keys as C's structure, or with nil if there are no keys.
    ///
    /// The structure is valid only during the call.
    func withFloorCurve<Value>(_ body: (UnsafePointer<cfloor_curve>?) throws -> Value) rethrows -> Value {
        guard let keys = self else { return try body(nil) }
        return try keys.server.secretKey.text.withCString { serverSecret in
            try keys.server.publicKey.description.withCString { serverPublic in
                try keys.client.publicKey.description.withCString { clientPublic in
                    try keys.client.secretKey.text.withCString { clientSecret in
                        var curve = cfloor_curve(
                            server_secret_key: serverSecret,
                            server_public_key: serverPublic,
                            client_public_key: clientPublic,
                            client_secret_key: clientSecret
                        )
                        return try body(&curve)
                    }
                }
            }
        }
    }
}

extension Reactor {
    /// Binds to a free port of this machine, encrypted if there are keys.
    func listen(_ router: Socket<Router>, _ keys: CurveKeys?) throws -> Endpoint {
        guard let keys else { return try bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*")) }
        let server = CurveServer(keys: keys.server, authenticator: try authenticate(keys.allowed))
        return try bind(router, to: try Endpoint("tcp://127.0.0.1:*"), as: server)
    }

    /// Connects, encrypted if there are keys.
    func connect(_ dealer: Socket<Dealer>, to endpoint: Endpoint, _ keys: CurveKeys?) throws {
        guard let keys else { return try connect(dealer, to: endpoint) }
        try connect(dealer, to: endpoint, as: CurveClient(keys: keys.client, server: keys.server.publicKey))
    }
}
