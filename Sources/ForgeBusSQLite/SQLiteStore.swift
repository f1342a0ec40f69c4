public import ForgeBusProtocol
public import ForgeBusStore
import ForgeLocks

/// Keeps a worker's records in a SQLite file; commits survive a crash of the process and a power loss.
///
/// One process owns the file, with one connection on one thread. A commit completes when it is on the disk; commits
/// that are requested while the disk is busy are written together.
public final class SQLiteStore: BusStore {
    /// The lock guards this state; the store calls observers without the lock.
    private struct State {
        var lane: StoreLane<StoreSession>?
        var identity: String?
        var observer: (@Sendable (StoreRoom) -> Void)?
        var room = StoreRoom.ample
        /// The unfinished backups by name, in lower case because some disks ignore the case of names.
        var copying: [String: OneShot<Void>] = [:]
    }

    private let path: String
    private let options: SQLiteStoreOptions
    private let state = Guarded(State())

    /// Creates a store for the file at `path`, whose directory must exist; no file is touched before ``load()``.
    public init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) {
        self.path = path
        self.options = options
    }

    /// `fsynced`: a commit completes only after `fsync`.
    public var durability: Durability { .fsynced }

    /// The store's random id, kept in its file.
    ///
    /// The id is nil until ``load()`` has succeeded. A backup has another id.
    public var identity: String? { state.withLock { $0.identity } }

    /// Locks the file, verifies it, migrates it to the newest version, and returns its records.
    ///
    /// A closed store may be loaded again. Commits and other requests that are made during the load wait for the end of
    /// the load, and fail if the load fails.
    ///
    /// - Throws: `StoreError` with code `unavailable` when another process uses the file, or when the directory or a
    ///   permission is missing; `unsound` when the file is damaged, has lost commits, is missing although the last
    ///   process did not close the store, is not a store, or is from a newer program (the store then stays unchanged);
    ///   `io` when the disk fails; `usage` when this store is loaded already.
    public func load() async throws(StoreError) -> [StoreRecord] {
        let files = try StoreFiles(path: path)
        let lane = StoreLane<StoreSession>(groupSize: options.groupSize) { [path] in StoreError($0, at: path) }
        guard claim(lane) else { throw Errors.alreadyLoaded(path) }
        switch await open(lane, files) {
        case .success(let records):
            let identity = try await onLane { $0.totals.name }
            state.withLock { $0.identity = identity }
            return records
        case .failure(let error):
            // The store may have been closed and loaded again meanwhile, with another lane.
            state.withLock { if $0.lane === lane { $0.lane = nil } }
            throw error
        }
    }

    /// Commits `changes` on the store's own thread.
    ///
    /// After a failed commit, every later commit fails with the same error, because the content of the disk is unknown.
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
    ///
    /// The options limit the age and the number of the entries that the journal keeps.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await onLane { try $0.history(of: name, limit: limit) }
    }

    /// Returns what the latest attempts at actions of `run` printed, as far as the store still has it, oldest first.
    public func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        try await onLane { try $0.outputs(of: run, action: action, limit: limit) }
    }

    /// Returns the texts of an ended run; nil if the store has none.
    public func texts(of run: Name) async throws(StoreError) -> RunTexts? { try await onLane { try $0.texts(of: run) } }

    /// Performs an operator's task: verifies the store, counts its content, makes a backup, or reads the audit.
    ///
    /// Commits wait during each of these tasks except a backup. The store copies a backup in steps between commits, and
    /// the backup contains everything that was committed before its last step. If the store is closed before that
    /// step, the store removes the unfinished backup.
    public func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        switch task {
        case .verify: return try await onLane { try $0.verify() }
        case .stats: return try await onLane { try $0.stats() }
        case .backup(let name):
            let end = OneShot<Void>()
            let key = name.text.lowercased()
            let isFirst = state.withLock { state in
                if state.copying[key] != nil { return false }
                state.copying[key] = end
                return true
            }
            guard isFirst else { throw Errors.isBeingMade(name) }
            defer {
                state.withLock { $0.copying[key] = nil }
                end.set()
            }
            return try await copy(to: name)
        case .auditPage(let query): return try await onLane { try $0.audit.page(query).json }
        case .auditCheck(let head): return try await onLane { try $0.audit.report(through: head) }
        }
    }

    private func copy(to name: Name) async throws(StoreError) -> JSONObject {
        let copy = try await onLane { try $0.beginCopy(name) }
        while true {
            guard let copied = try await onLane({ try $0.goOn(with: copy) }) else { continue }
            return try await copied.sealed().get()
        }
    }

    /// Calls `observer` when the disk runs short of room and when the disk has enough room again.
    ///
    /// If room is short now, this method calls `observer` immediately. The new observer replaces an earlier observer.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {
        let room = state.withLock { state in
            state.observer = observer
            return state.room
        }
        if room == .short { observer(.short) }
    }

    /// Finishes all requested commits, writes SQLite's log back to the store's file, and unlocks the file.
    ///
    /// If all pages of a backup are copied, this method also waits until that backup is verified.
    public func close() async {
        let (lane, copying) = state.withLock { state in
            defer { state.lane = nil }
            return (state.lane, Array(state.copying.values))
        }
        await lane?.close()
        for copy in copying { await copy.valueDespiteCancellation() }
    }

    deinit { state.withLock { $0.lane }?.stop() }

    /// The values of SQLite's settings with these names, in the order of the names.
    package func settings(_ names: [String]) async throws(StoreError) -> [String] {
        try await onLane { session in try names.map { try StoreConnection.setting($0, session.database) ?? "" } }
    }

    private func claim(_ lane: StoreLane<StoreSession>) -> Bool {
        state.withLock { state in
            guard state.lane == nil else { return false }
            state.lane = lane
            return true
        }
    }

    /// Opens the files on the lane's thread.
    private func open(_ lane: StoreLane<StoreSession>, _ files: StoreFiles) async -> Result<[StoreRecord], StoreError> {
        await lane.open { [options, weak self] serve in
            var opened = try StoreOpening(files: files, options: options).run()
            let queue = opened.queue
            defer {
                try? queue.close()
                opened.lock.release()
            }
            try queue.inDatabase { database in
                let session = try StoreSession(database, opened, files, options) { self?.tell($0) }
                let records = opened.content.records
                opened.content.records = []
                serve(session, records)
            }
        }
    }

    private func tell(_ room: StoreRoom) {
        let observer = state.withLock { state in
            state.room = room
            return state.observer
        }
        observer?(room)
    }

    func onLane<T: Sendable>(_ work: @escaping @Sendable (StoreSession) throws -> T) async throws(StoreError)
        -> T
    {
        guard let result = await state.withLock({ $0.lane })?.perform(work) else { throw notLoaded }
        return try result.get()
    }

    private var notLoaded: StoreError { Errors.notLoaded(path) }
}
