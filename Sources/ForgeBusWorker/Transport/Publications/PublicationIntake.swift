import ForgeBusProtocol
import Logging
import ZeroMQ

/// Reads published messages from their socket, and passes the messages and possible losses to the core.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class PublicationIntake: @unchecked Sendable {
    private let socket: Socket<Sub>
    private let loop: WorkerLoop
    private var book = PublisherBook()
    private var connections = PublisherConnections()

    private init(_ socket: Socket<Sub>, for loop: WorkerLoop) {
        self.socket = socket
        self.loop = loop
    }

    /// Binds and connects the endpoints of `configuration`, and subscribes to the topics of `monitors`.
    ///
    /// - Returns: The bound endpoints. If the configuration has no endpoints for publications, this method opens no
    ///   socket.
    static func open(
        _ configuration: WorkerConfiguration,
        for monitors: [HostedMonitor],
        telling loop: WorkerLoop,
        as servers: WorkerLoop.Servers
    ) async throws(ZeroMQError) -> (bound: [Endpoint], previous: [Endpoint]) {
        guard configuration.takesPublications else { return ([], []) }
        let reactor = loop.reactor
        var options = SocketOptions.subscriber
        // Messages are read at once, so heartbeats do not end a good connection. Without heartbeats, a lost connection
        // might stay unnoticed, and no cycle would make up for the loss.
        options.heartbeats = configuration.heartbeats
        options.maximumMessageSize = WireLimits.frameSizeInBytes
        let intake = PublicationIntake(try await reactor.open(Sub.self, options: options), for: loop)
        try await intake.start(prefixes: TopicPrefix.covering(monitors.flatMap(\.topics)), on: reactor)
        var (bound, previous): ([Endpoint], [Endpoint]) = ([], [])
        for endpoint in configuration.publicationEndpoints {
            bound.append(try await reactor.bind(intake.socket, to: endpoint, as: servers.own))
        }
        if let (key, server) = servers.previous {
            for endpoint in key.publicationEndpoints {
                previous.append(try await reactor.bind(intake.socket, to: endpoint, as: server))
            }
        }
        for endpoint in configuration.publishers { try await reactor.connect(intake.socket, to: endpoint) }
        let ends = ["bound": bound + previous, "connected": configuration.publishers]
        loop.logger.info(
            "listening to publishers",
            metadata: ends.mapValues { "\($0.map(\.text).joined(separator: " "))" }
        )
        return (bound, previous)
    }

    private func start(prefixes: Set<TopicPrefix>, on reactor: isolated Reactor) throws(ZeroMQError) {
        reactor.receive(socket) { [self] reactor, message in receive(message, reactor) }
        reactor.onSubscribed(socket) { [self] reactor in
            connections.acknowledged()
            loop.step(.publicationsMayBeLost, reactor)
        }
        try reactor.observe(socket) { [self] reactor, event in take(event, reactor) }
        try reactor.subscribe(socket, to: prefixes)
    }

    private func receive(_ message: Message, _ reactor: isolated Reactor) {
        guard loop.mayAct else { return }
        loop.counters[.publications] += 1
        guard let sender = loop.core.access.sender(of: message) else { return loop.ignore(message) }
        let publication: Publication
        do throws(BusError) {
            publication = try Publication(decoding: (0..<message.count).map { message[$0] })
        } catch {
            return refuse(error.code, ["cause": "\(error.message)", "next": "\(error.next)"])
        }
        // Only the connection identifies the sender; without keys the sender is a process of this machine.
        let principal = loop.core.access.isKeyed ? sender : .local(source: publication.source)
        // The grant is checked before the book counts the message: a message without effect must not hide an earlier
        // loss.
        guard loop.core.access.ruling(for: principal, .notify, on: .name(publication.topic)) == .allowed else {
            let (name, grant) = (principal.name, "`notify` on \"\(publication.topic)\"")
            let next = Errors.publicationNotGranted(name, grant)
            refuse(
                .forbidden,
                [
                    "principal": "\(name)", "topic": "\(publication.topic)",
                    "cause": "The principal \"\(name)\" has no grant of \(grant).",
                    "next": "\(next)",
                ]
            )
            // The core decides the same, and audits the refusal.
            return loop.step(.published(publication, by: principal, othersMayBeLost: false), reactor)
        }
        let arrival = book.received(publication.origin, on: publication.topic, from: principal.ledgerName)
        count(arrival)
        guard arrival.isNews else { return }
        loop.step(.published(publication, by: principal, othersMayBeLost: arrival.showsLoss), reactor)
    }

    private func refuse(_ code: ErrorCode, _ details: Logger.Metadata) {
        loop.counters.refusePublication(code)
        let metadata = details.merging(["code": "\(code)"]) { $1 }
        loop.logger.debug("a published message was refused", metadata: metadata)
    }

    private func count(_ arrival: PublisherBook.Arrival) {
        switch arrival {
        case .inOrder: break
        case .firstOfLife: loop.counters[.publisherLives] += 1
        case .afterGap: loop.counters[.publicationGaps] += 1
        case .covered: loop.counters[.publicationsCovered] += 1
        }
    }

    private func take(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded(let endpoint): connected(at: endpoint, reactor)
        case .disconnected(let endpoint): connections.disconnected(at: endpoint)
        case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried,
            .handshakeFailed, .closed, .other:
            break
        }
    }

    /// Handles a new connection, before which messages may have been lost.
    ///
    /// Messages may also be lost until the publisher knows the subscriptions. So the core learns of the possible loss
    /// only then: when the publisher reports that it knows them, or when ``PublisherConnections/patience`` ends.
    private func connected(at endpoint: String, _ reactor: isolated Reactor) {
        if connections.connected(at: endpoint, now: .now) {
            loop.counters[.publicationReconnects] += 1
            loop.logger.info(
                "a publisher has connected after a connection was lost; monitors with topics are evaluated again",
                metadata: ["endpoint": "\(endpoint)"]
            )
        }
        reactor.schedule(at: .now + PublisherConnections.patience) { [self] reactor in
            if connections.patienceEnded(at: .now) { loop.step(.publicationsMayBeLost, reactor) }
        }
    }
}

extension TopicPrefix {
    /// The fewest prefixes that cover every topic these patterns match.
    static func covering(_ patterns: [NamePattern]) -> Set<TopicPrefix> {
        var covering: [String] = []
        for prefix in Set(patterns.map(Publication.subscription)).sorted() {
            // All prefixes that begin with `last` are sorted directly after it.
            if let last = covering.last, prefix.hasPrefix(last) { continue }
            covering.append(prefix)
        }
        return Set(covering.map(TopicPrefix.init(subscription:)))
    }

    private init(subscription: String) {
        guard !subscription.isEmpty else {
            self = .everything
            return
        }
        do { self = try TopicPrefix(subscription) } catch {
            fatalError("Internal error: a topic pattern begins with no valid prefix.")
        }
    }
}
