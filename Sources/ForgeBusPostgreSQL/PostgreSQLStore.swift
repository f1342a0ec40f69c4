#if PostgreSQL
public import ForgeBusProtocol
public import ForgeBusStore
import ForgeLocks

/// Keeps a worker's records in PostgreSQL, so that another machine can take the worker over.
///
/// One process at a time holds the worker's name, by a lease that it renews. When the lease is not renewed any more, another
/// process that waits for the name takes it over, with all records. Nothing that the first process does afterwards reaches
/// the database: each of its transactions would fail.
public final class PostgreSQLStore: BusStore {
    /// The lock guards this state.
    private struct State {
        var lane: StoreLane<PostgresSession>?
        var lease: HeldLease?
        /// The request to end the latest opening; nil before the first opening.
        var end: Ending?
    }

    /// Whether one opening of the store must end, because the store is being closed, or because the task that loads it was
    /// cancelled.
    private final class Ending: Sendable {
        private let state = Guarded(false)
        var isWanted: Bool { state.withLock { $0 } }
        func want() { state.withLock { $0 = true } }
    }

    private let options: PostgreSQLStoreOptions
    private let state = Guarded(State())

    /// Creates a store; nothing is connected before ``load()``.
    ///
    /// - Parameters:
    ///   - target: The server and the database: a URL such as `postgres://db.example/forgebus`, or settings such as
    ///     `host=db.example dbname=forgebus`. A password belongs into a file that libpq reads, such as `~/.pgpass`.
    ///   - name: The worker's name, which separates its records from those of other workers: 1 to 32 bytes.
    ///   - options: The lease, and what to keep.
    public init(_ target: String, name: String, options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()) {
        var options = options
        (options.target, options.name) = (target, name)
        self.options = options
    }

    /// `fsynced`: a commit completes only when the server has the commit on its disk.
    ///
    /// With the option ``PostgreSQLStoreOptions/replicated``, the durability is `replicated`: a synchronous replica must
    /// have the commit on its disk, too.
    public var durability: Durability { options.replicated ? .replicated : .fsynced }

    /// The store's random id, kept in the database; nil until ``load()`` has succeeded.
    public var identity: String? { state.withLock { $0.lease?.tenure.place.identity } }

    /// True: any number of processes may wait for the worker.
    public var isShared: Bool { true }

    /// The lease by which this process holds the worker; nil until ``load()`` has succeeded.
    public var lease: (any StoreLease)? { state.withLock { $0.lease } }

    /// Waits until no other process holds the worker's name, takes the name over, and returns the worker's records.
    ///
    /// - Throws: `StoreError` with code `unreachable` when the server cannot be reached; `unavailable` when a worker must
    ///   not use the server, or when the role lacks a right; `unsound` when a record cannot be read, when commits are
    ///   missing, or when the schema is from another version of the program; `cancelled` when the task was cancelled, or
    ///   the store was closed, during the wait; `superseded` when the lease ended during the load; `io` when the server
    ///   refuses a statement for another reason; `usage` when this store is loaded already, or an option is not valid.
    public func load() async throws(StoreError) -> [StoreRecord] {
        let options = options
        let lane = StoreLane<PostgresSession>(groupSize: options.groupSize) { StoreError($0, options) }
        let end = Ending()
        let isClaimed = state.withLock { state in
            guard state.lane == nil else { return false }
            (state.lane, state.end) = (lane, end)
            return true
        }
        guard isClaimed else {
            throw Errors.alreadyLoaded(options.name)
        }
        let result = await withTaskCancellationHandler {
            await open(lane, end)
        } onCancel: {
            end.want()
        }
        if case .failure = result { state.withLock { if $0.lane === lane { $0.lane = nil } } }
        return try result.get()
    }

    private func open(
        _ lane: StoreLane<PostgresSession>,
        _ end: Ending
    ) async -> Result<[StoreRecord], StoreError> {
        await lane.open { [options, weak self] serve in
            let opened = try PostgresOpening(options: options).run { end.isWanted }
            let session = PostgresSession(opened, options) { end.isWanted }
            let renewal = Renewal(of: opened.tenure, options)
            renewal.start()
            defer { renewal.stop() }
            let records: [StoreRecord]
            do {
                records = try session.records()
                try session.settle()
                if let error = opened.tenure.error { throw error }
            } catch {
                session.close()
                throw error
            }
            self?.state.withLock { $0.lease = HeldLease(tenure: opened.tenure, renewal: renewal) }
            serve(session, records)
        }
    }

    /// Commits `changes` on the store's own thread.
    ///
    /// While the server is away, commits wait, as long as the lease lasts. After a failed commit, every later commit
    /// fails with the same error.
    ///
    /// - Parameters:
    ///   - changes: The changes to commit together, at least one.
    ///   - completion: The store's thread calls this function and waits until it returns. If the store is not loaded,
    ///     this method calls it immediately.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        let isTaken = state.withLock { $0.lane }?.commit(changes, completion)
        if isTaken != true { completion(notLoaded) }
    }

    /// Returns the latest `limit` journal entries about `name`, oldest first.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await onLane { try $0.history(of: name, limit: limit) }
    }

    /// Returns what the latest attempts at actions of `run` printed, as far as the store still has it, oldest first.
    public func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        try await onLane { try $0.outputs(of: run, action: action, limit: limit) }
    }

    /// Returns the texts of an ended run; nil if the store has none.
    public func texts(of run: Name) async throws(StoreError) -> RunTexts? { try await onLane { try $0.texts(of: run) } }

    /// Performs an operator's task; commits wait meanwhile.
    ///
    /// - Throws: `StoreError` with code `usage` for a backup, which PostgreSQL's own programs make.
    public func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        switch task {
        case .verify: return try await onLane { try $0.verify() }
        case .stats: return try await onLane { try $0.stats() }
        case .backup: throw Errors.noBackups
        case .auditPage(let query): return try await onLane { try $0.auditPage(query).json }
        case .auditCheck(let head): return try await onLane { try $0.auditReport(through: head) }
        }
    }

    /// Never calls `observer`: a server without room refuses transactions, and the store then tries again.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}

    /// Finishes all requested commits, and releases the name.
    public func close() async {
        let lane = state.withLock { state in
            state.end?.want()
            return exchange(&state.lane, with: nil)
        }
        await lane?.close()
        state.withLock { if $0.lane == nil { $0.lease = nil } }
    }

    deinit { state.withLock { $0.lane }?.stop() }

    func onLane<T: Sendable>(
        _ work: @escaping @Sendable (PostgresSession) throws -> T
    ) async throws(StoreError) -> T {
        guard let result = await state.withLock({ $0.lane })?.perform(work) else { throw notLoaded }
        return try result.get()
    }

    private var notLoaded: StoreError { Errors.notLoaded(options.name) }
}
#endif
