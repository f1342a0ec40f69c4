/// The limits of one worker.
///
/// When a limit with a name in parentheses is reached, the worker refuses further requests with the error BUSY, whose
/// `limit` is that name. The other comments say what happens.
public struct WorkerLimits: Hashable, Sendable {
    /// The most unfinished runs of one principal that do not wait (`unfinished`).
    ///
    /// Processes without a key are one principal.
    public var unfinishedRuns = 1_024
    /// The most unfinished runs of one principal that wait for a decision, an attempt, a redrive or a slot (`paused`).
    ///
    /// An accepted run may always wait, so runs accepted before the limit was reached can exceed it by
    /// ``unfinishedRuns``.
    public var pausedRuns = 100_000
    /// The most bytes that the seeds of all unfinished runs may take in memory, approximately (`seeds`).
    ///
    /// A value counts as 64 bytes plus its text, a key as 128 plus its text.
    public var seedsSizeInBytes = 1024 * 1024 * 1024
    /// The most bytes that the outputs and reasons of all kept results may take in memory, approximately (`results`).
    ///
    /// At this limit no run begins until some results expire after their retention; none is forgotten earlier. Accepted
    /// runs still end and keep their results, so the results can exceed the limit.
    public var resultsSizeInBytes = 256 * 1024 * 1024
    /// The most runs of the worker that execute at the same time; more wait in their pipelines' queues.
    public var executingRuns = 256
    /// The most runs of one pipeline that wait to begin (`queued`).
    public var queuedRuns = 10_000
    /// The most signals and gates of the worker that wait (`waiting`).
    public var waitingSignals = 100_000
    /// The most signals and gates of the worker that have ended and are kept for the retention (`settled`).
    ///
    /// At this limit no run of a pipeline with gates begins until some expire; none is forgotten earlier.
    public var settledSignals = 2_000_000
    /// The most EVALUATED answers that callers wait for (`evaluations`).
    public var evaluations = 10_000
    /// The most early decisions of one principal that are kept (`early`).
    public var earlyDecisionsPerPrincipal = 1_000
    /// The most early decisions of all principals that are kept (`early`).
    public var earlyDecisions = 100_000
    /// The most bytes that all early decisions may take (`early`).
    public var earlyDecisionsSizeInBytes = 64 * 1024 * 1024
    /// The most bytes that the votes on gates that still wait may take (`votes`).
    public var votesSizeInBytes = 64 * 1024 * 1024
    /// The most bytes of all decisions that are kept whole.
    ///
    /// A decision is kept whole until its run ends, or outside runs for the retention; after that only a digest is
    /// kept. At the limit the oldest decisions become digests earlier: the worker refuses nothing, and an owner that
    /// opens such a signal again gets `closed`. Decisions that wait for their run's slot do not count.
    public var decidedSizeInBytes = 64 * 1024 * 1024
    /// The most bytes of all changes and answers that wait for the store, approximately (`backlog`).
    ///
    /// At this limit the worker refuses every request until some changes are committed.
    public var backlogSizeInBytes = 32 * 1024 * 1024
    /// The most requests whose answers the worker keeps (`ledger`).
    public var requests = 1_000_000
    /// The most watches of one connection (`watches`).
    public var watchesPerConnection = 100
    /// The most watches of one principal (`watches`).
    ///
    /// Processes without a key are one principal.
    public var watchesPerPrincipal = 1_000
    /// The most watches of the whole worker (`watches`).
    public var watches = 4_000
    /// The most unfinished store tasks of operators (`admin`).
    public var storeTasks = 4
    /// The most histories that are read at the same time (`history`).
    public var histories = 64
    /// The most bytes of all answers that wait because their connections do not read.
    ///
    /// The waiting answers of one connection may take a quarter of the free bytes; with keys, those of one principal
    /// may take half of them. At the limit the worker refuses requests that only read (`outstanding`), and to make room
    /// for other answers it drops the waiting answers of the connection that has not read for longest. Half as much
    /// again is reserved for first answers to runs and decisions, and for refusals. In addition, each connection's
    /// queue holds at most 128 answers of up to 8 KiB, and one larger answer.
    public var unreadSizeInBytes = 64 * 1024 * 1024
    /// The most first answers to one connection that are decided and not yet in its queue (`outstanding`).
    ///
    /// A sender that never has more requests without a first answer than this is never refused because of this limit.
    public var outstanding = 4_096
    /// The most open connections (`connections`); a submission that waits for answers counts as a connection.
    ///
    /// The worker refuses every message of a further new connection, and keeps nothing for it. Together with
    /// ``unreadSizeInBytes`` this limit bounds the memory that clients can take by not reading: one and a half times
    /// those bytes, plus for each connection 1 MiB of small answers, and the large one twice while it is written.
    public var connections = 10_000
    /// The most connections that get the answers of one run; one more replaces the oldest that attached.
    public var attachedConnections = 8
    /// The most connections in a minute from one IPv4 address, or from one IPv6 network of 64 bits; at least one.
    ///
    /// The limit holds over `tcp`, for a worker with keys. A further connection is not admitted: its client gets no
    /// message, and libzmq tries again. See <doc:ConnectionsPerMinute>.
    public var connectionsPerMinute = 6_000

    /// Creates the default limits.
    public init() {}

    /// The limits, by their names in BUSY and WELCOME.
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
            "votes": votesSizeInBytes,
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
