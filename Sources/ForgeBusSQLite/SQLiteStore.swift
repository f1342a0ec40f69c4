public import ForgeBusProtocol
public import ForgeBusStore
import ForgeLocks

/// Keeps records in a SQLite file; commits survive a crash of the process and a power loss.
///
/// One process owns the file, with one connection on one thread. A commit completes once it is on the disk; commits
/// requested while the disk is busy are written together.
public final class SQLiteStore: BusStore {
    /// Guarded by the lock; observers are called outside it.
    private struct State {
        var lane: StoreLane?
        var identity: String?
        var observer: (@Sendable (StoreRoom) -> Void)?
        var room = StoreRoom.ample
        /// The unfinished copies, by name in small letters, because some disks ignore the case.
        var copying: [String: LaneEnd] = [:]
    }

    private let path: String
    private let options: SQLiteStoreOptions
    private let state = Guarded(State())

    /// A store in the file at `path`, whose directory must exist; no file is touched before ``load()``.
    public init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) {
        self.path = path
        self.options = options
    }

    /// A commit completes after `fsync`.
    public var durability: Durability { .fsynced }

    /// Drawn when the file was made, and kept in it; a backup gets another.
    public var identity: String? { state.withLock { $0.identity } }

    /// Locks the file, verifies it, migrates it to the newest version, and returns its records.
    ///
    /// A closed store may be loaded again. Calls made during the load wait for it, and fail if it fails.
    ///
    /// - Throws: ``StoreError`` with code `unavailable` when another process has the file; `unsound` when it is
    ///   damaged, foreign or from a newer program, without changing it; `usage` when this store is loaded already.
    public func load() async throws(StoreError) -> [StoreRecord] {
        let files = try StoreFiles(path: path)
        let lane = StoreLane(files, options) { [weak self] room in self?.tell(room) }
        guard claim(lane) else {
            throw StoreError(
                .usage,
                "The store \(path) is loaded already.",
                next: "Load a store once, or close it first."
            )
        }
        switch await lane.open() {
        case .success(let records):
            let identity = try await onLane { $0.totals.name }
            state.withLock { $0.identity = identity }
            return records
        case .failure(let error):
            // It may have been closed and loaded again meanwhile.
            state.withLock { if $0.lane === lane { $0.lane = nil } }
            throw error
        }
    }

    /// Commits on the store's own thread.
    ///
    /// After a failed commit every later one fails with the same error, because the disk's content is unknown then.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - completion: Called on the store's thread, which waits for it.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        let isTaken = state.withLock { $0.lane }?.commit(changes, completion)
        if isTaken != true { completion(notLoaded) }
    }

    /// The journal entries about `name`, as far back as the options keep them.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await onLane { try $0.history(of: name, limit: limit) }
    }

    /// Verifies, counts or copies.
    ///
    /// Commits wait while it verifies or counts. A copy is made in steps between commits, and holds what was committed
    /// before its last step. Closing the store before that removes the copy.
    public func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        switch task {
        case .verify: return try await onLane { try $0.verify() }
        case .stats: return try await onLane { try $0.stats() }
        case .backup(let name):
            let end = LaneEnd()
            let key = name.text.lowercased()
            let isFirst = state.withLock { state in
                if state.copying[key] != nil { return false }
                state.copying[key] = end
                return true
            }
            guard isFirst else { throw isBeingMade(name) }
            defer {
                state.withLock { $0.copying[key] = nil }
                end.tell()
            }
            return try await copy(to: name)
        }
    }

    private func copy(to name: Name) async throws(StoreError) -> JSONObject {
        let copy = try await onLane { try $0.beginCopy(name) }
        while true {
            guard let copied = try await onLane({ try $0.goOn(with: copy) }) else { continue }
            return try await copied.sealed().get()
        }
    }

    private func isBeingMade(_ name: Name) -> StoreError {
        StoreError(.usage, "A copy called \(name) is being made.", next: "Wait for it, or give this one another name.")
    }

    /// Calls `observer` from now on; at once if room is short already.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {
        let room = state.withLock { state in
            state.observer = observer
            return state.room
        }
        if room == .short { observer(.short) }
    }

    /// Finishes all requested commits, writes the log back to the file, and unlocks it.
    ///
    /// It also waits until a complete copy is verified.
    public func close() async {
        let (lane, copying) = state.withLock { state in
            defer { state.lane = nil }
            return (state.lane, Array(state.copying.values))
        }
        await lane?.close()
        for copy in copying { await copy.value() }
    }

    deinit { state.withLock { $0.lane }?.stop() }

    /// What the store has done since ``load()``; nil while it is not loaded.
    package func counters() async -> LaneCounters? {
        try? await onLane { $0.counters }
    }

    /// SQLite's settings of these names, in order.
    package func settings(_ names: [String]) async throws(StoreError) -> [String] {
        try await onLane { session in try names.map { try StoreConnection.setting($0, session.database) ?? "" } }
    }

    private func claim(_ lane: StoreLane) -> Bool {
        state.withLock { state in
            guard state.lane == nil else { return false }
            state.lane = lane
            return true
        }
    }

    private func tell(_ room: StoreRoom) {
        let observer = state.withLock { state in
            state.room = room
            return state.observer
        }
        observer?(room)
    }

    private func onLane<T: Sendable>(_ work: @escaping @Sendable (StoreSession) throws -> T) async throws(StoreError)
        -> T
    {
        guard let result = await state.withLock({ $0.lane })?.perform(work) else { throw notLoaded }
        return try result.get()
    }

    private var notLoaded: StoreError {
        StoreError(.usage, "The store \(path) is not loaded.", next: "Load it before anything else is asked of it.")
    }
}
