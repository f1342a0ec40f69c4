import ForgeBusProtocol
import Logging
import ZeroMQ

/// Passes published messages and possible losses to the core, from all sockets on which publications come in.
///
/// Publishers connect to one socket; for a worker without keys, that socket also connects to publishers. Each publisher
/// with a key has a socket of its own, because a connecting SUB does not learn its peer's key.
///
/// It lives on the reactor's thread.
final class PublicationIntake {
    let loop: WorkerLoop
    private var book = PublisherBook()
    private var sockets: [PublicationSocket] = []

    private init(for loop: WorkerLoop) { self.loop = loop }

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
        guard configuration.sharesPublicationSocket || !configuration.publishers.isEmpty else { return ([], []) }
        let intake = Resident(PublicationIntake(for: loop), on: loop.reactor)
        let prefixes = TopicPrefix.covering(monitors.flatMap(\.topics))
        let bound = try await intake.run { reactor, intake throws(ZeroMQError) in
            try intake.open(configuration, prefixes, as: servers, on: reactor)
        }
        let ends = ["bound": bound.own + bound.previous, "connected": configuration.publishers.map(\.endpoint)]
        loop.logger.info(
            "listening to publishers",
            metadata: ends.mapValues { "\($0.map(\.text).joined(separator: " "))" }
        )
        return (bound.own, bound.previous)
    }

    private func open(
        _ configuration: WorkerConfiguration,
        _ prefixes: Set<TopicPrefix>,
        as servers: WorkerLoop.Servers,
        on reactor: isolated Reactor
    ) throws(ZeroMQError) -> (own: [Endpoint], previous: [Endpoint]) {
        loop.publications = self
        for publisher in configuration.publishers {
            guard let identity = publisher.identity, case .keyed(let pair, _) = configuration.access else { continue }
            let client = CurveClient(keys: pair, server: identity.key)
            let pin = PublicationSocket.Pin(endpoint: publisher.endpoint, identity: identity, client: client)
            let socket = try open(configuration, prefixes, to: pin, reactor)
            try reactor.connect(socket, to: pin.endpoint, as: client)
        }
        var (own, previous): ([Endpoint], [Endpoint]) = ([], [])
        guard configuration.sharesPublicationSocket else { return (own, previous) }
        let socket = try open(configuration, prefixes, to: nil, reactor)
        for endpoint in configuration.publicationEndpoints {
            own.append(try reactor.bind(socket, to: endpoint, as: servers.own))
        }
        if let (key, server) = servers.previous {
            for endpoint in key.publicationEndpoints {
                previous.append(try reactor.bind(socket, to: endpoint, as: server))
            }
        }
        for publisher in configuration.publishers where publisher.identity == nil {
            try reactor.connect(socket, to: publisher.endpoint)
        }
        return (own, previous)
    }

    private func open(
        _ configuration: WorkerConfiguration,
        _ prefixes: Set<TopicPrefix>,
        to pin: PublicationSocket.Pin?,
        _ reactor: isolated Reactor
    ) throws(ZeroMQError) -> Socket<Sub> {
        let socket = try PublicationSocket(for: self, to: pin, configuration, reactor)
        sockets.append(socket)
        try socket.start(prefixes, reactor)
        return socket.socket
    }

    /// Looks which publishers a new access policy still knows.
    func accessReplaced(_ reactor: isolated Reactor) {
        for socket in sockets { socket.accessReplaced(reactor) }
    }

    /// Makes up for messages that may be lost.
    func mayBeLost(_ reactor: isolated Reactor) { loop.step(.publicationsMayBeLost, reactor) }

    /// Handles a message of the publisher that a socket is connected to, or with nil, of one that has connected.
    func receive(_ message: Message, from identity: KnownPublisher.Identity?, _ reactor: isolated Reactor) {
        guard loop.mayAct else { return }
        loop.counters[.publications] += 1
        let access = loop.core.access
        if let identity {
            guard let sender = identity.sender(in: access) else {
                let name = "\(identity.principal)"
                return refuse(.forbidden, ["principal": "\(name)", "next": "\(Errors.restoredPublisherKey(name))"])
            }
            return receive(message, by: sender, reactor)
        }
        guard let sender = access.sender(of: message) else { return loop.door.ignore(message) }
        receive(message, by: sender, reactor)
    }

    private func receive(_ message: Message, by sender: AccessPolicy.Principal, _ reactor: isolated Reactor) {
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
}
