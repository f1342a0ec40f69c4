import ForgeBusWorker

/// A number that the file's `worker:` section and the environment can set.
struct NumberSetting: Sendable {
    /// The keys that lead to the setting in the file, starting below `worker:`.
    ///
    /// The environment variable is `FORGEBUS_`, followed by these keys in upper case, joined by `_`.
    let path: [String]
    let bounds: ClosedRange<Int>
    let apply: @Sendable (inout Target, Int) -> Void

    /// The values that the numbers set: the worker's configuration and the limits of its store.
    @dynamicMemberLookup
    struct Target {
        var configuration: WorkerConfiguration
        var store = StoreLimits()

        subscript<Value>(dynamicMember path: WritableKeyPath<WorkerConfiguration, Value>) -> Value {
            get { configuration[keyPath: path] }
            set { configuration[keyPath: path] = newValue }
        }
    }

    /// The name of the environment variable for this setting.
    var variable: String { (["FORGEBUS"] + path).joined(separator: "_").uppercased() }

    private init(
        _ path: String...,
        in bounds: ClosedRange<Int>,
        apply: @escaping @Sendable (inout Target, Int) -> Void
    ) {
        self.path = path
        self.bounds = bounds
        self.apply = apply
    }

    private static let day = 86_400_000

    /// The drain time, which ``WorkerSettings/drain`` can override.
    static let drain = NumberSetting("drain_ms", in: 0...day) { $0.drainTime = .milliseconds($1) }

    /// The settings that are times, in milliseconds.
    static let times: [NumberSetting] = [
        drain,
        NumberSetting("cancel_grace_ms", in: 0...day) { $0.cancelGrace = .milliseconds($1) },
        NumberSetting("retention_ms", in: 1_000...30 * day) { $0.retention = .milliseconds($1) },
        NumberSetting("signal_retention_ms", in: 1_000...365 * day) { $0.signalRetention = .milliseconds($1) },
        NumberSetting("audit_retention_ms", in: day...3650 * day) { $0.auditRetention = .milliseconds($1) },
        NumberSetting("lease_ms", in: 2_000...600_000) { $0.store.lease = .milliseconds($1) },
    ]

    /// All settings.
    static let all = times + storeLimits + limits

    /// The limits of a store on disk.
    static let storeLimits: [NumberSetting] = [
        NumberSetting("store_limits", "journal_age_ms", in: 3_600_000...3650 * day) {
            $0.store.journalAge = .milliseconds($1)
        },
        NumberSetting("store_limits", "journal_entries", in: 1_000...100_000_000) { $0.store.journalEntries = $1 },
        NumberSetting("store_limits", "audit_entries", in: 1_000...100_000_000) { $0.store.auditEntries = $1 },
        NumberSetting("store_limits", "output_bytes", in: 1 << 20...1 << 40) { $0.store.outputsSizeInBytes = $1 },
        NumberSetting("store_limits", "disk_floor_bytes", in: 0...1 << 40) { $0.store.floorInBytes = $1 },
    ]

    /// The settings that limit how much the worker keeps or runs at the same time, and how many connections it accepts.
    static let limits: [NumberSetting] = [
        NumberSetting("limits", "unfinished", in: 1...1_000_000) { $0.limits.unfinishedRuns = $1 },
        NumberSetting("limits", "suspended", in: 1...10_000_000) { $0.limits.suspendedRuns = $1 },
        NumberSetting("limits", "seeds_bytes", in: 1...1 << 40) { $0.limits.seedsSizeInBytes = $1 },
        NumberSetting("limits", "results_bytes", in: 1...1 << 40) { $0.limits.resultsSizeInBytes = $1 },
        NumberSetting("limits", "slots", in: 1...1_000_000) { $0.limits.executingRuns = $1 },
        NumberSetting("limits", "queued", in: 1...10_000_000) { $0.limits.queuedRuns = $1 },
        NumberSetting("limits", "waiting", in: 1...10_000_000) { $0.limits.waitingSignals = $1 },
        NumberSetting("limits", "settled", in: 1...100_000_000) { $0.limits.settledSignals = $1 },
        NumberSetting("limits", "evaluations", in: 1...10_000_000) { $0.limits.evaluations = $1 },
        NumberSetting("limits", "early", in: 1...10_000_000) { $0.limits.earlyDecisions = $1 },
        NumberSetting("limits", "early_per_sender", in: 1...10_000_000) { $0.limits.earlyDecisionsPerPrincipal = $1 },
        NumberSetting("limits", "early_bytes", in: 1...1 << 40) { $0.limits.earlyDecisionsSizeInBytes = $1 },
        NumberSetting("limits", "votes_bytes", in: 1...1 << 40) { $0.limits.votesSizeInBytes = $1 },
        NumberSetting("limits", "decided_bytes", in: 1...1 << 40) { $0.limits.decidedSizeInBytes = $1 },
        NumberSetting("limits", "requests", in: 1...100_000_000) { $0.limits.requests = $1 },
        NumberSetting("limits", "watches", in: 1...1_000_000) { $0.limits.watches = $1 },
        NumberSetting("limits", "watches_per_sender", in: 1...1_000_000) { $0.limits.watchesPerPrincipal = $1 },
        NumberSetting("limits", "watches_per_connection", in: 1...1_000_000) { $0.limits.watchesPerConnection = $1 },
        NumberSetting("limits", "connections", in: 1...1_000) { $0.limits.attachedConnections = $1 },
        NumberSetting("limits", "open_connections", in: 1...1_000_000) { $0.limits.connections = $1 },
        NumberSetting("limits", "outstanding", in: 1...1_000_000) { $0.limits.outstanding = $1 },
        NumberSetting("limits", "unread_bytes", in: 65_536...1 << 40) { $0.limits.unreadSizeInBytes = $1 },
        NumberSetting("limits", "connections_per_minute", in: 1...1_000_000) { $0.limits.connectionsPerMinute = $1 },
    ]
}
