import ForgeBusProtocol
import Logging
import ZeroMQ

/// A socket on which publications come in, and its connections.
///
/// It lives on the reactor's thread.
final class PublicationSocket {
    /// The only publisher that a socket connects to; its key proves that its messages come from its principal.
    struct Pin {
        let endpoint: Endpoint
        let identity: KnownPublisher.Identity
        let client: CurveClient
    }

    let socket: Socket<Sub>
    private let intake: PublicationIntake
    /// Nil for the socket that publishers connect to.
    private let pin: Pin?
    private var connections = PublisherConnections()
    /// Whether the access policy has the pinned key as one of the principal's; true without a pin.
    private var isKnown = true
    /// The last failed handshake that was logged; nil after a handshake that succeeded.
    private var told: Errors.PublisherTrouble?
    private let pauses: Backoff
    /// How many times this socket has connected again without libzmq since the last good handshake.
    private var failures = 0

    /// Opens the socket; with a pin, the caller connects it to the pinned publisher.
    init(
        for intake: PublicationIntake,
        to pin: Pin? = nil,
        _ configuration: WorkerConfiguration,
        _ reactor: isolated Reactor
    ) throws(ZeroMQError) {
        var options = SocketOptions(for: Sub.self)
        // Messages are read at once, so heartbeats do not end a good connection. Without heartbeats, a lost connection
        // might stay unnoticed, and no cycle would make up for the loss.
        options.heartbeats = configuration.heartbeats
        options.maximumMessageSize = WireLimits.frameSizeInBytes
        // Random, so that the workers of a fleet do not all connect at the same moment to a publisher that is back.
        options.reconnectInterval = .milliseconds(Int.random(in: 100...300))
        options.maximumReconnectInterval = .milliseconds(Int.random(in: 5_000...10_000))
        pauses = Backoff(from: options.reconnectInterval, upTo: options.maximumReconnectInterval)
        socket = try reactor.open(Sub.self, options: options)
        (self.intake, self.pin) = (intake, pin)
    }

    /// Subscribes, and passes on what comes.
    func start(_ prefixes: Set<TopicPrefix>, _ reactor: isolated Reactor) throws(ZeroMQError) {
        reactor.receive(socket) { [self] message in
            intake.receive(message, from: pin?.identity, reactor)
        }
        reactor.onSubscribed(socket) { [self] in
            connections.acknowledged()
            mayBeLost(reactor)
        }
        try reactor.observe(socket) { [self] event in take(event, reactor) }
        try reactor.subscribe(socket, to: prefixes)
    }

    /// Makes up for messages that may be lost, but not for those of a publisher that the policy no longer knows.
    private func mayBeLost(_ reactor: isolated Reactor) {
        if isKnown { intake.mayBeLost(reactor) }
    }

    private func take(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded(let endpoint): connected(at: endpoint, reactor)
        case .disconnected(let endpoint): connections.disconnected(at: endpoint)
        case .handshakeFailed(_, let failure): if let pin { failed(pin, failure.trouble, reactor) }
        case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried, .closed,
            .other:
            break
        }
    }

    /// Handles a new connection, before which messages may have been lost.
    ///
    /// Messages may also be lost until the publisher knows the subscriptions. So the core learns of the possible loss
    /// only then: when the publisher reports that it knows them, or when ``PublisherConnections/patience`` ends.
    private func connected(at endpoint: String, _ reactor: isolated Reactor) {
        failures = 0
        if let pin, told != nil {
            told = nil
            intake.loop.logger.notice("a publisher that failed before is connected", metadata: pin.metadata)
        }
        if connections.connected(at: endpoint, now: .now) {
            intake.loop.counters[.publicationReconnects] += 1
            intake.loop.logger.info(
                "a publisher has connected after a connection was lost; monitors with topics are evaluated again",
                metadata: ["endpoint": "\(endpoint)"]
            )
        }
        reactor.schedule(at: .now + PublisherConnections.patience) { [self] in
            if connections.patienceEnded(at: .now) { mayBeLost(reactor) }
        }
    }
}

/// The publisher that a socket is pinned to.
extension PublicationSocket {
    /// Looks whether a new access policy still has the pinned key as one of the principal's.
    ///
    /// While it has not, the messages have no effect. When it has again, they may have been lost.
    func accessReplaced(_ reactor: isolated Reactor) {
        guard let pin else { return }
        let loop = intake.loop
        let isNowKnown = pin.identity.sender(in: loop.core.access) != nil
        guard isNowKnown != isKnown else { return }
        isKnown = isNowKnown
        guard isNowKnown else {
            let next = Errors.restoredPublisherKey("\(pin.identity.principal)")
            return loop.logger.warning(
                "the access policy no longer has the key of a publisher, and its messages have no effect",
                metadata: pin.metadata.merging(["next": "\(next)"]) { $1 }
            )
        }
        loop.logger.notice(
            "the access policy has the key of a publisher again; monitors with topics are evaluated again",
            metadata: pin.metadata
        )
        mayBeLost(reactor)
    }

    /// Counts a handshake that failed; logs it only once until a handshake succeeds or fails for another reason.
    private func failed(_ pin: Pin, _ trouble: Errors.PublisherTrouble, _ reactor: isolated Reactor) {
        intake.loop.counters[.publisherHandshakesFailed] += 1
        if trouble != told {
            told = trouble
            let details: Logger.Metadata = [
                "reason": "\(Errors.cause(of: trouble))", "next": "\(Errors.advice(on: trouble))",
            ]
            intake.loop.logger.warning(
                "a publisher's handshake failed; the worker tries again",
                metadata: pin.metadata.merging(details) { $1 }
            )
        }
        switch trouble {
        // libzmq connects again by itself, also to a publisher with another key.
        case .ended: break
        case .keyRefused, .unchecked, .otherProtocol: connectAgain(pin, reactor)
        }
    }

    /// Connects again after a pause, because libzmq does not do so after this failure.
    private func connectAgain(_ pin: Pin, _ reactor: isolated Reactor) {
        let pause = pauses.pause(after: failures)
        failures += 1
        reactor.schedule(at: .now + pause) { [self] in
            // If libzmq has already forgotten the endpoint, the error does not matter.
            try? reactor.disconnect(socket, from: pin.endpoint)
            do throws(ZeroMQError) {
                try reactor.connect(socket, to: pin.endpoint, as: pin.client)
            } catch {
                // For instance, a name that cannot be resolved now.
                connectAgain(pin, reactor)
            }
        }
    }
}

extension HandshakeFailure {
    fileprivate var trouble: Errors.PublisherTrouble {
        switch self {
        case .refused(status: 400): .keyRefused
        case .refused(let status): .unchecked(status: status)
        case .protocolError(let number): .otherProtocol(number: number)
        case .ended: .ended
        }
    }
}

extension PublicationSocket.Pin {
    fileprivate var metadata: Logger.Metadata {
        ["endpoint": "\(endpoint)", "principal": "\(identity.principal)", "publisher_key": "\(identity.key)"]
    }
}
