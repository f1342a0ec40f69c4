/// A check that the program's own server refuses unknown keys.
extension Reactor {
    /// Connects to the program's own server with a new key and checks that the server refuses it.
    ///
    /// Call this method when the program starts, after the bind and before any real work. Without this check, the
    /// program would not notice if the authenticator's rule allowed every key by mistake.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that ``bind(_:to:as:)`` returned; it must not contain `*`. For all interfaces, the
    ///     test connects to the loopback address.
    ///   - server: The server's public key.
    ///   - kind: A kind of socket that the server's socket talks to: libzmq ends a connection between others before it
    ///     asks the authenticator. A ``Dealer`` suits a ``Router``, and a ``Sub`` suits an ``XPub``.
    ///   - time: The longest time to wait for the server's answer.
    /// - Throws: ``ZeroMQError``: `insecure` if the server accepted the unknown key, `deadline` if the server did not
    ///   answer in time, and the errors of ``open(_:options:)`` and ``connect(_:to:as:)``.
    public func verifyThatStrangersAreRefused<Kind: SocketKind>(
        at endpoint: Endpoint,
        server: PublicKey,
        by kind: Kind.Type = Dealer.self,
        within time: Duration = .seconds(5)
    ) async throws(ZeroMQError) {
        let socket = try open(kind)
        defer { close(socket) }
        let events = try events(of: socket)
        try connect(socket, to: endpoint.onThisMachine, as: CurveClient(keys: KeyPair(), server: server))
        // The timer closes the socket, which ends the sequence of events and therefore the loop.
        let timer = schedule(at: .now + time) { [self] in close(socket) }
        defer { cancel(timer) }
        for await event in events {
            switch event {
            case .handshakeFailed(_, .refused):
                return
            case .handshakeSucceeded:
                throw Errors.strangerAccepted(at: endpoint)
            case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
                .handshakeFailed, .disconnected, .closed, .other:
                continue
            }
        }
        throw Errors.strangerUnanswered(at: endpoint, within: time)
    }
}

extension Endpoint {
    /// The endpoint as a process on this machine connects to it: with a loopback address instead of all interfaces.
    fileprivate var onThisMachine: Endpoint {
        get throws(ZeroMQError) {
            try Endpoint(
                text.replacing("tcp://0.0.0.0:", with: "tcp://127.0.0.1:", maxReplacements: 1)
                    .replacing("tcp://[::]:", with: "tcp://[::1]:", maxReplacements: 1)
            )
        }
    }
}
