import ForgeBusWorker

/// A number, a time or a size that the file's `worker:` section and the environment can set.
struct NumberSetting: Sendable {
    /// The keys that lead to the setting in the file, starting below `worker:`.
    ///
    /// The environment variable is `FORGEBUS_`, followed by these keys in upper case, joined by `_`.
    let path: [String]
    /// The declaration of the last key of the path.
    let key: Key
    /// Sets the value: a number, a time in milliseconds, or a size in bytes.
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
        _ name: String,
        in section: String? = nil,
        _ form: Form,
        usual: String,
        _ help: String,
        apply: @escaping @Sendable (inout Target, Int) -> Void
    ) {
        path = [section, name].compactMap(\.self)
        key = Key(name, form, usual: usual, help)
        self.apply = apply
    }

    /// A setting of `limits`, whose default is that of ``WorkerLimits``.
    private static func limit(
        _ name: String,
        _ path: any WritableKeyPath<WorkerLimits, Int> & Sendable,
        _ form: Form,
        _ help: String
    ) -> NumberSetting {
        let usual = WorkerLimits()[keyPath: path]
        let isSize = if case .size = form { true } else { false }
        return NumberSetting(name, in: "limits", form, usual: isSize ? SizeText.text(of: usual) : "\(usual)", help) {
            $0.configuration.limits[keyPath: path] = $1
        }
    }

    /// The value that `text` gives the setting; nil for a text of another form, or out of its bounds.
    func value(of text: String) -> Int? {
        switch key.form {
        case .integer(let bounds): Int(text).flatMap { bounds.contains($0) ? $0 : nil }
        case .time(let bounds):
            DurationText.duration(text).flatMap { bounds.contains($0) ? Int($0.wholeMilliseconds) : nil }
        case .size(let bounds): SizeText.size(text).flatMap { bounds.contains($0) ? $0 : nil }
        case .text, .name, .flag, .choice, .list, .mapping, .named, .either, .any: nil
        }
    }

    /// The value under the key of these fields, as ``apply`` takes it.
    func value(in fields: Fields) -> Int? {
        switch key.form {
        case .integer: fields.integer(key.name)
        case .time: fields.time(key.name).map { Int($0.wholeMilliseconds) }
        case .size: fields.size(key.name)
        case .text, .name, .flag, .choice, .list, .mapping, .named, .either, .any: nil
        }
    }

    /// A value as ``value(of:)`` reads it.
    func text(of value: Int) -> String {
        switch key.form {
        case .time: "\(value)ms"
        case .size: "\(value)B"
        case .integer, .text, .name, .flag, .choice, .list, .mapping, .named, .either, .any: "\(value)"
        }
    }

    private static let day = Duration.seconds(86_400)

    /// The drain time, which ``WorkerSettings/drain`` can override.
    static let drain = NumberSetting(
        "drain",
        .time(.zero...day),
        usual: "30s",
        "how long a stopping worker lets running actions finish"
    ) { $0.drainTime = .milliseconds($1) }

    /// The settings that are times.
    static let times: [NumberSetting] = [
        drain,
        NumberSetting(
            "cancel_grace",
            .time(.zero...day),
            usual: "30s",
            "how long an action may take to return when its run must end"
        ) { $0.cancelGrace = .milliseconds($1) },
        NumberSetting(
            "retention",
            .time(.seconds(1)...day * 30),
            usual: "1m in memory, 1d in a durable store",
            "how long finished requests are kept"
        ) { $0.retention = .milliseconds($1) },
        NumberSetting(
            "signal_retention",
            .time(.seconds(1)...day * 365),
            usual: "1h in memory, 7d in a durable store",
            "how long ended signals are kept; signals of an unfinished run are kept longer"
        ) { $0.signalRetention = .milliseconds($1) },
        NumberSetting(
            "audit_retention",
            .time(day...day * 3650),
            usual: "90d",
            "how long entries of the <doc:Audit> are kept; at most `store_limits.audit_entries` are kept"
        ) { $0.auditRetention = .milliseconds($1) },
        NumberSetting(
            "lease",
            .time(.seconds(2)...Duration.seconds(600)),
            usual: "10s",
            "with a store in PostgreSQL, how long another process must see no renewal before it takes the worker over; the "
                + "same for all processes of a name"
        ) { $0.store.lease = .milliseconds($1) },
    ]

    /// All settings.
    static let all = times + storeLimits + limits

    /// The limits of a store on disk.
    static let storeLimits: [NumberSetting] = [
        NumberSetting(
            "journal_age",
            in: "store_limits",
            .time(.seconds(3_600)...day * 3650),
            usual: "7d",
            "how long an event stays in the history that `explain` shows"
        ) { $0.store.journalAge = .milliseconds($1) },
        NumberSetting(
            "journal_entries",
            in: "store_limits",
            .integer(1_000...100_000_000),
            usual: "1000000",
            "events in the history"
        ) { $0.store.journalEntries = $1 },
        NumberSetting(
            "audit_entries",
            in: "store_limits",
            .integer(1_000...100_000_000),
            usual: "1000000",
            "entries of the audit"
        ) { $0.store.auditEntries = $1 },
        NumberSetting(
            "output",
            in: "store_limits",
            .size(1 << 20...1 << 40),
            usual: "256MiB",
            "the output of all actions, which `logs` shows; the oldest output is dropped first"
        ) { $0.store.outputsSizeInBytes = $1 },
        NumberSetting(
            "disk_floor",
            in: "store_limits",
            .size(0...1 << 40),
            usual: "64MiB",
            "if the disk has less free than this, the worker refuses new runs, early decisions and backups, with `busy` and "
                + "the limit `disk`"
        ) { $0.store.floorInBytes = $1 },
    ]

    private static let sizes = Form.size(1...1 << 40)

    /// The settings that limit how much the worker keeps or runs at the same time, and how many connections it accepts.
    static let limits: [NumberSetting] = [
        limit(
            "unfinished",
            \.unfinishedRuns,
            .integer(1...1_000_000),
            "runs that execute or wait to begin, for each principal"
        ),
        limit(
            "suspended",
            \.suspendedRuns,
            .integer(1...10_000_000),
            "runs that have begun and wait (for a decision, the next attempt, a requested run, a redrive or a slot), for "
                + "each principal"
        ),
        limit("seeds", \.seedsSizeInBytes, sizes, "approximate size of the seeds of unfinished runs"),
        limit(
            "results",
            \.resultsSizeInBytes,
            sizes,
            "approximate size of the outputs and reasons of kept results; above this, the worker accepts no run"
        ),
        limit(
            "slots",
            \.executingRuns,
            .integer(1...1_000_000),
            "runs that execute at the same time, in all pipelines"
        ),
        limit("queued", \.queuedRuns, .integer(1...10_000_000), "runs that wait to begin, for each pipeline"),
        limit("waiting", \.waitingSignals, .integer(1...10_000_000), "signals and gates that wait"),
        limit(
            "settled",
            \.settledSignals,
            .integer(1...100_000_000),
            "ended signals and gates that are kept; above this, the worker accepts no run of a pipeline with gates"
        ),
        limit("evaluations", \.evaluations, .integer(1...10_000_000), "notifications that wait for EVALUATED"),
        limit("early", \.earlyDecisions, .integer(1...10_000_000), "early decisions that are kept"),
        limit(
            "early_per_sender",
            \.earlyDecisionsPerPrincipal,
            .integer(1...10_000_000),
            "early decisions of one principal (`early`)"
        ),
        limit("early_size", \.earlyDecisionsSizeInBytes, sizes, "size of the early decisions (`early`)"),
        limit("votes", \.votesSizeInBytes, sizes, "size of the votes on gates that wait"),
        limit(
            "decided",
            \.decidedSizeInBytes,
            sizes,
            "size of the decisions that are kept whole; above this, the worker keeps only a hash of the oldest decisions"
        ),
        limit("requests", \.requests, .integer(1...100_000_000), "requests whose answers are kept (`ledger`)"),
        limit("watches", \.watches, .integer(1...1_000_000), "watches in all"),
        limit(
            "watches_per_sender",
            \.watchesPerPrincipal,
            .integer(1...1_000_000),
            "watches of one principal (`watches`)"
        ),
        limit(
            "watches_per_connection",
            \.watchesPerConnection,
            .integer(1...1_000_000),
            "watches of one connection (`watches`)"
        ),
        limit(
            "connections",
            \.attachedConnections,
            .integer(1...1_000),
            "connections that get the answers of one run (`attached`)"
        ),
        limit(
            "open_connections",
            \.connections,
            .integer(1...1_000_000),
            "open connections in all (`connections`); requests on further connections are refused"
        ),
        limit(
            "outstanding",
            \.outstanding,
            .integer(1...1_000_000),
            "requests of one connection without their first answer"
        ),
        limit(
            "unread",
            \.unreadSizeInBytes,
            .size(65_536...1 << 40),
            "size of all answers that wait because their connections do not read"
        ),
        limit(
            "connections_per_minute",
            \.connectionsPerMinute,
            .integer(1...1_000_000),
            "new connections a minute from one IPv4 address or IPv6 network of 64 bits, over `tcp` to a worker with keys; "
                + "the worker does not admit further connections, and their clients try again"
        ),
    ]
}

extension Duration {
    /// The time in whole milliseconds, rounded down.
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
