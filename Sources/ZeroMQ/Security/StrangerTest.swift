/// A test that a server refuses unknown keys.
extension Reactor {
    /// Connects to the program's own server with a new key and checks that the server refuses it.
    ///
    /// Call it at start, after binding and before any real work: a rule that allows too much lets everybody in, and
    /// nothing else would show it.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint that ``bind(_:to:as:)`` returned; not one for all interfaces.
    ///   - server: The server's public key.
    ///   - time: How long an answer may take.
    /// - Throws: ``ZeroMQError``: `insecure` when the unknown key got in, `deadline` when nobody answered.
    public func verifyThatStrangersAreRefused(
        at endpoint: Endpoint,
        server: PublicKey,
        within time: Duration = .seconds(5)
    ) async throws(ZeroMQError) {
        let dealer = try open(Dealer.self)
        defer { close(dealer) }
        let events = try events(of: dealer)
        try connect(dealer, to: endpoint, as: CurveClient(keys: KeyPair(), server: server))
        // Closing ends the events, and the loop with them.
        let timer = schedule(at: .now + time) { reactor in reactor.close(dealer) }
        defer { cancel(timer) }
        for await event in events {
            switch event {
            case .handshakeFailed(_, .refused):
                return
            case .handshakeSucceeded:
                throw ZeroMQError(
                    .insecure,
                    "\(endpoint) accepted an unknown key.",
                    next: "Do not serve there: look at the rule given to `authenticate`."
                )
            case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
                .handshakeFailed, .disconnected, .closed, .other:
                continue
            }
        }
        throw .deadline("\(endpoint) did not answer an unknown key within \(time)")
    }
}
