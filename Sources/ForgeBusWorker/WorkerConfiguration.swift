public import ForgeBusProtocol
public import ZeroMQ

/// The configuration of a worker, without its pipelines and monitors.
public struct WorkerConfiguration: Sendable {
    /// The worker's name in answers and logs.
    public var name: String
    /// The endpoints that the worker listens on.
    ///
    /// With keys, any endpoint is allowed. Without keys, the worker refuses endpoints that other machines can reach,
    /// because nothing identifies the senders: use `ipc`, or `tcp` on a loopback address.
    public var endpoints: [Endpoint]
    /// The endpoints that publishers connect to, under the same rule as ``endpoints``; none by default.
    ///
    /// A published message is a hint that causes a cycle of each monitor that follows its topic; it may be lost. See
    /// <doc:PublishOrSend>.
    public var publicationEndpoints: [Endpoint] = []
    /// The publishers that the worker connects to; none by default.
    ///
    /// A worker without keys connects only to `ipc`, or `tcp` on a loopback address. A worker with keys connects to any
    /// machine, and each publisher needs a ``KnownPublisher/identity``: its key must be one of the principal's in the
    /// access policy. If a new policy no longer has the key there, the worker drops the publisher's publications until a
    /// policy has it again.
    public var publishers: [KnownPublisher] = []
    /// Who may connect to the worker, and how it identifies senders.
    public var access: WorkerAccess = .local
    /// The worker's previous key pair, with the endpoints that still use it; nil, the default, for no previous key.
    ///
    /// Clients that know only the previous public key can connect to these endpoints, so they need not all change to
    /// the new key at the same time. Only a worker with keys can have a previous key.
    public var previous: PreviousKey?
    /// Receives each record of the audit: decisions, changes and refusals; nil writes the records to the worker's own log.
    ///
    /// A worker with a store also keeps the audit there, with or without this function.
    public var audit: AuditSink?
    /// How long started work may take to finish after a shutdown has begun.
    public var drainTime: Duration = .seconds(30)
    /// How long an action of a stopping run may take to return; after that, the worker abandons the action.
    ///
    /// The run then ends without waiting for the action, and its result lists the action as abandoned.
    public var cancelGrace: Duration = .seconds(30)
    /// How long the worker keeps a finished request with its outcome, so that a repetition gets the same answer.
    ///
    /// Nil means 60 seconds in memory and 24 hours in a durable store.
    public var retention: Duration?
    /// How long the worker keeps a signal that has ended; nil means an hour in memory and 7 days in a durable store.
    ///
    /// A signal that was announced to an earlier worker must be announced again within this time after the restart, or
    /// the worker forgets the signal.
    public var signalRetention: Duration?
    /// How long the store keeps entries of the audit, 90 days by default; it drops older entries when new ones come.
    ///
    /// A store also bounds the number of entries, whatever their age.
    public var auditRetention: Duration = .seconds(90 * 24 * 3600)
    /// The time after the start within which each monitor is evaluated once, at a random moment.
    ///
    /// With zero, the worker evaluates all monitors immediately. With a longer time, a fleet that starts together, or a
    /// worker with many monitors, does not evaluate everything at the same moment. Notifications do not wait for the
    /// random moment.
    public var startJitter: Duration = .seconds(1)
    /// How the worker probes the connections of publishers, to notice that a publisher's machine is gone; nil leaves that
    /// to TCP.
    ///
    /// By default, a publisher must answer within a minute. The connections of clients are always left to TCP: while many
    /// requests of one client wait, libzmq does not read from it, and if the client ends then, a probe would end the
    /// worker.
    public var heartbeats: Heartbeats? = Heartbeats(timeout: .seconds(60))
    /// The patterns of all signals and gates that anybody may ever wait for; nil if they are unknown.
    ///
    /// An early decision on any other signal is not kept: its sender gets the verdict `unknown`, because the id is
    /// wrong.
    public var signals: [NamePattern]?
    /// For each event, the pipeline that the worker runs when the event happens, for example to notify people.
    ///
    /// A pipeline's own ``HostedPipeline/events`` take precedence for events of its runs.
    public var events: [WorkerEvent: Name] = [:]
    /// The URL of the worker's web console, without a slash at the end; nil if there is no console.
    ///
    /// A run for an event gets the seed `url`: the console's page about the gate, run or monitor of the event.
    public var publicURL: String?
    /// A text that is equal for two workers if they do the same, such as the definitions of a file; nil for none.
    ///
    /// SHOW of the worker has its SHA-256 digest as `definitions`, so that somebody who asks many workers can see which
    /// of them have other definitions.
    public var definitions: String?
    /// The worker's limits.
    public var limits = WorkerLimits()

    /// Creates the configuration of a worker called `name` that listens on `endpoints`.
    public init(name: String = "forgebus", endpoints: [Endpoint]) {
        self.name = name
        self.endpoints = endpoints
    }
}

extension WorkerConfiguration {
    /// Checks the endpoints, the access and the publishers.
    ///
    /// - Throws: ``WorkerError`` with code `open_door` for an endpoint or a publisher that may be on another machine,
    ///   if the worker has no keys. The code is `definition` if there is no endpoint, if the worker's keys and its
    ///   policy do not fit together, or if the worker cannot connect to a publisher, or cannot know it.
    func validate() throws(WorkerError) {
        guard !endpoints.isEmpty else {
            throw WorkerError(
                .definition,
                "The worker has no endpoint.",
                next: "Configure an endpoint, such as tcp://127.0.0.1:7717."
            )
        }
        if let flaw = flaw(of: access) { throw flaw }
        try validatePublishers()
    }

    /// Why the worker cannot serve its endpoints with this access, or nil.
    func flaw(of access: WorkerAccess) -> WorkerError? {
        let own = endpoints + publicationEndpoints
        return access.flaw(at: own) ?? previous?.flaw(beside: access, at: own)
    }

    private func validatePublishers() throws(WorkerError) {
        for publisher in publishers {
            if let flaw = publisher.flaw(with: access) { throw flaw }
        }
    }

    /// Whether publications can come from publishers that connect, or from publishers without keys.
    var sharesPublicationSocket: Bool {
        !publicationEndpoints.isEmpty || previous?.publicationEndpoints.isEmpty == false
            || publishers.contains { $0.identity == nil }
    }

    func retention(_ durability: Durability) -> Duration {
        retention ?? (durability >= .fsynced ? .seconds(24 * 3600) : .seconds(60))
    }

    func signalRetention(_ durability: Durability) -> Duration {
        signalRetention ?? (durability >= .fsynced ? .seconds(7 * 24 * 3600) : .seconds(3600))
    }
}
