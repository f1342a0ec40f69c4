import ForgeBusProtocol

/// What the core knows of the worker it decides for.
struct CoreConfiguration {
    /// What the worker calls itself.
    var name: String
    /// Whether a store keeps records: without one the core's own books are all there is.
    var keepsRecords: Bool
    /// What a committed change survives.
    var durability: Durability
    /// How long a finished request is kept.
    var retention: Duration
    /// How long a decided signal is kept.
    var signalRetention: Duration
    /// How long a cancelled action may take to return.
    var cancelGrace: Duration
    var limits: WorkerLimits
    /// The signals that somebody may ever wait for; nil where that is not known.
    var signals: [NamePattern]?
    /// Who may do what, to begin with.
    var access = AccessPolicy.local
    var pipelines: [HostedPipeline]
    var monitors: [HostedMonitor]
    /// What run ids of this process begin with: no two processes share it.
    var runPrefix: String
    /// Within which time from the start each monitor is evaluated once.
    var startJitter: Duration = .zero

    /// Whether runs outlive the worker.
    var isDurable: Bool { durability == .fsynced }
}
