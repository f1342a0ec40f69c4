import ForgeLocks
import ZeroMQ

/// Passes the state of the connection, and each change of it, to all readers.
///
/// One lock protects all state.
final class ConnectionBoard: Sendable {
    private struct State {
        /// The current state; nil until the client begins to connect.
        var current: ConnectionState?
        /// Whether the latest attempt to connect has failed.
        var isUnanswered = false
        /// Why the latest handshake failed; nil after a successful one, and if no process listens or answers.
        var handshakeFailure: HandshakeFailure?
        /// Since when a process has listened at the endpoint; nil if none has since the latest retry.
        var somebodySince: ContinuousClock.Instant?
        /// The number of connections so far, which identifies the latest one.
        var connections: UInt64 = 0
        /// The number of the connection whose worker is known to support requests for other principals; 0 if none is.
        var actingConnection: UInt64 = 0
        var feeds: [ObjectIdentifier: Feed<ConnectionState>] = [:]
    }

    private let state = Guarded(State())

    /// Whether the client is connected to a worker now.
    var isConnected: Bool { state.withLock { if case .connected = $0.current { true } else { false } } }

    /// Whether the latest attempt to connect has failed, because no process listens or the handshake failed.
    var isUnanswered: Bool { state.withLock { $0.isUnanswered } }

    /// Why the latest handshake failed; nil after a successful one, and if no process listens at the endpoint or answers.
    var handshakeFailure: HandshakeFailure? { state.withLock { $0.handshakeFailure } }

    /// The number of the latest connection; nil if its worker is known to support requests for other principals.
    var connectionToCheck: UInt64? {
        state.withLock { state in
            guard state.connections > 0, state.connections == state.actingConnection else { return state.connections }
            return nil
        }
    }

    /// Records that the worker supports requests for other principals.
    ///
    /// Nothing is recorded if the client has connected again since the question, because another worker may have
    /// answered.
    ///
    /// - Parameter question: What ``connectionToCheck`` was before the question.
    func supportsActing(asked question: UInt64) {
        state.withLock { state in
            // The first question itself makes the first connection.
            if state.connections == max(question, 1) { state.actingConnection = state.connections }
        }
    }

    /// Records that a process listens at the endpoint; its handshake is still to come.
    func foundSomebody(at now: ContinuousClock.Instant = .now) { state.withLock { $0.somebodySince = now } }

    /// Records that an attempt to connect is over; this does not change the current ``ConnectionState``.
    ///
    /// libzmq tells that also after a failed handshake, whose cause then stays known.
    func attemptEnded() {
        state.withLock { state in
            state.isUnanswered = true
            if state.somebodySince == nil { state.handshakeFailure = nil }
            state.somebodySince = nil
        }
    }

    /// Records why a handshake failed; this does not change the current ``ConnectionState``.
    ///
    /// A process that was silent until the handshake took too long, for instance a suspended one, has refused nothing.
    func handshakeFailed(_ failure: HandshakeFailure, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if case .ended = failure, let since = state.somebodySince, now - since >= Self.silentHandshake {
                state.handshakeFailure = nil
            } else {
                state.handshakeFailure = failure
            }
        }
    }

    /// A handshake that ends by the other side ends at once; one that ends by its time lasts twice as long as this.
    static let silentHandshake = SocketOptions(for: Dealer.self).handshakeInterval / 2

    /// Sets the current state, and passes it to all readers; no other state follows `closed`.
    func show(_ new: ConnectionState) {
        state.withLock { state in
            guard state.current != new, state.current != .closed else { return }
            state.current = new
            switch new {
            case .connected:
                (state.isUnanswered, state.handshakeFailure) = (false, nil)
                state.connections += 1
            case .lost: state.isUnanswered = true
            case .connecting, .closed: break
            }
            // The feeds get the state under the lock, so that all readers get the same order. This cannot deadlock,
            // because a feed takes only its own lock.
            for feed in state.feeds.values { Self.show(new, on: feed) }
        }
    }

    func add(_ feed: Feed<ConnectionState>) {
        state.withLock { state in
            state.feeds[ObjectIdentifier(feed)] = feed
            if let current = state.current { Self.show(current, on: feed) }
        }
    }

    func remove(_ feed: Feed<ConnectionState>) {
        state.withLock { $0.feeds[ObjectIdentifier(feed)] = nil }
    }

    private static func show(_ state: ConnectionState, on feed: Feed<ConnectionState>) {
        feed.add(state)
        if state == .closed { feed.finish(.success(())) }
    }
}
