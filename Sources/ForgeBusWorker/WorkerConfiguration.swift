public import ForgeBusProtocol
public import ZeroMQ

/// The configuration of a worker, without its pipelines and monitors.
public struct WorkerConfiguration: Sendable {
    /// The worker's name in answers and logs.
    public var name: String
    /// Where it listens: `ipc`, or `tcp` on a loopback address; with keys, anywhere.
    ///
    /// Without keys, others are refused, because nothing identifies the sender.
    public var endpoints: [Endpoint]
    /// Where publishers connect to, under the same rule; none by default.
    ///
    /// Their messages are hints that owe monitors a cycle, and may be lost: <doc:PublishOrSend>.
    public var publicationEndpoints: [Endpoint] = []
    /// Publishers the worker connects to, under the same rule; none by default.
    public var publishers: [Endpoint] = []
    /// Who may reach it, and how it identifies senders.
    public var access: WorkerAccess = .local
    /// Receives the audit of decisions and refused attempts; nil writes it to the worker's own log.
    public var audit: AuditSink?
    /// How long started work may take to finish once a shutdown has begun.
    public var drainTime: Duration = .seconds(30)
    /// How long an action of a stopping run may take to return before it is abandoned.
    public var cancelGrace: Duration = .seconds(30)
    /// How long finished requests are kept; nil takes 60 seconds in memory and 24 hours in a durable store.
    public var retention: Duration?
    /// How long decided signals are kept; nil takes an hour in memory and 7 days in a durable store.
    ///
    /// A signal that was announced to an earlier worker must be announced again within this time.
    public var signalRetention: Duration?
    /// The time from the start within which each monitor is evaluated once, at a random moment; zero evaluates at once.
    ///
    /// So a fleet that starts together, or a worker with many monitors, does not evaluate everything in the same
    /// moment. Notifications do not wait for it.
    public var startJitter: Duration = .seconds(1)
    /// How connections are probed, so that a client whose machine is gone is noticed; nil leaves it to TCP.
    ///
    /// A client that does not read for longer than their timeout loses its connection, and the answers on their way to
    /// it.
    public var heartbeats: Heartbeats? = Heartbeats()
    /// The signals and gates that somebody may ever wait for; nil if that is unknown.
    ///
    /// An early decision on any other is not kept: its sender gets the verdict `unknown`, because the id is wrong.
    public var signals: [NamePattern]?
    /// Its limits.
    public var limits = WorkerLimits()

    /// A worker called `name` that listens at `endpoints`.
    public init(name: String = "forgebus", endpoints: [Endpoint]) {
        self.name = name
        self.endpoints = endpoints
    }
}

extension WorkerConfiguration {
    /// - Throws: ``WorkerError`` with code `open_door` for an endpoint that strangers could reach, and with code
    ///   `definition` when there is none, or when keys are in the wrong place.
    func validate() throws(WorkerError) {
        guard !endpoints.isEmpty else {
            throw WorkerError(.definition, "The worker has no endpoint.", next: "Name at least one to listen at.")
        }
        if let flaw = access.flaw(at: endpoints + publicationEndpoints) { throw flaw }
        try validatePublishers()
    }

    private func validatePublishers() throws(WorkerError) {
        if access.policy.isKeyed, let publisher = publishers.first {
            throw WorkerError(
                .definition,
                "The worker has keys, and \(publisher) is a publisher that it would connect to without them.",
                next: "Let the publisher connect to the worker, at an endpoint for publications."
            )
        }
        if let open = publishers.first(where: { !$0.isLocal }) {
            throw WorkerError(
                .openDoor,
                "The publisher at \(open) may be on another machine, and nothing here tells who speaks.",
                next: "Connect to ipc, or to a loopback address such as tcp://127.0.0.1:7718."
            )
        }
        if let vague = publishers.first(where: \.isWildcard) {
            throw WorkerError(
                .definition,
                "The publisher at \(vague) cannot be connected to: it stands for any address or port.",
                next: "Name the port the publisher has bound."
            )
        }
    }

    /// Whether anything can be published to the worker.
    var takesPublications: Bool { !(publicationEndpoints.isEmpty && publishers.isEmpty) }

    func retention(_ durability: Durability) -> Duration {
        retention ?? (durability == .fsynced ? .seconds(24 * 3600) : .seconds(60))
    }

    func signalRetention(_ durability: Durability) -> Duration {
        signalRetention ?? (durability == .fsynced ? .seconds(7 * 24 * 3600) : .seconds(3600))
    }
}
