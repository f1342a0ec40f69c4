import ForgeBusProtocol
import Logging
import ZeroMQ

/// The publisher's side of the wire.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class PublicationOutlet: @unchecked Sendable {
    private let reactor: Reactor
    // One that hears of subscriptions: workers learn from it when it knows theirs.
    private let socket: Socket<XPub>
    private var buffer = FrameBuffer()

    private init(_ reactor: Reactor, _ socket: Socket<XPub>) {
        self.reactor = reactor
        self.socket = socket
    }

    /// Opens the socket, binds it and connects it.
    ///
    /// - Returns: The outlet, and the endpoints as they were bound.
    static func open(
        connectingTo workers: [Endpoint],
        bindingAt endpoints: [Endpoint],
        as identity: CurveClient?,
        logger: Logger
    ) async throws(ZeroMQError) -> (PublicationOutlet, [Endpoint]) {
        let reactor = try Reactor(label: "forge-publisher")
        do throws(ZeroMQError) {
            let socket = try await reactor.open(XPub.self, options: socketOptions())
            try await reactor.observe(socket) { _, event in
                guard case .handshakeFailed(let endpoint, let failure) = event else { return }
                logger.warning(
                    "a worker was not reached",
                    metadata: ["endpoint": "\(endpoint)", "reason": "\(failure)"]
                )
            }
            var bound: [Endpoint] = []
            for endpoint in endpoints { bound.append(try await reactor.bind(socket, to: LocalEndpoint(endpoint))) }
            for endpoint in workers { try await reactor.connect(socket, to: endpoint, as: identity) }
            return (PublicationOutlet(reactor, socket), bound)
        } catch {
            await reactor.shutDown(flushing: .zero)
            throw error
        }
    }

    private static func socketOptions() -> SocketOptions {
        var options = SocketOptions.publisher
        options.heartbeats = Heartbeats()
        // The last messages get a moment to leave.
        options.linger = .seconds(1)
        return options
    }

    /// Publishes soon what `take` then hands over.
    func schedule(_ take: @escaping @Sendable () -> [Publication]) {
        reactor.submit { [self] reactor in
            for publication in take() { reactor.send(encoded(publication), on: socket) }
        }
    }

    /// Waits until somebody would get what is published on `topic`.
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
    /// Connects with keys, or without where there are none.
    func connect(
        _ socket: Socket<some ConnectingSocket>,
        to endpoint: Endpoint,
        as identity: CurveClient?
    ) throws(ZeroMQError) {
        guard let identity else { return try connect(socket, to: endpoint) }
        try connect(socket, to: endpoint, as: identity)
    }
}
