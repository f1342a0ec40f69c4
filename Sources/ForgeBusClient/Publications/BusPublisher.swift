public import ForgeBusProtocol
import ForgeLocks
import Instrumentation
public import Logging
public import ZeroMQ

/// Publishes changes to all workers that listen, without waiting for them.
///
/// A published message is only a hint, and can be lost: on its way, in a full queue, while a connection is down, or
/// before a worker has subscribed. Each message has a number, so that a worker notices missing messages and
/// re-evaluates every monitor. The worker notices that the latest message is missing when the next message on the topic
/// comes, or when the connection is back. If a change must arrive, send it with
/// ``BusClient/notify(_:body:durability:patience:)``, whose answer confirms it.
///
/// ```swift
/// let publisher = try await BusPublisher(connectingTo: [Endpoint("tcp://127.0.0.1:7718")])
/// try publisher.publish("stock.apples.sold")
/// await publisher.close()
/// ```
///
/// Use a publisher in a long-lived process: each new publisher makes every monitor of a worker run a cycle. A publisher
/// has a thread until ``close()``.
public final class BusPublisher: Sendable {
    /// The published messages that the socket does not have yet.
    private struct State {
        var numbers = PublicationNumbers()
        var waiting: [Publication] = []
        var waitingSizeInBytes = 0
        var dropped = 0
        var isClosed = false
    }

    /// The endpoints where workers can connect, as they were bound: with real ports instead of wildcards.
    public let endpoints: [Endpoint]
    private let outlet: PublicationOutlet
    private let source: String?
    private let state = Guarded(State())

    /// The most messages that wait for the socket; further ones are dropped.
    private static let capacity = 10_000
    /// The most bytes of bodies that wait for the socket.
    private static let capacityInBytes = 64 * 1024 * 1024

    /// Creates a publisher that connects to workers, or that workers connect to; the workers need not be running yet.
    ///
    /// - Parameters:
    ///   - workers: The endpoints where workers listen for published messages.
    ///   - endpoints: The endpoints to bind, so that workers can connect: `ipc`, or `tcp` on a loopback address; none
    ///     if `identity` is given.
    ///   - identity: The publisher's key pair and the workers' public key, for workers with keys. If a worker refuses
    ///     the key, the publisher logs this and never connects to the worker again; only a new publisher does. After
    ///     any other failure it connects again.
    ///   - source: A label for this process, at most 128 bytes.
    ///   - logger: The publisher's logger.
    /// - Throws: ``BusError`` with code `unreachable` if the publisher cannot bind or connect to an endpoint, or if it
    ///   has both keys and an endpoint to bind; with code `bad_attribute` for a longer `source`.
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

    /// The number of messages that the publisher dropped, because they came faster than the socket took them.
    ///
    /// At most 10,000 messages wait for the socket, or as many as have bodies of 64 MiB in total.
    ///
    /// The number does not include messages that the network or a worker had no room for.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Publishes a change on `topic` to the workers that follow the topic now.
    ///
    /// It never waits, and any thread may call it. Its return does not mean that the message has arrived.
    ///
    /// - Parameters:
    ///   - topic: The topic of the change.
    ///   - body: A hint for people and logs; monitors look at the state itself.
    ///   - traceparent: The W3C trace context of the message, at most 128 bytes; nil uses the task's.
    /// - Throws: ``BusError`` with code `bad_name` for a topic that is not a valid name, `too_large` for a body over 1
    ///   MiB, `bad_attribute` for a longer `traceparent`, and `closed` after ``close()``.
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
    /// A new publisher has no followers yet, so messages that it publishes immediately are lost. Wait before the first
    /// message that matters.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - time: The longest time to wait.
    /// - Throws: ``BusError`` with code `timeout` if no worker followed the topic in time, `closed` after ``close()``,
    ///   and `cancelled` if the task was cancelled.
    public func awaitFollowers(of topic: Topic, within time: Duration) async throws(BusError) {
        let name = try topic.name
        do throws(ZeroMQError) {
            try await outlet.awaitSomebody(name, within: time)
        } catch {
            if state.withLock({ $0.isClosed }) { throw .publisherClosed }
            throw error.code == .cancelled ? .waitCancelled(for: topic) : .nobodyFollows(topic)
        }
    }

    /// Closes the connections after all messages have been sent, or after a second.
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
            "A publisher with keys can only connect to workers; it cannot bind \(endpoint).",
            next: "Connect to the workers' publication endpoints, or bind this one with a publisher that has no keys."
        )
    }

    /// The error for a `text` that is too long for this attribute; nil if it is not.
    ///
    /// A worker would drop each message with such an attribute, and could not report that to the publisher.
    fileprivate static func tooLong(_ attribute: String, _ text: String?) -> BusError? {
        let limit = WireLimits.commonAttributeSizeInBytes
        guard let size = text?.utf8.count, size > limit else { return nil }
        return BusError(
            .badAttribute,
            "`\(attribute)` has \(size) bytes; at most \(limit) are allowed.",
            next: "Pass a shorter text, or leave it out."
        )
    }

    fileprivate static func bodyTooLarge(_ size: Int) -> BusError {
        BusError(
            .tooLarge,
            "The body has \(size) bytes; at most \(WireLimits.frameSizeInBytes) are allowed.",
            next: "Publish a short hint, and let the monitors' actions read the data elsewhere."
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
            "No worker subscribed to \(topic) in time.",
            next: "Check that a worker is connected to this publisher, and that one of its monitors follows the topic."
        )
    }
}
