public import ForgeBusProtocol
import ForgeLocks
import Instrumentation
public import Logging
public import ZeroMQ

/// Publishes changes to all workers that subscribe to them, and does not wait for answers.
///
/// A published message is a hint and can be lost: if a queue is full, if a connection breaks, or if a worker has not
/// subscribed yet. The publisher numbers its messages on each topic, so a worker notices that messages are missing. The
/// worker then evaluates every monitor that follows at least one topic. A worker notices a loss when the next message
/// on the same topic arrives, or when a new connection between worker and publisher begins. If a change must arrive,
/// send it with ``BusClient/notify(_:body:durability:patience:)``: the worker's answer confirms that the worker has
/// accepted the notification.
///
/// ```swift
/// let publisher = try await BusPublisher(connectingTo: [Endpoint("tcp://127.0.0.1:7718")])
/// try publisher.publish("stock.apples.sold")
/// await publisher.close()
/// ```
///
/// Keep one publisher for as long as the process runs: for each new publisher, a worker evaluates every monitor that
/// follows at least one topic. A publisher has its own thread until ``close()``.
public final class BusPublisher: Sendable {
    /// The messages that wait for the socket, the last number of each topic, and the count of dropped messages.
    private struct State {
        var numbers = PublicationNumbers()
        var waiting: [Publication] = []
        var waitingSizeInBytes = 0
        var dropped = 0
        var isClosed = false
    }

    /// The endpoints that the publisher has bound, with actual ports instead of wildcards; workers can connect to them.
    public let endpoints: [Endpoint]
    private let outlet: PublicationOutlet
    private let source: String?
    private let state = Guarded(State())

    /// The largest number of messages that may wait for the socket; the publisher drops any further message.
    private static let capacity = 10_000
    /// The publisher drops further messages while the waiting bodies together have at least this many bytes.
    private static let capacityInBytes = 64 * 1024 * 1024

    /// Makes a publisher that connects to `workers` and binds `endpoints`; the workers need not be running yet.
    ///
    /// - Parameters:
    ///   - workers: The endpoints where workers listen for published messages; none by default.
    ///   - endpoints: The endpoints to bind, so that workers can connect: `ipc`, or `tcp` on a loopback address; none
    ///     by default. A publisher with keys cannot bind an endpoint.
    ///   - identity: The publisher's keys and the workers' public key; nil, the default, for workers without keys. If a
    ///     worker refuses the keys, the publisher logs the refusal and does not connect to this worker again. To try
    ///     again, make a new publisher. After any other failure, the publisher connects again by itself.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
    ///   - logger: The logger to which the publisher reports failed connections.
    /// - Throws: `BusError` with code `unreachable` if an endpoint cannot be bound or connected to, or if `identity` is
    ///   not nil and `endpoints` is not empty. The code is `bad_attribute` if `source` is too long.
    public init(
        connectingTo workers: [Endpoint] = [],
        bindingAt endpoints: [Endpoint] = [],
        as identity: CurveClient? = nil,
        source: String? = nil,
        logger: Logger = Logger(label: "forge.bus.publisher")
    ) async throws(BusError) {
        try Self.check("source", source)
        if identity != nil, let endpoint = endpoints.first { throw Errors.boundWithKeys(endpoint) }
        do throws(ZeroMQError) {
            (outlet, self.endpoints) = try await PublicationOutlet.open(
                connectingTo: workers,
                bindingAt: endpoints,
                as: identity,
                logger: logger
            )
        } catch {
            throw Errors.unreachable(error)
        }
        self.source = source
    }

    /// The number of messages that the publisher dropped because it could not send them fast enough.
    ///
    /// At most 10,000 messages wait, with about 64 MiB of bodies; the publisher drops further messages. This number
    /// does not include messages that the network or a worker drops.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Publishes a change on `topic` to the workers that follow it now.
    ///
    /// Any thread may call this method. The call returns at once, usually before the message is sent. So its return
    /// does not show that the message arrived.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - body: A hint for people and logs, at most 1 MiB as JSON; nil, the default, sends no body. A monitor must not
    ///     take the new state from the body: it reads the state at its source.
    ///   - traceparent: The W3C trace context of the change, at most 128 bytes; nil, the default, uses the trace
    ///     context of the current task.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, `bad_attribute` if `traceparent` is
    ///   too long, `too_large` if `body` is over 1 MiB, or `closed` after ``close()``. If the publisher drops the
    ///   message, the call does not throw.
    public func publish(_ topic: Topic, body: JSONValue? = nil, traceparent: String? = nil) throws(BusError) {
        let name = try topic.name
        try Self.check("traceparent", traceparent)
        let body = body?.encoded ?? []
        guard body.count <= WireLimits.frameSizeInBytes else { throw Errors.bodyTooLarge(body.count) }
        let id = RequestID.random()
        let traceparent = traceparent ?? ServiceContext.currentTraceparent
        let isFirst = try state.withLock { state throws(BusError) in
            guard !state.isClosed else { throw Errors.publisherClosed }
            // A dropped message also uses a number, so that workers notice the gap.
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
    /// A new publisher has no subscribed workers yet, so the messages that it publishes immediately are lost. Call this
    /// method before you publish the first message.
    ///
    /// - Parameters:
    ///   - topic: The topic that a worker should follow.
    ///   - time: The longest time to wait.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, `timeout` if no worker followed it in
    ///   time, `cancelled` if the task was cancelled, or `closed` after ``close()``.
    public func awaitFollowers(of topic: Topic, within time: Duration) async throws(BusError) {
        let name = try topic.name
        do throws(ZeroMQError) {
            try await outlet.awaitSomebody(name, within: time)
        } catch {
            if state.withLock({ $0.isClosed }) { throw Errors.publisherClosed }
            throw error.code == .cancelled ? Errors.waitCancelled(for: topic) : Errors.nobodyFollows(topic)
        }
    }

    /// Sends the waiting messages for at most one second, then closes the connections and ends the thread.
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

    /// Checks the length of an attribute's text.
    ///
    /// A worker would drop each message with a longer text, and the publisher would not notice.
    private static func check(_ attribute: String, _ text: String?) throws(BusError) {
        let limit = WireLimits.commonAttributeSizeInBytes
        guard let size = text?.utf8.count, size > limit else { return }
        throw Errors.attributeTooLong(attribute, sizeInBytes: size, limit: limit)
    }
}
