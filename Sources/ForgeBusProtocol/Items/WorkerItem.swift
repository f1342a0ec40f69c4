/// What a worker tells of itself with SHOW.
public typealias WorkerItem = Item<WorkerMembers>

/// The members of a ``WorkerItem``.
public struct WorkerMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The worker's name.
    public let name = RequiredMember<String>("worker", "The worker's name.")
    /// Whether the worker takes work; nil if the client does not know the worker's word.
    public let state = Member<Pong.State>("state", "starting, ready or draining.", isRequired: true)
    /// The version of its program.
    public let version = RequiredMember<String>("version", "The version of its program.")
    /// The durability of its acknowledgements.
    public let durability = RequiredMember<String>(
        "durability",
        "The durability of its acknowledgements: memory, fsynced or replicated."
    )
    /// The worker's clock, in milliseconds since 1970.
    public let nowUnixMilliseconds = RequiredMember<Int64>("now_ms", "Its clock, in milliseconds since 1970.")
    /// Its checks: each is `ok` or says what it found.
    public let checks = RequiredMember<JSONObject>("checks", "Its checks: each is ok or says what it found.")
    /// Since when its disk is nearly full, in milliseconds since 1970; nil if it is not.
    public let diskSinceUnixMilliseconds = Member<Int64>("disk_since_ms", "Since when its disk is nearly full.")
    /// Since when its store is slow, in milliseconds since 1970; nil if it is not.
    public let storeSinceUnixMilliseconds = Member<Int64>("store_since_ms", "Since when its store is slow.")
    /// Since when too many changes wait for its store, in milliseconds since 1970; nil if they do not.
    public let backlogSinceUnixMilliseconds = Member<Int64>(
        "backlog_since_ms",
        "Since when too many changes wait for its store."
    )
    /// The numbers of its runs: `executing`, `queued`, `resting` and `ended`.
    public let runs = RequiredMember<JSONObject>(
        "runs",
        "How many runs are executing, queued, resting and ended."
    )
    /// How many signals wait.
    public let signals = RequiredMember<Int>("signals", "How many signals wait.")
    /// How many requests it keeps.
    public let requests = RequiredMember<Int>("requests", "How many requests it keeps.")
    /// How many monitors it has.
    public let monitors = RequiredMember<Int>("monitors", "How many monitors it has.")
    /// The identity of its store; nil for a store in memory.
    public let store = Member<String>("store", "The identity of its store.")
    /// The monitors whose latest cycle failed, of those that the client may read.
    public let failing = DefaultMember<[MonitorItem]>("failing", [], "The monitors that fail.")
    /// The pauses of what the client may read.
    public let pauses = DefaultMember<[WorkerPauseItem]>("paused", [], "The pauses.")
    /// Its limits, by their names.
    public let limits = RequiredMember<JSONObject>("limits", "Its limits.")
    /// How many requested runs have not begun.
    public let requestedRuns = DefaultMember<Int>("requested_runs", 0, "How many requested runs have not begun.")
    /// The pipelines whose runs for events fail, of those that the client may read.
    public let failingEvents = DefaultMember<[FailingEventItem]>(
        "failing_events",
        [],
        "The pipelines whose runs for events fail."
    )
    /// How many connections are open.
    public let connections = Member<Int>("connections", "How many connections are open.")
    /// How long the worker has run, in milliseconds.
    public let uptimeMilliseconds = Member<Int64>("uptime_ms", "How long it has run, in milliseconds.")
    /// What it has counted since it started.
    public let counters = Member<JSONObject>("counters", "What it has counted since it started.")
    /// The digest of its access policy.
    public let access = Member<String>("access", "The digest of its access policy.")
    /// The digest of its definitions.
    public let definitions = Member<String>("definitions", "The digest of its definitions.")
}

/// A pause, with what is paused.
public typealias WorkerPauseItem = Item<WorkerPauseMembers>

/// The members of a ``WorkerPauseItem``.
public struct WorkerPauseMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// What is paused, such as `pipeline/deploy`.
    public let subject = RequiredMember<String>("subject", "What is paused, such as pipeline/deploy.")
    /// The members of the pause.
    let pause = PauseMembers()
}

extension Item<WorkerPauseMembers> {
    /// The pause.
    public var pause: PauseItem {
        guard let pause = PauseItem(member: .object(json)) else {
            fatalError("Internal error: an item WorkerPause was made without a pause.")
        }
        return pause
    }
}

/// A pipeline whose latest run for an event of the worker failed.
public typealias FailingEventItem = Item<FailingEventMembers>

/// The members of a ``FailingEventItem``.
public struct FailingEventMembers: ItemMembers {
    /// All members.
    public static let all = DeclaredMembers(Self())

    /// The pipeline.
    public let pipeline = RequiredMember<PipelineName>("pipeline", "The pipeline.")
    /// How many of its runs for events have failed in a row.
    public let failures = RequiredMember<Int>("failures", "How many of its runs for events have failed in a row.")
    /// The latest of them.
    public let run = RequiredMember<RunID>("run", "The latest of them.")
    /// When it failed, in milliseconds since 1970, by the worker's clock.
    public let failedUnixMilliseconds = RequiredMember<Int64>("failed_at_ms", "When it failed.")
    /// The run's state and reason.
    public let reason = RequiredMember<String>("reason", "The run's state and reason.")
}
