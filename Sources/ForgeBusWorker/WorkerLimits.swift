/// The limits of one worker.
///
/// Some limits have a name in parentheses. When such a limit is reached, the worker refuses further requests with the
/// error `busy`, whose detail `limit` is that name. For any other limit, the comment says what happens.
public struct WorkerLimits: Hashable, Sendable {
    /// The most unfinished runs of one principal that execute, or wait to begin (`unfinished`).
    ///
    /// Processes without a key are one principal.
    public var unfinishedRuns = 1_024
    /// The most unfinished runs of one principal that wait for a decision, an attempt, a redrive, or a slot to resume
    /// with (`suspended`).
    ///
    /// An accepted run may always wait. So the runs that were accepted before the limit was reached can exceed it by
    /// ``unfinishedRuns``.
    public var suspendedRuns = 100_000
    /// The most bytes that the seeds of all unfinished runs may take in memory, approximately (`seeds`).
    ///
    /// A value counts as 64 bytes plus the bytes of its text, and a key as 128 bytes plus the bytes of its text.
    public var seedsSizeInBytes = 1024 * 1024 * 1024
    /// The most bytes that the outputs and reasons of all kept results may take in memory, approximately (`results`).
    ///
    /// At this limit no new run begins until some results expire after their retention; no result is forgotten earlier.
    /// Accepted runs still end and keep their results, so the results can exceed the limit.
    public var resultsSizeInBytes = 256 * 1024 * 1024
    /// The most runs of the worker that execute at the same time; further runs wait in their pipelines' queues.
    public var executingRuns = 256
    /// The most runs of one pipeline that wait to begin (`queued`).
    public var queuedRuns = 10_000
    /// The most signals and gates of the worker that wait (`waiting`).
    public var waitingSignals = 100_000
    /// The most signals and gates of the worker that have ended and are kept for the retention (`settled`).
    ///
    /// At this limit no new run of a pipeline with gates begins until some of these signals expire; no signal is
    /// forgotten earlier.
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
    /// The worker keeps the decision on a run's signal whole until the run ends, and then a digest of it. It keeps a
    /// decision outside runs whole for the retention. At the limit the oldest decisions become digests earlier, and the
    /// worker refuses nothing. If only a digest of a decision is kept, an owner that opens the signal again gets
    /// `closed`; but a process that announced the signal still gets the completion. The copy that a run holds while it
    /// waits for a slot does not count.
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
    /// The most histories and outputs that the worker reads from the store at the same time (`history`).
    public var histories = 64
    /// The most bytes of all answers that wait because their connections do not read.
    ///
    /// The waiting answers of one connection may take a quarter of the bytes that are still free; with keys, those of
    /// one principal may take half of them. At the limit the worker refuses requests that only read (`outstanding`). To
    /// make room for other answers, it drops the waiting answers of the connection that has not read for longest.
    ///
    /// In addition to this limit, half of its bytes are reserved for refusals, and for the first answers to requests
    /// that had an effect. Also in addition, the queue of each connection holds at most 128 answers of up to 8 KiB, and
    /// one larger answer.
    public var unreadSizeInBytes = 64 * 1024 * 1024
    /// The most outstanding requests of one connection (`outstanding`).
    ///
    /// A request is outstanding until the queue of its connection has taken its first answer.
    ///
    /// A sender that never has more than this number of requests without a first answer is never refused for this
    /// limit.
    public var outstanding = 4_096
    /// The most open connections (`connections`).
    ///
    /// A request without a socket, by ``BusWorker/submit(_:as:)``, counts as a connection until its last answer.
    ///
    /// The worker refuses every message of a further new connection, and keeps nothing for that connection.
    ///
    /// This limit and ``unreadSizeInBytes`` bound the memory that clients can take by not reading. All connections
    /// together take at most one and a half times ``unreadSizeInBytes``. In addition, each connection takes 1 MiB for
    /// small answers, and twice the size of its large answer while that is written.
    public var connections = 10_000
    /// The most connections that get the answers of one run.
    ///
    /// A further connection replaces the oldest one that came with ATTACH; if none came with ATTACH, it replaces the
    /// oldest of all.
    ///
    /// For a store task, at most this number of connections wait besides the first one; a further connection is refused
    /// (`attached`).
    public var attachedConnections = 8
    /// The most connections in a minute from one IPv4 address or one IPv6 network of 64 bits; 0 counts as 1.
    ///
    /// The limit holds over `tcp`, for a worker with keys. A further connection is not admitted: its client gets no
    /// message, and the client's libzmq tries again. See <doc:Decisions#Connections-per-minute>.
    public var connectionsPerMinute = 6_000

    /// Creates the default limits.
    public init() {}

    /// The limits that WELCOME contains, by name; the error `busy` uses the same names.
    var byName: [String: Int] {
        [
            "unfinished": unfinishedRuns,
            "suspended": suspendedRuns,
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
