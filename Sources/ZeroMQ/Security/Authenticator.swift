/// Decides which keys may connect to the CURVE servers of one reactor.
///
/// A ``CurveServer`` needs an authenticator, because CURVE without an authenticator accepts every key. Make an
/// authenticator with ``Reactor/authenticate(deciding:)``. A reactor has at most one authenticator.
public struct Authenticator: Sendable {
    /// The identity of the context for whose sockets this authenticator answers.
    let context: ObjectIdentifier

    /// The socket on which libzmq asks about connecting peers.
    let socket: Socket<Router>
}

extension Reactor {
    /// Makes this reactor's authenticator, which decides about connecting peers by their keys and addresses.
    ///
    /// The reactor's thread calls the rule once for each new connection, so the rule must answer immediately, from
    /// memory. To change who may connect, change the data that the rule reads, as with ``AllowedKeys``.
    ///
    /// - Parameter rule: Decides whether a peer may connect.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` if this reactor already has an authenticator; the errors
    ///   of ``open(_:options:)``.
    public func authenticate(
        deciding rule: @escaping (ConnectionRequest) -> Admission
    ) throws(ZeroMQError) -> Authenticator {
        guard shared.takeAuthentication() else { throw Errors.secondAuthenticator }
        let router: Socket<Router>
        do throws(ZeroMQError) { router = try open(Router.self) } catch {
            shared.leaveAuthentication()
            throw error
        }
        do {
            // libzmq sends its requests to this endpoint, and ends the process if a socket of an unsuitable kind is
            // bound to it.
            try bind(router, to: try LocalEndpoint("inproc://zeromq.zap.01"))
        } catch {
            close(router)
            shared.leaveAuthentication()
            throw error
        }
        hasAuthenticator = true
        receive(router) { [self] message in
            guard let request = ZAPRequest(message) else { return }
            let admission = ConnectionRequest(request).map(rule) ?? .refused
            reply(request.reply(admission), to: message, on: router)
        }
        return Authenticator(context: ObjectIdentifier(shared), socket: router)
    }

    /// Makes this reactor's authenticator, which decides about connecting peers by their keys.
    ///
    /// - Parameter isAllowed: Decides whether a key may connect. The reactor's thread calls the closure once for each
    ///   new connection, so the closure must answer immediately.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` if this reactor already has an authenticator; the errors
    ///   of ``open(_:options:)``.
    public func authenticate(_ isAllowed: @escaping (PublicKey) -> Bool) throws(ZeroMQError) -> Authenticator {
        try authenticate(deciding: { isAllowed($0.key) ? .allowed : .refused })
    }

    /// Makes this reactor's authenticator, which allows the keys of a set that may change at any time.
    ///
    /// - Parameter allowed: The keys that may connect.
    /// - Returns: The authenticator, for a ``CurveServer`` of this reactor.
    /// - Throws: ``ZeroMQError`` with code `address_in_use` if this reactor already has an authenticator; the errors
    ///   of ``open(_:options:)``.
    public func authenticate(_ allowed: AllowedKeys) throws(ZeroMQError) -> Authenticator {
        try authenticate { allowed.contains($0) }
    }
}
