public import ForgeBusProtocol
public import ZeroMQ

/// What a client's connection is.
public enum ConnectionState: Hashable, Sendable {
    /// The client tries to reach the worker at this endpoint; requests wait.
    case connecting(Endpoint)
    /// The worker is reached; requests leave.
    case connected(ConnectedWorker)
    /// The connection to this endpoint is lost, or could not be made, for this reason.
    ///
    /// The client goes on trying, except where its one endpoint refused its key: then the next request tries again.
    case lost(Endpoint, reason: String)
    /// The client was closed: this is the last state.
    case closed
}

/// The worker that a client has reached.
public struct ConnectedWorker: Hashable, Sendable {
    /// Where it was reached.
    public let endpoint: Endpoint
    /// What it said of itself; nil where the client had no reason to ask, and ``BusClient/hello(patience:)`` tells it.
    public let welcome: Welcome?
}

/// The states of a client's connection: the one there is now, and then each change.
///
/// Each iterator gets all of them, in order. For a reader that is slow the latest 64 are kept. After
/// ``ConnectionState/closed`` the sequence ends.
public struct ConnectionStates: AsyncSequence, Sendable {
    let link: ClientLink

    /// Begins with the state there is now; a connection that nobody has needed yet is made.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ConnectionReader(of: link)) }

    /// Takes the states.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ConnectionReader

        /// The next state, waiting for it if need be; nil after the last one, and when the task is cancelled.
        public mutating func next() async -> ConnectionState? { await next(isolation: nil) }

        /// The next state, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            // It ends without an error.
            (try? await reader.feed.next(isolation: actor)) ?? nil
        }
    }
}

/// A reader of the states; it ends with its last reference.
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
