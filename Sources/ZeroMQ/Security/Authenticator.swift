/// Decides which keys may connect to the CURVE servers of one reactor.
///
/// This value exists only while libzmq's questions are being answered, and a ``CurveServer`` needs one, because CURVE
/// without an authenticator lets every key in. A reactor has at most one.
public struct Authenticator: Sendable {
    /// The reactor whose connections it decides about.
    let reactor: ObjectIdentifier

    /// The socket for libzmq's questions.
    let socket: Socket<Router>
}

extension Reactor {
    /// Starts deciding about connecting peers, by their keys and addresses.
    ///
    /// The reactor's thread asks the rule once for each new connection, so the rule must answer immediately, from
    /// memory. To change the policy, change the data the rule reads, as ``AllowedKeys`` does.
    ///
    /// - Parameter rule: Whether a peer may connect.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` when this reactor has one already.
    public func authenticate(
        deciding rule: @escaping @Sendable (ConnectionRequest) -> Admission
    ) throws(ZeroMQError) -> Authenticator {
        guard !hasAuthenticator else {
            throw ZeroMQError(
                .addressInUse,
                "This reactor has an authenticator already.",
                next: "Change what its rule looks at, as `AllowedKeys` does, or use another reactor."
            )
        }
        let router = try open(Router.self)
        do {
            // libzmq asks at this name, and aborts if another kind of socket is bound there.
            try bind(router, to: try LocalEndpoint("inproc://zeromq.zap.01"))
        } catch {
            close(router)
            throw error
        }
        hasAuthenticator = true
        receive(router) { reactor, peer, message in
            guard let request = ZAPRequest(message) else { return }
            let admission = request.key.map { rule(ConnectionRequest(key: $0, address: request.address)) } ?? .refused
            reactor.send(request.reply(admission), on: router, to: peer)
        }
        return Authenticator(reactor: ObjectIdentifier(self), socket: router)
    }

    /// Starts deciding about the keys of connecting peers.
    ///
    /// - Parameter isAllowed: Whether a key may connect; called like a rule about connections.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` when this reactor has one already.
    public func authenticate(_ isAllowed: @escaping @Sendable (PublicKey) -> Bool) throws(ZeroMQError) -> Authenticator
    {
        try authenticate(deciding: { isAllowed($0.key) ? .allowed : .refused })
    }

    /// Starts deciding about the keys of connecting peers by a set that may change at any time.
    ///
    /// - Parameter allowed: The keys that may connect.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` when this reactor has one already.
    public func authenticate(_ allowed: AllowedKeys) throws(ZeroMQError) -> Authenticator {
        try authenticate { allowed.contains($0) }
    }
}
