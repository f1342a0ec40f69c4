public import ForgeBusProtocol
import ForgeLocks
import Instrumentation
public import Logging
public import ZeroMQ

/// Publishes that something changed, to every worker that listens, without waiting for any.
///
/// What is published is a hint, which may be lost: on its way, for want of room, while a connection is down, and before a
/// worker has said what it follows. Each message carries its place in the row, so that a worker sees what is missing and
/// re-evaluates every monitor; what is lost last shows with the next message of its topic, or when the connection comes
/// back. What must arrive is sent with ``BusClient/notify(_:body:durability:patience:)``, whose answer says so.
///
/// ```swift
/// let publisher = try await BusPublisher(connectingTo: [Endpoint("tcp://127.0.0.1:7718")])
/// try publisher.publish("stock.apples.sold")
/// await publisher.close()
/// ```
///
/// For long-lived processes: each new publisher costs every monitor of a worker a cycle. A publisher holds a thread until
/// ``close()``.
public final class BusPublisher: Sendable {
    /// What is published and not handed to the socket yet.
    private struct State {
        var numbers = PublicationNumbers()
        var waiting: [Publication] = []
        var waitingSizeInBytes = 0
        var dropped = 0
        var isClosed = false
    }

    /// Where workers may connect to: the endpoints as they were bound, with real ports for wildcards.
    public let endpoints: [Endpoint]
    private let outlet: PublicationOutlet
    private let source: String?
    private let state = Guarded(State())

    /// How many messages wait for the socket at most; one more is dropped.
    private static let capacity = 10_000
    /// How many bytes of bodies wait for the socket at most.
    private static let capacityInBytes = 64 * 1024 * 1024

    /// A publisher for these workers, which need not be there yet, and for workers that connect to its own endpoints.
    ///
    /// - Parameters:
    ///   - workers: Where workers listen for what is published.
    ///   - endpoints: Where workers may connect to: `ipc`, or `tcp` on a loopback address; none with keys.
    ///   - identity: The publisher's keys and the workers' public one, where the workers tell senders apart by keys. A
    ///     worker that does not let them in is logged and not tried again: a publisher made later is. After any other
    ///     failure the worker is tried again.
    ///   - source: What this process calls itself: a label, at most 128 bytes.
    ///   - logger: Where the publisher logs which workers do not let it in.
    /// - Throws: `BusError` with code `unreachable` when an endpoint cannot be bound or connected to, or is to be bound by
    ///   a publisher with keys, and with code `bad_attribute` for a longer `source`.
    public init(
        connectingTo workers: [Endpoint] = [],
        bindingAt endpoints: [Endpoint] = [],
        as identity: CurveClient? = nil,
        source: String? = nil,
        logger: Logger = Logger(label: "forge.bus.publisher")
    ) async throws(BusError) {
        if let flaw = BusError.tooLong("source", source) { throw flaw }
        if identity != nil, let endpoint = endpoints.first { throw .boundWithKeys(endpoint) }
        do throws(ZeroMQError) {
            (outlet, self.endpoints) = try await PublicationOutlet.open(
                connectingTo: workers,
                bindingAt: endpoints,
                as: identity,
                logger: logger
            )
        } catch {
            throw BusError(.unreachable, error.message, next: error.next)
        }
        self.source = source
    }

    /// How many messages were dropped here, because they came faster than they could be handed to the network.
    ///
    /// At most 10,000 messages wait for that, or as many as have bodies of 64 MiB together.
    ///
    /// What the network, or a worker, had no room for is not among them.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Says that something changed on `topic`, to the workers that follow it now.
    ///
    /// It never waits, callable from any thread, and its return says nothing about arrival.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs; monitors look at the state itself.
    ///   - traceparent: The W3C trace context it belongs to, at most 128 bytes; nil takes the task's.
    /// - Throws: `BusError` with code `bad_name` for a topic that is no name, `too_large` for a body over 1 MiB, with code `bad_attribute` for a longer
    ///   `traceparent`, and with code `closed` after ``close()``.
    public func publish(_ topic: Topic, body: JSONValue? = nil, traceparent: String? = nil) throws(BusError) {
        let name = try topic.name
        if let flaw = BusError.tooLong("traceparent", traceparent) { throw flaw }
        let body = body?.encoded ?? []
        guard body.count <= WireLimits.frameSizeInBytes else { throw .bodyTooLarge(body.count) }
        let id = RequestID.random()
        let traceparent = traceparent ?? ServiceContext.currentTraceparent
        let isFirst = try state.withLock { state throws(BusError) in
            guard !state.isClosed else { throw .publisherClosed }
            // The number is used up also by what is dropped, so that it shows.
            let origin = state.numbers.next(on: name)
            guard state.waiting.count < Self.capacity, state.waitingSizeInBytes < Self.capacityInBytes else {
                state.dropped += 1
                return false
            }
            state.waiting.append(
                Publication(
                    topic: name,
                    id: id,
                    origin: origin,
                    body: body,
                    source: source,
                    traceparent: traceparent
                )
            )
            state.waitingSizeInBytes += body.count
            return state.waiting.count == 1
        }
        if isFirst { outlet.schedule { [self] in takeWaiting() } }
    }

    /// Waits until a worker follows `topic`.
    ///
    /// Nobody follows a publisher that has just been made, and what it publishes right away is lost: wait for this before
    /// a first message that matters.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - time: How long to wait at most.
    /// - Throws: `BusError` with code `timeout` when nobody followed it in time, with code `closed` after ``close()``,
    ///   and with code `cancelled` when the task was cancelled.
    public func awaitFollowers(of topic: Topic, within time: Duration) async throws(BusError) {
        let name = try topic.name
        do throws(ZeroMQError) {
            try await outlet.awaitSomebody(name, within: time)
        } catch {
            if state.withLock({ $0.isClosed }) { throw .publisherClosed }
            throw error.code == .cancelled ? .waitCancelled(for: topic) : .nobodyFollows(topic)
        }
    }

    /// Closes the connections, after what was published has gone out or a second is over.
    public func close() async {
        state.withLock { $0.isClosed = true }
        await outlet.close()
    }

    private func takeWaiting() -> [Publication] {
        state.withLock { state in
            defer { (state.waiting, state.waitingSizeInBytes) = ([], 0) }
            return state.waiting
        }
    }
}

extension BusError {
    fileprivate static let publisherClosed = BusError(
        .closed,
        "The publisher was closed.",
        next: "Publish with another one."
    )

    fileprivate static func boundWithKeys(_ endpoint: Endpoint) -> BusError {
        BusError(
            .unreachable,
            "A publisher with keys connects to workers, and cannot be connected to at \(endpoint).",
            next: "Name the workers' endpoints for publications, or make a publisher without keys for this one."
        )
    }

    /// Why `text` cannot be the attribute of this name; nil if it can.
    ///
    /// A worker would drop each message that carries it, and could tell nobody.
    fileprivate static func tooLong(_ attribute: String, _ text: String?) -> BusError? {
        let limit = WireLimits.commonAttributeSizeInBytes
        guard let size = text?.utf8.count, size > limit else { return nil }
        return BusError(
            .badAttribute,
            "`\(attribute)` has \(size) bytes of at most \(limit).",
            next: "Give a shorter one, or leave it out."
        )
    }

    fileprivate static func bodyTooLarge(_ size: Int) -> BusError {
        BusError(
            .tooLarge,
            "The body has \(size) bytes of at most \(WireLimits.frameSizeInBytes).",
            next: "Publish a hint, and let monitors look at the state itself."
        )
    }

    fileprivate static func waitCancelled(for topic: Topic) -> BusError {
        BusError(
            .cancelled,
            "The task that waited for followers of \(topic) was cancelled.",
            next: "Wait again, in another task."
        )
    }

    fileprivate static func nobodyFollows(_ topic: Topic) -> BusError {
        BusError(
            .timeout,
            "Nobody followed \(topic) in time.",
            next: "Check that a worker listens for what is published, and that one of its monitors follows the topic."
        )
    }
}
