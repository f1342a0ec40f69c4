public import ForgeBusProtocol
public import ZeroMQ

/// The state of a client's connection.
public enum ConnectionState: Hashable, Sendable {
    /// The client tries to reach the worker at this endpoint; meanwhile requests wait.
    case connecting(Endpoint)
    /// The client has reached this worker, and sends requests to it.
    case connected(ConnectedWorker)
    /// The connection to this endpoint was lost or could not be made, for this reason.
    ///
    /// The client continues to connect, unless it has only one endpoint and the worker there refused the client's key.
    /// In that case the client connects again at its next request.
    case lost(Endpoint, reason: String)
    /// The client was closed; this is the last state.
    case closed
}

/// The worker that a client has reached.
public struct ConnectedWorker: Hashable, Sendable {
    /// The endpoint at which the client reached the worker.
    public let endpoint: Endpoint
    /// The worker's WELCOME; nil if the client has only one endpoint, because such a client does not ask for it.
    ///
    /// To ask for a WELCOME, call ``BusClient/hello(patience:)``.
    public let welcome: Welcome?
}

/// The states of a client's connection: the current state, then each change.
///
/// Each iterator gets all changes, in order; but if its reader is slow, the iterator keeps only the latest 64 states.
/// The sequence ends after ``ConnectionState/closed``.
public struct ConnectionStates: AsyncSequence, Sendable {
    let link: ClientLink

    /// Makes an iterator that begins with the current state; a client that has not connected yet begins to connect.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ConnectionReader(of: link)) }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ConnectionReader

        /// Waits for the next state; returns nil after the last state, or if the task is cancelled.
        public mutating func next() async -> ConnectionState? { await next(isolation: nil) }

        /// Waits for the next state on the caller's actor; returns nil after the last state, or if the task is
        /// cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            // This feed never ends with an error.
            (try? await reader.feed.next(isolation: actor)) ?? nil
        }
    }
}

/// Receives the states until it is released.
final class ConnectionReader: Sendable {
    let feed = Feed<ConnectionState>(capacity: 64)
    private let link: ClientLink

    init(of link: ClientLink) {
        self.link = link
        // If the loop cannot be opened, each request throws the error; a reader of the states does not need to throw
        // it.
        _ = try? link.loop(for: .random())
        link.board.add(feed)
    }

    deinit { link.board.remove(feed) }
}
