public import ForgeBusProtocol
public import ZeroMQ

/// The state of a client's connection.
public enum ConnectionState: Hashable, Sendable {
    /// The client tries to reach the worker at this endpoint; requests wait.
    case connecting(Endpoint)
    /// The client has reached the worker, and sends requests.
    case connected(ConnectedWorker)
    /// The connection to this endpoint was lost or could not be made, for this reason.
    ///
    /// The client keeps trying, unless its only endpoint refused its key: then the next request tries again.
    case lost(Endpoint, reason: String)
    /// The client was closed: this is the last state.
    case closed
}

/// The worker that a client has reached.
public struct ConnectedWorker: Hashable, Sendable {
    /// The endpoint where the client reached it.
    public let endpoint: Endpoint
    /// The worker's WELCOME; nil if the client did not ask for it, as ``BusClient/hello(patience:)`` does.
    public let welcome: Welcome?
}

/// The states of a client's connection: the current one, and then each change.
///
/// Each iterator gets all states, in order; a slow reader gets only the latest 64. The sequence ends after
/// ``ConnectionState/closed``.
public struct ConnectionStates: AsyncSequence, Sendable {
    let link: ClientLink

    /// Makes an iterator that begins with the current state, and opens the connection if it is not open yet.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ConnectionReader(of: link)) }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ConnectionReader

        /// Waits for the next state; nil after the last one, or when the task is cancelled.
        public mutating func next() async -> ConnectionState? { await next(isolation: nil) }

        /// Waits for the next state, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            // It ends without an error.
            (try? await reader.feed.next(isolation: actor)) ?? nil
        }
    }
}

/// A reader of the states, until its last reference is gone.
final class ConnectionReader: Sendable {
    let feed = Feed<ConnectionState>(capacity: 64)
    private let link: ClientLink

    init(of link: ClientLink) {
        self.link = link
        // What keeps it from being made ends each request, too, and is said there.
        _ = try? link.loop(for: .random())
        link.board.add(feed)
    }

    deinit { link.board.remove(feed) }
}
