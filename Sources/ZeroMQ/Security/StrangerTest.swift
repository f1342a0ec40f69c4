/// The proof at the door: somebody with a key that nobody knows is sent away.
extension Reactor {
    /// Connects to one's own server with a new key and sees that it is refused.
    ///
    /// To be called at start, after binding and before anything depends on it: a rule that says yes too often lets
    /// everybody in, and nothing else would tell.
    ///
    /// - Parameters:
    ///   - endpoint: Where the server is bound, as ``bind(_:to:as:)`` returned it; not one for all interfaces.
    ///   - server: The server's public key.
    ///   - time: How long an answer may take.
    /// - Throws: ``ZeroMQError``: `insecure` when the stranger got in, `deadline` when nobody answered.
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
                    "\(endpoint) let a key in that nobody knows.",
                    next: "Do not serve there: look at the rule given to `authenticate`."
                )
            case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
                .handshakeFailed, .disconnected, .closed, .other:
                continue
            }
        }
        throw .deadline("\(endpoint) did not answer a stranger within \(time)")
    }
}
