/// The bounds of one worker.
///
/// Beyond one with a name in parentheses a request is refused as BUSY, whose `limit` is that name; at the others something
/// else happens, as each says.
public struct WorkerLimits: Hashable, Sendable {
    /// Runs that are unfinished and do not wait, a principal (`unfinished`).
    ///
    /// Processes without a key are one principal.
    public var unfinishedRuns = 1_024
    /// Runs that are unfinished and wait, a principal: for a decision, for another attempt, to be redriven, or for a slot to
    /// go on with (`paused`).
    ///
    /// A run that was taken may wait whatever the others do: with those that were taken before the bound was reached, they
    /// can be ``unfinishedRuns`` more.
    public var pausedRuns = 100_000
    /// The bytes that the seeds of unfinished runs may take in memory, in all, about (`seeds`).
    ///
    /// A value counts 64 bytes beside its text, a key 128.
    public var seedsSizeInBytes = 1024 * 1024 * 1024
    /// The bytes that the outputs and reasons of kept results may take in memory, in all, about (`results`).
    ///
    /// Beyond it no run is begun until some are forgotten, after the retention; none is forgotten before. Runs that were
    /// taken end and keep their results all the same, which can go beyond it by as much as they give.
    public var resultsSizeInBytes = 256 * 1024 * 1024
    /// Runs that execute at once, in all; more wait in their pipelines' queues.
    public var executingRuns = 256
    /// Runs that wait to begin, a pipeline (`queued`).
    public var queuedRuns = 10_000
    /// Signals and gates that wait, in all (`waiting`).
    public var waitingSignals = 100_000
    /// Signals and gates that are over, and kept for the retention, in all (`settled`).
    ///
    /// Beyond it no run of a pipeline with gates is begun until some are forgotten; none is forgotten before.
    public var settledSignals = 2_000_000
    /// EVALUATED answers that are owed, in all (`evaluations`).
    public var evaluations = 10_000
    /// Early decisions that are kept, a principal (`early`).
    public var earlyDecisionsPerPrincipal = 1_000
    /// Early decisions that are kept, in all (`early`).
    public var earlyDecisions = 100_000
    /// The bytes early decisions may take, in all (`early`).
    public var earlyDecisionsSizeInBytes = 64 * 1024 * 1024
    /// The bytes of what decided signals that are kept whole, in all.
    ///
    /// What was sent is kept whole until its run ends, outside runs for the retention, and then as a digest. At the bound
    /// the oldest are kept as digests before: nothing is refused, and an owner that opens such a signal again is told
    /// that it is closed. What a run is still to be handed when it gets its slot is not counted.
    public var decidedSizeInBytes = 64 * 1024 * 1024
    /// The bytes of changes and answers that wait for the store, in all, about (`backlog`).
    ///
    /// Beyond it every request is refused until some are committed.
    public var backlogSizeInBytes = 32 * 1024 * 1024
    /// Requests whose answers are kept, in all (`ledger`).
    public var requests = 1_000_000
    /// Watches of one connection (`watches`).
    public var watchesPerConnection = 100
    /// Watches of one principal (`watches`).
    ///
    /// Processes without a key are one principal.
    public var watchesPerPrincipal = 1_000
    /// Watches, in all (`watches`).
    public var watches = 4_000
    /// Tasks of the store that operators asked for and that are not done, in all (`admin`).
    public var storeTasks = 4
    /// Histories that are being put together, in all (`history`).
    public var histories = 64
    /// The bytes of answers that wait because their connections do not read, in all.
    ///
    /// One connection takes a quarter of what is free, one principal of several half of it. Beyond it what was only asked
    /// is refused (`outstanding`), and of what else is told the oldest is dropped with the line of the connection that has
    /// not read for longest. Half as much again is reserved for what runs and decisions are answered with first, and for
    /// refusals. Beside it each connection's queue holds at most 128 answers of up to 8 KiB, and one larger one.
    public var unreadSizeInBytes = 64 * 1024 * 1024
    /// First answers that are on their way to one connection: decided, and not yet taken by its queue (`outstanding`).
    ///
    /// A sender that has no more requests than that under way without their first answer is never refused for it.
    public var outstanding = 4_096
    /// Connections that are open, in all (`connections`); a submission that waits for answers is one of them.
    ///
    /// What comes over one more that is new to the worker is refused, and nothing is kept for it. Together with
    /// ``unreadSizeInBytes`` it bounds the memory that clients can take that do not read: that, half as much again, and
    /// for each connection 1 MiB of small answers, and the large one twice while it is written.
    public var connections = 10_000
    /// Connections that get the answers of one run; one more takes the place of the oldest.
    public var attachedConnections = 8
    /// Connections that are let in a minute from one IPv4 address, or one IPv6 network of 64 bits; at least one.
    ///
    /// It holds over `tcp`, for a worker with keys. One more is not let in: its client is told nothing, and libzmq tries
    /// again. See <doc:ConnectionsPerMinute>.
    public var connectionsPerMinute = 6_000

    /// The bounds of a worker that says nothing of them.
    public init() {}

    /// The bounds by the names that BUSY and WELCOME use.
    var byName: [String: Int] {
        [
            "unfinished": unfinishedRuns,
            "paused": pausedRuns,
            "seeds": seedsSizeInBytes,
            "results": resultsSizeInBytes,
            "slots": executingRuns,
            "queued": queuedRuns,
            "waiting": waitingSignals,
            "settled": settledSignals,
            "evaluations": evaluations,
            "early": earlyDecisionsPerPrincipal,
            "backlog": backlogSizeInBytes,
            "ledger": requests,
            "watches": watchesPerPrincipal,
            "admin": storeTasks,
            "history": histories,
            "attached": attachedConnections,
            "outstanding": outstanding,
            "connections": connections,
        ]
    }
}
