public import ForgeBusProtocol
public import ForgeBusStore
import ForgeLocks

/// Keeps records in a SQLite file: what it committed survives the process and the power of its machine.
///
/// One process has the file, with one connection on one thread. A commit is told after it is on the disk; commits that are
/// asked for while another one is under way are written together.
public final class SQLiteStore: BusStore {
    /// Guarded by the lock; observers are called outside it.
    private struct State {
        var lane: StoreLane?
        var observer: (@Sendable (StoreRoom) -> Void)?
        var room = StoreRoom.ample
        /// The copies that are being made, by their names in small letters: some disks do not tell those apart.
        var copying: [String: LaneEnd] = [:]
    }

    private let path: String
    private let options: SQLiteStoreOptions
    private let state = Guarded(State())

    /// A store in the file at `path`, whose directory must be there; nothing is touched before ``load()``.
    public init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) {
        self.path = path
        self.options = options
    }

    /// The disk: a commit is told after `fsync`.
    public var durability: Durability { .fsynced }

    /// Locks the file, makes sure that it is sound, brings it to the present version, and gives what it holds.
    ///
    /// A store that was closed may be loaded again. What is asked of it while it loads waits for that, and fails with it.
    ///
    /// - Throws: ``StoreError`` with code `unavailable` when somebody else has it, `unsound` for a file that is damaged,
    ///   foreign or of a newer version; it is left as it was. `usage` when this store has it already.
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
        case .success(let records): return records
        case .failure(let error):
            // Closed meanwhile, it may have been loaded anew.
            state.withLock { if $0.lane === lane { $0.lane = nil } }
            throw error
        }
    }

    /// Commits on the store's own thread.
    ///
    /// After a commit has failed every later one fails with the same error: what is on the disk then is not known.
    ///
    /// - Parameters:
    ///   - changes: What to keep and forget.
    ///   - completion: Told on the store's thread, which waits for it.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        let isTaken = state.withLock { $0.lane }?.commit(changes, completion)
        if isTaken != true { completion(notLoaded) }
    }

    /// What the journal says of `name`, as far back as the options keep it.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await onLane { try $0.history(of: name, limit: limit) }
    }

    /// Verifies, counts or copies.
    ///
    /// Commits wait while it verifies or counts. A copy is made piece by piece between them; it holds what was committed
    /// before its last piece. Where the store is closed before that, nothing is left of it.
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

    /// From now on `observer` is told; at once if room is short already.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {
        let room = state.withLock { state in
            state.observer = observer
            return state.room
        }
        if room == .short { observer(.short) }
    }

    /// Finishes the commits that were asked for, brings everything into the one file, and lets go of it.
    ///
    /// A copy that was written to its end is read to its end.
    public func close() async {
        let (lane, copying) = state.withLock { state in
            defer { state.lane = nil }
            return (state.lane, Array(state.copying.values))
        }
        await lane?.close()
        for copy in copying { await copy.value() }
    }

    deinit { state.withLock { $0.lane }?.stop() }

    /// What its lane has done since ``load()``; nil while it is not loaded.
    package func counters() async -> LaneCounters? {
        try? await onLane { $0.counters }
    }

    /// What SQLite says of its settings `names`, in their order.
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
