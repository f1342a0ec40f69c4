public import ForgeBusProtocol

extension BusClient {
    /// What happens from now on, as much as its reader can take.
    ///
    /// ```swift
    /// func follow(_ client: BusClient) async throws {
    ///     for try await event in try await client.events(matching: "run.deploy.>") {
    ///         if event.lost > 0 { print("look at everything again") }
    ///         print(event.subject, event.body)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The events that are told, by their subjects.
    ///   - capacity: How many events are kept for a reader that is slow, 1 to 10,000.
    /// - Returns: Once the worker tells: what happens after that is in the sequence, or counted as lost.
    /// - Throws: `BusError`; code `forbidden` for a pattern that may not be read.
    public func events(matching pattern: NamePattern, buffering capacity: Int = 256) async throws(BusError) -> BusEvents
    {
        let watching = try Watching(
            pattern,
            capacity: min(max(capacity, 1), WireLimits.credit),
            source: source,
            on: link
        )
        // A worker reads one connection in order: its answer to this one says that the watch has begun.
        _ = try await ping()
        if let error = watching.feed.failure { throw error }
        return BusEvents(watching: watching)
    }
}

/// What happens, as one sequence: ids and states, never what messages held.
///
/// The sequence lasts until nobody reads it any more or the client is closed. It is lossy, and says so: where
/// `BusEvent.lost` is above zero, that many events are missing before this one. A lost connection, and a reader that is
/// slower than the worker for longer than its room lasts, count as one, because nobody knows how many they were.
public struct BusEvents: AsyncSequence, Sendable {
    fileprivate let watching: Watching

    /// Takes the events; those that another iterator has taken do not come again.
    public func makeAsyncIterator() -> Iterator { Iterator(watching: watching) }

    /// Takes events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watching: Watching

        /// The next event, waiting for it if need be; nil when the task is cancelled.
        ///
        /// - Throws: `BusError` with code `closed` when the client was closed, or what the worker answered.
        public mutating func next() async throws(BusError) -> BusEvent? { try await watching.feed.next(isolation: nil) }

        /// The next event, without leaving the caller's actor.
        ///
        /// - Throws: `BusError` with code `closed` when the client was closed, or what the worker answered.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> BusEvent? {
            try await watching.feed.next(isolation: actor)
        }
    }
}

/// A watch as long as somebody reads it.
private final class Watching: Sendable {
    let feed: Feed<BusEvent>
    private let id: RequestID
    private let link: ClientLink
    private let loop: ClientLoop

    init(_ pattern: NamePattern, capacity: Int, source: String?, on link: ClientLink) throws(BusError) {
        let id = RequestID.random()
        let loop = try link.loop(for: id)
        (self.id, self.link, self.loop) = (id, link, loop)
        // Credit that crosses the end of a watch on its way comes on top of the room there is.
        feed = Feed(capacity: 4 * capacity, batch: max(1, capacity / 4)) { [weak loop] in loop?.taken($0, of: id) }
        let watch = WatchCall(id: id, pattern: pattern, source: source, watch: Watch(capacity: capacity), feed: feed)
        let isOpen = loop.reactor.submit { reactor in loop.begin(watch, reactor) }
        if !isOpen { feed.finish(.failure(.closed(id))) }
    }

    deinit { loop.stopWatching(id) }
}
