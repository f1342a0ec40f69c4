import ForgeLocks
import ZeroMQ

/// Shows what the connection is to all who look on.
///
/// All state is behind one lock.
final class ConnectionBoard: Sendable {
    private struct State {
        /// Nil until there is a connection to be made.
        var current: ConnectionState?
        var feeds: [ObjectIdentifier: Feed<ConnectionState>] = [:]
    }

    private let state = Guarded(State())

    /// The connection is this now; one that was closed stays so.
    func show(_ new: ConnectionState) {
        state.withLock { state in
            guard state.current != new, state.current != .closed else { return }
            state.current = new
            // Under the lock, so that all see one order; a feed has a lock of its own and calls nobody back.
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
