import ForgeBusProtocol

/// The worker's configuration, as far as the core needs it.
struct CoreConfiguration {
    /// The worker's name.
    var name: String
    /// Whether a store keeps records; without one, the core keeps them only in memory.
    var keepsRecords: Bool
    /// How durable a committed change is.
    var durability: Durability
    /// How long a finished request is kept.
    var retention: Duration
    /// How long a signal that has ended is kept.
    var signalRetention: Duration
    /// How long an entry of the audit is kept.
    var auditRetention: Duration = .seconds(90 * 24 * 3600)
    /// How long an action of a stopping run may take to return; after that, the worker abandons the action.
    var cancelGrace: Duration
    /// How long executing work may take to end while the worker stops.
    var drainTime: Duration = .seconds(30)
    var limits: WorkerLimits
    /// The signals that somebody may ever wait for; nil if that is unknown.
    var signals: [NamePattern]?
    /// The access policy with which the worker starts.
    var access = AccessPolicy.local
    var pipelines: [HostedPipeline]
    var monitors: [HostedMonitor]
    /// For each event, the pipeline that the worker runs; ``HostedPipeline/events`` take precedence.
    var events: [WorkerEvent: Name] = [:]
    /// The URL of the console, for the links in the seeds of runs for events; nil if there is no console.
    var publicURL: String?
    /// The digest of the worker's definitions, as SHOW of the worker tells it; nil if there is none.
    var definitions: String?
    /// The prefix of this process's run ids; no two processes share it.
    var runPrefix: String
    /// The time from the start within which each monitor is evaluated once.
    var startJitter: Duration = .zero

    /// Whether events may request runs.
    var reportsEvents: Bool { !events.isEmpty || pipelines.contains { !$0.events.isEmpty } }

    /// Whether runs outlive the worker.
    var isDurable: Bool { durability >= .fsynced }

    /// A new prefix of run ids.
    static var randomRunPrefix: String {
        var generator = SystemRandomNumberGenerator()
        return "run-" + String(generator.next() as UInt64, radix: 36)
    }
}
