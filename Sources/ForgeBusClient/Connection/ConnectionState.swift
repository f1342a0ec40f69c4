public import ForgeBusProtocol
public import ZeroMQ

/// The state of a client's connection.
public enum ConnectionState: Hashable, Sendable {
    /// The client tries to reach the worker at this endpoint; requests wait.
    case connecting(Endpoint)
    /// The client has reached this worker; requests leave.
    case connected(ConnectedWorker)
    /// The connection to this endpoint was lost or could not be made, for this reason.
    ///
    /// The client keeps trying, unless its only endpoint refused its key. Then the next request tries again.
    case lost(Endpoint, reason: String)
    /// The client was closed; this is the last state.
    case closed
}

/// The worker that a client has reached.
public struct ConnectedWorker: Hashable, Sendable {
    /// The endpoint at which the client reached the worker.
    public let endpoint: Endpoint
    /// The worker's WELCOME; nil if the client has only one endpoint, because it then does not ask for a WELCOME.
    ///
    /// Any client can ask with ``BusClient/hello(patience:)``.
    public let welcome: Welcome?
}

/// The states of a client's connection: the current one, then each change.
///
/// Each iterator gets all changes, in order. For a slow reader, it keeps the latest 64 states. The sequence ends after
/// ``ConnectionState/closed``.
public struct ConnectionStates: AsyncSequence, Sendable {
    let link: ClientLink

    /// Makes an iterator that begins with the current state; a client that has not connected yet begins to connect.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ConnectionReader(of: link)) }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ConnectionReader

        /// Waits for the next state; nil after the last one, or if the task is cancelled.
        public mutating func next() async -> ConnectionState? { await next(isolation: nil) }

        /// Waits for the next state without leaving the caller's actor; nil after the last one, or if the task is
        /// cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            // This feed never ends with an error.
            (try? await reader.feed.next(isolation: actor)) ?? nil
        }
    }
}

/// A reader of the states, as long as something refers to it.
final class ConnectionReader: Sendable {
    let feed = Feed<ConnectionState>(capacity: 64)
    private let link: ClientLink

    init(of link: ClientLink) {
        self.link = link
        // If the loop cannot be opened, each request throws the error; the reader of the states need not.
        _ = try? link.loop(for: .random())
        link.board.add(feed)
    }

    deinit { link.board.remove(feed) }
}
