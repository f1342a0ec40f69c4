/// A check that the program's own server refuses unknown keys.
extension Reactor {
    /// Connects to the program's own server with a new key and checks that the server refuses it.
    ///
    /// Call this method when the program starts, after the bind and before any real work. Without this check, the
    /// program would not notice if the authenticator's rule allowed every key by mistake.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that ``bind(_:to:as:)`` returned; it must not contain `*`.
    ///   - server: The server's public key.
    ///   - time: The longest time to wait for the server's answer.
    /// - Throws: ``ZeroMQError``: `insecure` if the server accepted the unknown key, `deadline` if the server did not
    ///   answer in time, and the errors of ``open(_:options:)`` and ``connect(_:to:as:)``.
    public func verifyThatStrangersAreRefused(
        at endpoint: Endpoint,
        server: PublicKey,
        within time: Duration = .seconds(5)
    ) async throws(ZeroMQError) {
        let dealer = try open(Dealer.self)
        defer { close(dealer) }
        let events = try events(of: dealer)
        try connect(dealer, to: endpoint, as: CurveClient(keys: KeyPair(), server: server))
        // The timer closes the socket, which ends the sequence of events and therefore the loop.
        let timer = schedule(at: .now + time) { reactor in reactor.close(dealer) }
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
