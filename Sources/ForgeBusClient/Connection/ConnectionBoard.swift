import ForgeLocks
import ZeroMQ

/// Passes the state of the connection, and each change of it, to all readers.
///
/// One lock protects all state.
final class ConnectionBoard: Sendable {
    private struct State {
        /// The current state; nil until the client begins to connect.
        var current: ConnectionState?
        var feeds: [ObjectIdentifier: Feed<ConnectionState>] = [:]
    }

    private let state = Guarded(State())

    /// Sets the current state, and passes it to all readers; no other state follows `closed`.
    func show(_ new: ConnectionState) {
        state.withLock { state in
            guard state.current != new, state.current != .closed else { return }
            state.current = new
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
