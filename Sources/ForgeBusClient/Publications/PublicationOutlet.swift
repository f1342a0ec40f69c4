import ForgeBusProtocol
import Logging
import ZeroMQ

/// The publisher's socket and its connections.
///
/// It lives on its reactor's thread; others have it as a `Resident`.
final class PublicationOutlet {
    /// Where the socket meets workers.
    enum Place {
        /// The publisher connects to workers, with keys or without.
        case connecting([Endpoint], CurveClient?)
        /// Workers connect to the publisher; with keys, the door decides which.
        case binding([Endpoint], SubscriberDoor?)
    }

    // An XPUB socket reports the subscriptions of the workers to the publisher, and confirms them to each worker.
    fileprivate let socket: Socket<XPub>
    private let place: Place
    private let logger: Logger
    private var buffer = FrameBuffer()
    private let pauses: Backoff
    /// How many times this outlet, and not libzmq, has connected again since the last successful handshake.
    private var failures = 0
    /// The last failed handshake since the last good one.
    private var failure: HandshakeFailure?

    private init(_ socket: Socket<XPub>, _ place: Place, _ logger: Logger) {
        (self.socket, self.place, self.logger) = (socket, place, logger)
        var chance = SystemRandomNumberGenerator()
        pauses = ReconnectPace(using: &chance).pauses
    }

    /// Opens the socket, and binds or connects it.
    ///
    /// - Returns: The outlet, and the bound endpoints with actual ports instead of wildcards.
    /// - Throws: `ZeroMQError` if an endpoint cannot be bound or connected to, or if an unknown key can connect to it.
    static func open(
        _ place: Place,
        logger: Logger
    ) async throws(ZeroMQError) -> (Resident<PublicationOutlet>, [Endpoint]) {
        ServerProcess.prepare()
        let reactor = try Reactor(label: "forge-publisher")
        do throws(ZeroMQError) {
            let socket = try await reactor.open(XPub.self, options: socketOptions())
            let outlet = Resident(PublicationOutlet(socket, place, logger), on: reactor)
            let bound = try await outlet.run { reactor, outlet throws(ZeroMQError) in try outlet.start(on: reactor) }
            if case .binding(_, let door?) = place {
                // One endpoint is enough: all endpoints belong to one socket with one mechanism.
                if let endpoint = bound.first {
                    try await reactor.verifyThatStrangersAreRefused(
                        at: endpoint,
                        server: door.keys.publicKey,
                        by: Sub.self
                    )
                }
                door.open()
            }
            return (outlet, bound)
        } catch {
            await reactor.shutDown(flushing: .zero)
            throw error
        }
    }

    private func start(on reactor: isolated Reactor) throws(ZeroMQError) -> [Endpoint] {
        try reactor.observe(socket) { [self] event in observe(event, reactor) }
        switch place {
        case .connecting(let workers, let identity):
            for endpoint in workers { try reactor.connect(socket, to: endpoint, as: identity) }
            return []
        case .binding(let endpoints, nil):
            return try endpoints.map { endpoint throws(ZeroMQError) in
                try reactor.bind(socket, to: LocalEndpoint(endpoint))
            }
        case .binding(let endpoints, .some(let door)):
            reactor.receive(socket) { [self] event in
                if case .crowded(let key) = event { bar(key, door, reactor) }
            }
            let server = CurveServer(keys: door.keys, authenticator: try reactor.authenticate { door.admits($0) })
            return try endpoints.map { endpoint throws(ZeroMQError) in
                try reactor.bind(socket, to: endpoint, as: server)
            }
        }
    }

    private static func socketOptions() -> SocketOptions {
        var options = SocketOptions(for: XPub.self)
        options.heartbeats = Heartbeats()
        // The linger time lets the socket send the last messages before it closes.
        options.linger = .seconds(1)
        // A worker sends nothing but subscriptions: a byte, a name and a dot.
        options.maximumMessageSize = 1_024
        options.subscriptionsPerKey = BusPublisher.subscriptionsPerKey
        return options
    }

    private func observe(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded:
            failures = 0
            failure = nil
        case .handshakeFailed(let endpoint, let failure): failed(at: endpoint, failure, reactor)
        case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
            .disconnected, .closed, .other:
            break
        }
    }

    private func failed(at endpoint: String, _ failure: HandshakeFailure, _ reactor: isolated Reactor) {
        let isNews = self.failure != failure
        self.failure = failure
        switch (place, failure) {
        // The door has logged the key.
        case (.binding(_, .some), .refused): return
        // Workers try again and again, so a repetition is not logged.
        case (.binding, _) where !isNews: return
        case (.binding, _), (.connecting, _): break
        }
        logger.warning(
            "a publisher's handshake failed",
            metadata: [
                "endpoint": "\(endpoint)", "reason": "\(failure.cause)",
                "next": "\(Errors.advice(ofPublisher: failure, side))",
            ]
        )
        guard case .connecting(let workers, let identity) = place else { return }
        switch failure {
        // After `ended`, libzmq connects again by itself. After a refused key (status 400), neither libzmq nor the
        // outlet connects again.
        case .ended, .refused(status: 400): break
        case .refused, .protocolError: reconnect(endpoint, among: workers, identity, reactor)
        }
    }

    private var side: Errors.PublisherSide {
        switch place {
        case .connecting: .connecting
        case .binding(_, nil): .bound
        case .binding(_, .some): .boundWithKeys
        }
    }

    /// Keeps a key with too many subscriptions out, and ends all connections: libzmq cannot end only those of one key.
    private func bar(_ key: PublicKey, _ door: SubscriberDoor, _ reactor: isolated Reactor) {
        guard door.bar(key) else { return }
        logger.error(
            "a subscriber has too many subscriptions, and its key stays out until the publisher is closed",
            metadata: ["subscriber_key": "\(key)", "most": "\(BusPublisher.subscriptionsPerKey)"]
        )
        do throws(ZeroMQError) { try reactor.rebind(socket) } catch {
            logger.error(
                "the publisher cannot bind its endpoints again; make a new publisher",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Connects to the endpoint again after a pause, because libzmq does not do so after this failure.
    private func reconnect(
        _ place: String,
        among workers: [Endpoint],
        _ identity: CurveClient?,
        _ reactor: isolated Reactor
    ) {
        let named = workers.filter { $0.text == place }
        // libzmq may report the resolved address of a worker, which equals no endpoint; then the outlet connects to all
        // workers again.
        let lost = named.isEmpty ? workers : named
        let pause = pauses.pause(after: failures)
        failures += 1
        reactor.schedule(at: .now.advanced(by: pause)) { [self] in
            for endpoint in lost {
                do throws(ZeroMQError) {
                    // If libzmq has already forgotten the endpoint, the error does not matter.
                    try? reactor.disconnect(socket, from: endpoint)
                    try reactor.connect(socket, to: endpoint, as: identity)
                } catch {
                    logger.error(
                        "the publisher cannot connect to this worker again; make a new publisher",
                        metadata: ["endpoint": "\(endpoint)", "error": "\(error)"]
                    )
                }
            }
        }
    }

    /// Why a subscriber may be missing; nil if nothing failed lately.
    fileprivate var missing: Errors.MissingSubscriber? {
        if case .binding(_, let door?) = place, let key = door.latestRefused { return .refused("\(key)") }
        return failure.map { .failed($0) }
    }

    fileprivate func encoded(_ publication: Publication) -> Message {
        publication.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

/// What any thread may ask of a publisher's outlet.
extension Resident where Object == PublicationOutlet {
    /// Calls `take` on the reactor's thread as soon as possible, and publishes the messages that it returns.
    func schedule(_ take: @escaping @Sendable () -> [Publication]) {
        submit { reactor, outlet in
            for publication in take() { reactor.send(outlet.encoded(publication), on: outlet.socket) }
        }
    }

    /// Waits until so many subscriptions include `topic`.
    func awaitSubscribers(_ topic: Name, atLeast count: Int, within time: Duration) async throws(ZeroMQError) {
        let socket = await run { _, outlet in outlet.socket }
        try await reactor.awaitSubscriptions(to: TopicPrefix(topic.text), on: socket, atLeast: count, within: time)
    }

    /// The number of subscriptions that include `topic` now.
    func subscribers(of topic: Name) async -> Int {
        guard let prefix = try? TopicPrefix(topic.text) else { return 0 }
        return await run { reactor, outlet in reactor.subscriptionCount(for: prefix, on: outlet.socket) }
    }

    /// Why a subscriber may be missing; nil if nothing failed lately.
    var trouble: Errors.MissingSubscriber? {
        get async { await run { _, outlet in outlet.missing } }
    }

    func close() async { await reactor.shutDown(flushing: .seconds(1)) }
}

extension Reactor {
    /// Connects the socket to `endpoint` with the keys of `identity`, or without keys if `identity` is nil.
    func connect(
        _ socket: Socket<some SocketKind>,
        to endpoint: Endpoint,
        as identity: CurveClient?
    ) throws(ZeroMQError) {
        guard let identity else { return try connect(socket, to: endpoint) }
        try connect(socket, to: endpoint, as: identity)
    }
}
