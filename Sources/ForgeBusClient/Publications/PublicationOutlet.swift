import ForgeBusProtocol
import Logging
import ZeroMQ

/// The publisher's socket and its connections.
///
/// The reactor's thread owns the state. Every method that uses the state is isolated to the reactor, so the compiler
/// refuses a call from any other thread. This makes `@unchecked Sendable` true.
final class PublicationOutlet: @unchecked Sendable {
    private let reactor: Reactor
    // An XPUB socket reports the subscriptions of the workers to the publisher, and confirms them to each worker.
    private let socket: Socket<XPub>
    /// The endpoints that the socket connects to.
    private let workers: [Endpoint]
    private let identity: CurveClient?
    /// Whether workers can also connect to this socket.
    private let isBound: Bool
    private let logger: Logger
    private var buffer = FrameBuffer()
    private let pauses: Backoff
    /// How many times this outlet, and not libzmq, has connected again since the last successful handshake.
    private var failures = 0

    private init(
        _ reactor: Reactor,
        _ socket: Socket<XPub>,
        _ workers: [Endpoint],
        _ identity: CurveClient?,
        isBound: Bool,
        _ logger: Logger
    ) {
        (self.reactor, self.socket, self.logger) = (reactor, socket, logger)
        (self.workers, self.identity, self.isBound) = (workers, identity, isBound)
        var chance = SystemRandomNumberGenerator()
        pauses = ReconnectPace(using: &chance).pauses
    }

    /// Opens the socket, binds it and connects it.
    ///
    /// - Returns: The outlet, and the bound endpoints with actual ports instead of wildcards.
    /// - Throws: `ZeroMQError` if an endpoint cannot be bound or connected to.
    static func open(
        connectingTo workers: [Endpoint],
        bindingAt endpoints: [Endpoint],
        as identity: CurveClient?,
        logger: Logger
    ) async throws(ZeroMQError) -> (PublicationOutlet, [Endpoint]) {
        let reactor = try Reactor(label: "forge-publisher")
        do throws(ZeroMQError) {
            let socket = try await reactor.open(XPub.self, options: socketOptions())
            let outlet = PublicationOutlet(
                reactor,
                socket,
                workers,
                identity,
                isBound: !endpoints.isEmpty,
                logger
            )
            try await reactor.observe(socket) { reactor, event in outlet.observe(event, reactor) }
            var bound: [Endpoint] = []
            for endpoint in endpoints { bound.append(try await reactor.bind(socket, to: LocalEndpoint(endpoint))) }
            for endpoint in workers { try await reactor.connect(socket, to: endpoint, as: identity) }
            return (outlet, bound)
        } catch {
            await reactor.shutDown(flushing: .zero)
            throw error
        }
    }

    private static func socketOptions() -> SocketOptions {
        var options = SocketOptions.publisher
        options.heartbeats = Heartbeats()
        // The linger time lets the socket send the last messages before it closes.
        options.linger = .seconds(1)
        return options
    }

    private func observe(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded: failures = 0
        case .handshakeFailed(let endpoint, let failure):
            let next = Errors.advice(ofPublisher: failure, isBound: isBound)
            logger.warning(
                "a publisher's handshake failed",
                metadata: ["endpoint": "\(endpoint)", "reason": "\(failure.cause)", "next": "\(next)"]
            )
            switch failure {
            // After `ended`, libzmq connects again by itself. After a refused key (status 400), neither libzmq nor the
            // outlet connects again.
            case .ended, .refused(status: 400): break
            case .refused, .protocolError: reconnect(endpoint, reactor)
            }
        case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
            .disconnected, .closed, .other:
            break
        }
    }

    /// Connects to the endpoint again after a pause, because libzmq does not do so after this failure.
    private func reconnect(_ place: String, _ reactor: isolated Reactor) {
        let named = workers.filter { $0.text == place }
        // libzmq may report the resolved address of a worker, which equals no endpoint; then the outlet connects to all
        // workers again. But if the socket is bound, the unknown address may belong to a bound endpoint, and then there
        // is nothing to connect.
        let lost = named.isEmpty && !isBound ? workers : named
        let pause = pauses.pause(after: failures)
        failures += 1
        reactor.schedule(at: .now.advanced(by: pause)) { [self] reactor in
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

    /// Calls `take` on the reactor's thread as soon as possible, and publishes the messages that it returns.
    func schedule(_ take: @escaping @Sendable () -> [Publication]) {
        reactor.submit { [self] reactor in
            for publication in take() { reactor.send(encoded(publication), on: socket) }
        }
    }

    /// Waits until a worker's subscription includes `topic`.
    func awaitSomebody(_ topic: Name, within time: Duration) async throws(ZeroMQError) {
        try await reactor.awaitSubscriptions(to: TopicPrefix(topic.text), on: socket, within: time)
    }

    func close() async { await reactor.shutDown(flushing: .seconds(1)) }

    private func encoded(_ publication: Publication) -> Message {
        publication.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

extension Reactor {
    /// Connects the socket to `endpoint` with the keys of `identity`, or without keys if `identity` is nil.
    func connect(
        _ socket: Socket<some ConnectingSocket>,
        to endpoint: Endpoint,
        as identity: CurveClient?
    ) throws(ZeroMQError) {
        guard let identity else { return try connect(socket, to: endpoint) }
        try connect(socket, to: endpoint, as: identity)
    }
}
