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
/// let publisher = try await BusPublisher(bind: [Endpoint("ipc:///run/user/1000/stock.ipc")])
/// try await publisher.awaitFollowers(of: "stock.apples.sold", within: .seconds(5))
/// try publisher.publish("stock.apples.sold")
/// await publisher.close()
/// ```
///
/// A publisher either binds endpoints, so that any number of workers connect to it, or connects to workers that have
/// bound endpoints for publications. Keep one publisher for as long as the process runs: for each new publisher, a
/// worker evaluates every monitor that follows at least one topic. A publisher has its own thread until ``close()``.
public final class BusPublisher: Sendable {
    /// The messages that wait for the socket, the last number of each topic, and the count of dropped messages.
    private struct State {
        var numbers = PublicationNumbers()
        var waiting: [Publication] = []
        var waitingSizeInBytes = 0
        var dropped = 0
        var isClosed = false
    }

    /// The endpoints that the publisher has bound, with actual ports instead of wildcards; none if it connects.
    public let endpoints: [Endpoint]
    private let outlet: Resident<PublicationOutlet>
    private let source: String?
    private let state = Guarded(State())

    /// The largest number of messages that may wait for the socket; the publisher drops any further message.
    private static let capacity = 10_000
    /// The publisher drops further messages while the waiting bodies together have at least this many bytes.
    private static let capacityInBytes = 64 * 1024 * 1024

    /// The most topics that workers with one key may subscribe to at a publisher that binds with keys: 1,000.
    ///
    /// libzmq stores every subscription. So a publisher does not let a key in any more, until it is closed, after the
    /// key's 1,001st different subscription; it logs the key, and ends all connections once. The other workers connect
    /// again.
    public static let subscriptionsPerKey = 1_000

    /// Makes a publisher with keys that binds endpoints; workers with keys connect to it, from any machine.
    ///
    /// A worker connects with its own keys, and names this publisher's endpoint, public key and principal in its
    /// configuration.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints to bind; `*` as the host means all interfaces, and as the port a free port.
    ///   - keys: The publisher's own keys.
    ///   - subscribers: The public keys of the workers that may connect; nobody else may. A key can be added at any
    ///     time. A removed key keeps its open connections until it connects again.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
    ///   - logger: The logger to which the publisher reports refused keys and failed connections.
    /// - Throws: `BusError` with code `unreachable` if an endpoint cannot be bound, or `bad_attribute` if `source` is
    ///   too long.
    public convenience init(
        bind endpoints: [Endpoint],
        as keys: KeyPair,
        admitting subscribers: AllowedKeys,
        source: String? = nil,
        logger: Logger = Logger(label: "forge.bus.publisher")
    ) async throws(BusError) {
        let door = SubscriberDoor(keys, letting: subscribers, logger)
        try await self.init(.binding(endpoints, door), source, logger)
    }

    /// Makes a publisher without keys that binds endpoints for workers without keys on this machine.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints to bind: `ipc`, or `tcp` on a loopback address.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
    ///   - logger: The logger to which the publisher reports failed connections.
    /// - Throws: `BusError` with code `unreachable` if an endpoint cannot be bound, or `bad_attribute` if `source` is
    ///   too long.
    public convenience init(
        bind endpoints: [Endpoint],
        source: String? = nil,
        logger: Logger = Logger(label: "forge.bus.publisher")
    ) async throws(BusError) {
        try await self.init(.binding(endpoints, nil), source, logger)
    }

    /// Makes a publisher that connects to `workers`; they need not be running yet.
    ///
    /// - Parameters:
    ///   - workers: The endpoints where workers listen for published messages.
    ///   - identity: The publisher's keys and the workers' public key; nil, the default, for workers without keys. If a
    ///     worker refuses the keys, the publisher logs the refusal and does not connect to this worker again. To try
    ///     again, make a new publisher. After any other failure, the publisher connects again by itself.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
    ///   - logger: The logger to which the publisher reports failed connections.
    /// - Throws: `BusError` with code `unreachable` if an endpoint cannot be connected to, or `bad_attribute` if
    ///   `source` is too long.
    public convenience init(
        connect workers: [Endpoint],
        as identity: CurveClient? = nil,
        source: String? = nil,
        logger: Logger = Logger(label: "forge.bus.publisher")
    ) async throws(BusError) {
        try await self.init(.connecting(workers, identity), source, logger)
    }

    private init(_ place: PublicationOutlet.Place, _ source: String?, _ logger: Logger) async throws(BusError) {
        try Self.check("source", source)
        do throws(ZeroMQError) {
            (outlet, endpoints) = try await PublicationOutlet.open(place, logger: logger)
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
        try publish(topic, bytes: body?.encoded ?? [], traceparent: traceparent)
    }

    /// Publishes a change on `topic`, with a hint in any form, as ``publish(_:body:traceparent:)`` does.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB. A monitor must not take the new state from the hint: it
    ///     reads the state at its source.
    ///   - traceparent: The W3C trace context of the change, at most 128 bytes; nil, the default, uses the trace
    ///     context of the current task.
    /// - Throws: `BusError` with the same codes as the method with a body in JSON.
    public func publish(_ topic: Topic, bytes: [UInt8], traceparent: String? = nil) throws(BusError) {
        let name = try topic.name
        try Self.check("traceparent", traceparent)
        guard bytes.count <= WireLimits.frameSizeInBytes else { throw Errors.bodyTooLarge(bytes.count) }
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
                    body: bytes,
                    source: source,
                    traceparent: traceparent
                )
            )
            state.waitingSizeInBytes += bytes.count
            return state.waiting.count == 1
        }
        if isFirst { outlet.schedule { [self] in takeWaiting() } }
    }

    /// Waits until workers follow `topic`.
    ///
    /// A new publisher has no subscribed workers yet, so the messages that it publishes immediately are lost. Call this
    /// method before you publish the first message.
    ///
    /// - Parameters:
    ///   - topic: The topic that the workers should follow.
    ///   - count: The number of workers to wait for; 1 by default. A worker counts once, and no longer after its
    ///     connection has ended. If its machine is gone without a word, it counts for up to 6 seconds more. A
    ///     subscriber other than a worker counts once for each of its subscriptions that include the topic.
    ///   - time: The longest time to wait.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, `timeout` if too few workers followed
    ///   it in time, `cancelled` if the task was cancelled, or `closed` after ``close()``.
    public func awaitFollowers(
        of topic: Topic,
        atLeast count: Int = 1,
        within time: Duration
    ) async throws(BusError) {
        let name = try topic.name
        do throws(ZeroMQError) {
            try await outlet.awaitSubscribers(name, atLeast: count, within: time)
        } catch {
            if state.withLock({ $0.isClosed }) { throw Errors.publisherClosed }
            if error.code == .cancelled { throw Errors.waitCancelled(for: topic) }
            throw Errors.tooFewFollow(topic, await outlet.subscribers(of: name), of: count, await outlet.trouble)
        }
    }

    /// The number of workers that follow `topic` now, counted as ``awaitFollowers(of:atLeast:within:)`` does.
    ///
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name.
    public func followers(of topic: Topic) async throws(BusError) -> Int {
        await outlet.subscribers(of: try topic.name)
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
