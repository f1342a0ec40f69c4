public import ForgeBusProtocol
public import ForgeOrchestrator

/// A monitor that a worker re-evaluates when something is said on its topics.
public struct HostedMonitor: Sendable {
    /// The name answers use.
    public let name: Name
    /// What is re-evaluated.
    public let orchestrator: MonitorOrchestrator
    /// What it follows.
    public let topics: [NamePattern]
    /// The least time between the starts of two cycles, so that a monitor that notifies itself cannot spin.
    public let minimumGap: Duration

    /// Re-evaluates `orchestrator` for each notification on one of `topics`.
    ///
    /// A notification causes a cycle that starts after it; those that arrive during a cycle share exactly one more. The
    /// worker also starts the monitor's interval, and evaluates it once when it begins to serve.
    public init(
        _ name: Name,
        _ orchestrator: MonitorOrchestrator,
        topics: [NamePattern],
        minimumGap: Duration = .milliseconds(100)
    ) {
        self.name = name
        self.orchestrator = orchestrator
        self.topics = topics
        self.minimumGap = minimumGap
    }
}
