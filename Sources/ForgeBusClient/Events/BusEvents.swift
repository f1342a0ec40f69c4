public import ForgeBusProtocol

extension BusClient {
    /// Follows the worker's events from now on; if the reader is too slow, events are lost.
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
    ///   - pattern: The pattern of the events' subjects.
    ///   - capacity: How many events the client keeps for a slow reader, 1 to 10,000.
    /// - Returns: The sequence, after the worker has begun the watch: it contains each later event, or counts the event
    ///   as lost.
    /// - Throws: ``BusError``; code `forbidden` for a pattern that the caller may not read.
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

/// A sequence of the worker's events, which contain ids and states, but never the contents of messages.
///
/// The sequence lasts until nobody reads it any more, or the client is closed. Events can be lost: ``BusEvent/lost`` is
/// the number of missing events before an event. Each lost connection, and each time that a slow reader's buffer is
/// full, counts as one lost event, because nobody knows the real number.
public struct BusEvents: AsyncSequence, Sendable {
    fileprivate let watching: Watching

    /// Makes an iterator; an event that another iterator has taken does not come again.
    public func makeAsyncIterator() -> Iterator { Iterator(watching: watching) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watching: Watching

        /// Waits for the next event; nil when the task is cancelled.
        ///
        /// - Throws: ``BusError`` with code `closed` when the client was closed, or the error that the worker answered.
        public mutating func next() async throws(BusError) -> BusEvent? { try await watching.feed.next(isolation: nil) }

        /// Waits for the next event, without leaving the caller's actor.
        ///
        /// - Throws: ``BusError`` with code `closed` when the client was closed, or the error that the worker answered.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> BusEvent? {
            try await watching.feed.next(isolation: actor)
        }
    }
}

/// A watch that ends when nobody reads it any more.
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
