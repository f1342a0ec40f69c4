/// Decides when, and for how long, a socket's listeners are closed because they cannot accept connections.
///
/// While a connection waits, libzmq tries to accept the connection again and again without a pause. Without a breaker,
/// a process without free descriptors would keep one processor busy and log failures without end. The type only
/// decides: the caller supplies the time, and closes and binds the listeners.
struct ListenerBreaker {
    /// After this time without a failure, the next failure counts as the first failure of a new series.
    private static let quiet: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)

    private var firstFailure: ContinuousClock.Instant?
    private var latestFailure: ContinuousClock.Instant?
    private var reopening: ContinuousClock.Instant?
    private var pause: Duration = .seconds(1)
    /// Whether the breaker is open, as in an electric circuit; the listeners are closed then.
    private(set) var isOpen = false

    /// Records that a listener failed to accept a connection.
    ///
    /// - Parameters:
    ///   - now: The time of the failure.
    ///   - patience: How long a series of failures must last before the listeners are closed.
    /// - Returns: How long to close the listeners; nil if the listeners stay open, or are closed already.
    mutating func failed(at now: ContinuousClock.Instant, patience: Duration) -> Duration? {
        guard !isOpen else { return nil }
        if let latestFailure, now - latestFailure < Self.quiet {
            self.latestFailure = now
        } else {
            if let reopening, now - reopening > Self.longestPause { pause = .seconds(1) }
            (firstFailure, latestFailure) = (now, now)
        }
        guard let firstFailure, now - firstFailure >= patience else { return nil }
        isOpen = true
        defer { pause = min(pause * 2, Self.longestPause) }
        return pause
    }

    /// Closes the breaker, because the listeners are bound again.
    mutating func closed(at now: ContinuousClock.Instant) {
        isOpen = false
        reopening = now
        (firstFailure, latestFailure) = (nil, nil)
    }
}

extension Reactor {
    /// Closes the listeners of a socket if they have failed to accept for too long, and binds them again later.
    func breakListeners(of socket: OpenSocket) {
        guard let pause = socket.breaker.failed(at: .now, patience: socket.options.acceptFailurePatience) else {
            return
        }
        let listeners = socket.listeners
        release(socket.boundEndpoints, of: socket)
        rebind(listeners, of: socket.token, after: pause)
    }

    private func rebind(_ listeners: [OpenSocket.Listener], of token: SocketToken, after pause: Duration) {
        schedule(at: .now + pause) { [self] in
            guard let socket = sockets[token] else { return }
            // Endpoints that the program unbound during the pause stay unbound. An endpoint that cannot be bound now,
            // for instance because another program has taken it, is tried again.
            let missing = listeners.filter { listener in
                socket.boundEndpoints.contains(listener.endpoint) && !listen(socket, listener)
            }
            if missing.isEmpty {
                socket.breaker.closed(at: .now)
            } else {
                rebind(missing, of: token, after: pause)
            }
        }
    }
}
