/// Decides which keys may connect to the CURVE servers of one reactor.
///
/// A value of this type exists only once libzmq's question is being answered, and a ``CurveServer`` cannot be made
/// without one: CURVE alone, without somebody who decides, lets every key in. There is one for each reactor.
public struct Authenticator: Sendable {
    /// The reactor whose connections it decides about.
    let reactor: ObjectIdentifier

    /// Where libzmq's questions come in.
    let socket: Socket<Router>
}

extension Reactor {
    /// Begins to decide about connecting peers, by their keys and where they come from.
    ///
    /// The rule is asked on the reactor's thread once for each connection that comes up, so it answers from memory and
    /// at once; changing what it looks at, as ``AllowedKeys`` does, is how the policy changes.
    ///
    /// - Parameter rule: Whether a peer may connect.
    /// - Returns: What a ``CurveServer`` of this reactor needs.
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
            // libzmq asks at this name, and aborts when it finds another kind of socket there.
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

    /// Begins to decide about the keys of connecting peers.
    ///
    /// - Parameter isAllowed: Whether a key may connect; asked as a rule about connections is.
    /// - Returns: What a ``CurveServer`` of this reactor needs.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` when this reactor has one already.
    public func authenticate(_ isAllowed: @escaping @Sendable (PublicKey) -> Bool) throws(ZeroMQError) -> Authenticator
    {
        try authenticate(deciding: { isAllowed($0.key) ? .allowed : .refused })
    }

    /// Begins to decide about the keys of connecting peers by a set that may change at any time.
    ///
    /// - Parameter allowed: The keys that may connect.
    /// - Returns: What a ``CurveServer`` of this reactor needs.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` when this reactor has one already.
    public func authenticate(_ allowed: AllowedKeys) throws(ZeroMQError) -> Authenticator {
        try authenticate { allowed.contains($0) }
    }
}
