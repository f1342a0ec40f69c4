/// The limits of one worker.
///
/// Beyond a limit with a name in parentheses, the worker refuses a request as BUSY, whose `limit` is that name. The
/// others describe what happens.
public struct WorkerLimits: Hashable, Sendable {
    /// Runs that are unfinished and do not wait, for each principal (`unfinished`).
    ///
    /// Processes without a key are one principal.
    public var unfinishedRuns = 1_024
    /// Unfinished runs that wait for a decision, attempt, redrive or slot to resume, for each principal (`paused`).
    ///
    /// An accepted run may always wait, so runs accepted before the limit was reached can exceed it by
    /// ``unfinishedRuns``.
    public var pausedRuns = 100_000
    /// About how many bytes the seeds of all unfinished runs may take in memory (`seeds`).
    ///
    /// A value counts 64 bytes plus its text, a key 128 plus its text.
    public var seedsSizeInBytes = 1024 * 1024 * 1024
    /// About how many bytes the outputs and reasons of all kept results may take in memory (`results`).
    ///
    /// Beyond it no run begins until some results expire after their retention; none is forgotten earlier. Accepted
    /// runs still end and keep their results, so the results can exceed it.
    public var resultsSizeInBytes = 256 * 1024 * 1024
    /// Runs that execute at once, in all; more wait in their pipelines' queues.
    public var executingRuns = 256
    /// Runs that wait to begin, for each pipeline (`queued`).
    public var queuedRuns = 10_000
    /// Signals and gates that wait, in all (`waiting`).
    public var waitingSignals = 100_000
    /// Signals and gates that have ended and are kept for the retention, in all (`settled`).
    ///
    /// Beyond it no run of a pipeline with gates begins until some expire; none is forgotten earlier.
    public var settledSignals = 2_000_000
    /// EVALUATED answers that are owed, in all (`evaluations`).
    public var evaluations = 10_000
    /// Early decisions that are kept, for each principal (`early`).
    public var earlyDecisionsPerPrincipal = 1_000
    /// Early decisions that are kept, in all (`early`).
    public var earlyDecisions = 100_000
    /// The bytes early decisions may take, in all (`early`).
    public var earlyDecisionsSizeInBytes = 64 * 1024 * 1024
    /// The bytes of decisions that are kept whole, in all.
    ///
    /// A decision is kept whole until its run ends, or for the retention outside runs, and then as a digest. At the
    /// limit the oldest become digests earlier: the worker refuses nothing, and an owner that opens such a signal again
    /// gets `closed`. Decisions that wait for their run's slot do not count.
    public var decidedSizeInBytes = 64 * 1024 * 1024
    /// The bytes of changes and answers that wait for the store, in all, about (`backlog`).
    ///
    /// Beyond it the worker refuses every request until some are committed.
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
    /// Unfinished store tasks of operators, in all (`admin`).
    public var storeTasks = 4
    /// Histories that are being read, in all (`history`).
    public var histories = 64
    /// The bytes of answers that wait because their connections do not read, in all.
    ///
    /// One connection may take a quarter of the free bytes; with keys, one principal may take half of them. Beyond it
    /// the worker refuses requests that only read (`outstanding`), and for other answers it drops the line of the
    /// connection that has not read for longest. Half as much again is reserved for first answers to runs and
    /// decisions, and for refusals. In addition, each connection's queue holds at most 128 answers of up to 8 KiB, and
    /// one larger answer.
    public var unreadSizeInBytes = 64 * 1024 * 1024
    /// First answers on their way to one connection: decided, and not yet in its queue (`outstanding`).
    ///
    /// A sender with no more requests than that without a first answer is never refused for it.
    public var outstanding = 4_096
    /// Connections that are open, in all (`connections`); a submission that waits for answers is one of them.
    ///
    /// The worker refuses everything from a new connection beyond it, and keeps nothing for it. Together with
    /// ``unreadSizeInBytes`` it bounds the memory that clients can take by not reading: one and a half times those
    /// bytes, plus for each connection 1 MiB of small answers, and the large one twice while it is written.
    public var connections = 10_000
    /// Connections that get the answers of one run; one more replaces the oldest that attached.
    public var attachedConnections = 8
    /// Connections that may open in a minute from one IPv4 address, or one IPv6 network of 64 bits; at least one.
    ///
    /// It holds over `tcp`, for a worker with keys. One more connection is not admitted: its client gets no message,
    /// and libzmq tries again. See <doc:ConnectionsPerMinute>.
    public var connectionsPerMinute = 6_000

    /// The default limits.
    public init() {}

    /// The limits by their names in BUSY and WELCOME.
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
