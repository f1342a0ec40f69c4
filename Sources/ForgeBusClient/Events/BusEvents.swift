public import ForgeBusProtocol
import ZeroMQ

extension BusClient {
    /// Subscribes to the worker's future events whose subjects match `pattern`.
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
    ///   - capacity: The number of events that the worker may send before the reader has read them, 1 to 10,000; 256 by
    ///     default. A smaller value counts as 1, and a larger value as 10,000.
    /// - Returns: The sequence of the events, once the worker has processed the subscription. The sequence contains
    ///   each later event, or reports it as lost.
    /// - Throws: `BusError` with code `forbidden` if the client may not read events with these subjects, `timeout` if
    ///   no answer came in time, or `unreachable` if the request could not be sent.
    public func events(matching pattern: NamePattern, buffering capacity: Int = 256) async throws(BusError) -> BusEvents
    {
        if principal != nil { try await checkActing() }
        let watching = try Watching(
            pattern,
            capacity: min(max(capacity, 1), WireLimits.credit),
            source: source,
            principal: principal,
            on: link
        )
        // The worker reads the messages of one connection in order, so its PONG shows that it has processed the WATCH.
        _ = try await ping()
        if let error = watching.feed.failure { throw error }
        return BusEvents(watching: watching)
    }
}

/// The events of a watch; they contain ids and states, never the content of messages.
///
/// The watch continues as long as the sequence or one of its iterators exists, unless the client is closed or the
/// worker refuses the watch. A worker that has too many watches refuses it with code `busy`; the client then asks again,
/// for as long as its patience. Events can be lost: `BusEvent.lost` is the number of events that are missing between the
/// previous event and this event. A lost connection counts as one lost event, because the number of missed events is
/// unknown. If the worker ends the watch because the reader is too slow, this also counts as one lost event.
public struct BusEvents: AsyncSequence, Sendable {
    fileprivate let watching: Watching

    /// Makes an iterator; all iterators share the events, so each event goes to only one iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(watching: watching) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watching: Watching

        /// Waits for the next event; returns nil if the task is cancelled.
        ///
        /// - Throws: `BusError` with code `closed` after the client was closed, or the error with which the worker
        ///   refused the watch.
        public mutating func next() async throws(BusError) -> BusEvent? { try await watching.feed.next(isolation: nil) }

        /// Waits for the next event on the caller's actor; returns nil if the task is cancelled.
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
    private let loop: Resident<ClientLoop>

    init(
        _ pattern: NamePattern,
        capacity: Int,
        source: String?,
        principal: Name?,
        on link: ClientLink
    ) throws(BusError) {
        let id = RequestID.random()
        let loop = try link.loop(for: id)
        (self.id, self.link, self.loop) = (id, link, loop)
        // The feed has room for more than `capacity` events: if the worker ends the watch while the client gives more
        // credit, more events can arrive.
        feed = Feed(capacity: 4 * capacity, batch: max(1, capacity / 4)) { loop.taken($0, of: id) }
        let watch = WatchCall(
            id: id,
            pattern: pattern,
            source: source,
            principal: principal,
            watch: Watch(capacity: capacity),
            feed: feed
        )
        let isOpen = loop.submit { reactor, loop in loop.begin(watch, reactor) }
        if !isOpen { feed.finish(.failure(Errors.closedWatch(id))) }
    }

    deinit { loop.stopWatching(id) }
}
