public import ForgeBusProtocol

extension BusClient {
    /// Subscribes to the worker's events from now on, as many as the reader can take.
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
    ///   - pattern: The pattern of the events' subjects, for instance `run.deploy.>`.
    ///   - capacity: How many unread events the worker may send ahead of the reader, 1 to 10,000; 256 by default. The
    ///     nearest limit replaces any other value.
    /// - Returns: The events, once the worker has processed the subscription. Each later event is in the sequence, or
    ///   counts as lost.
    /// - Throws: `BusError` with code `forbidden` if the client may not read events with these subjects, or `timeout`
    ///   if no answer came in time.
    public func events(matching pattern: NamePattern, buffering capacity: Int = 256) async throws(BusError) -> BusEvents
    {
        let watching = try Watching(
            pattern,
            capacity: min(max(capacity, 1), WireLimits.credit),
            source: source,
            on: link
        )
        // The worker reads the messages of one connection in order, so its PONG shows that it has processed the WATCH.
        _ = try await ping()
        if let error = watching.feed.failure { throw error }
        return BusEvents(watching: watching)
    }
}

/// The events of a watch: ids and states, never the content of messages.
///
/// The sequence lasts as long as something refers to it, unless the client is closed or the worker refuses the watch.
/// It is lossy: if `BusEvent.lost` is above zero, events are missing before this one. A lost connection counts as one
/// lost event, because nobody knows how many events were missed; so does each time in which the reader was too slow.
public struct BusEvents: AsyncSequence, Sendable {
    fileprivate let watching: Watching

    /// Makes an iterator; iterators share the events, so each event goes to only one of them.
    public func makeAsyncIterator() -> Iterator { Iterator(watching: watching) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watching: Watching

        /// Waits for the next event; nil if the task is cancelled.
        ///
        /// - Throws: `BusError` with code `closed` after the client was closed, or the error with which the worker
        ///   refused the watch.
        public mutating func next() async throws(BusError) -> BusEvent? { try await watching.feed.next(isolation: nil) }

        /// Waits for the next event without leaving the caller's actor; nil if the task is cancelled.
        ///
        /// - Throws: `BusError` with code `closed` after the client was closed, or the error with which the worker
        ///   refused the watch.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BusError) -> BusEvent? {
            try await watching.feed.next(isolation: actor)
        }
    }
}

/// Keeps a watch open as long as a sequence or an iterator refers to it.
private final class Watching: Sendable {
    let feed: Feed<BusEvent>
    private let id: RequestID
    private let link: ClientLink
    private let loop: ClientLoop

    init(_ pattern: NamePattern, capacity: Int, source: String?, on link: ClientLink) throws(BusError) {
        let id = RequestID.random()
        let loop = try link.loop(for: id)
        (self.id, self.link, self.loop) = (id, link, loop)
        // If the client sends more credit while the watch ends, more than `capacity` events can arrive.
        feed = Feed(capacity: 4 * capacity, batch: max(1, capacity / 4)) { [weak loop] in loop?.taken($0, of: id) }
        let watch = WatchCall(id: id, pattern: pattern, source: source, watch: Watch(capacity: capacity), feed: feed)
        let isOpen = loop.reactor.submit { reactor in loop.begin(watch, reactor) }
        if !isOpen { feed.finish(.failure(.closed(id))) }
    }

    deinit { loop.stopWatching(id) }
}
