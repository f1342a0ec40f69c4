public import ForgeBusProtocol
import ForgeLocks

/// Keeps a worker's records in memory, for as long as this object exists.
///
/// A second worker that uses the same object finds the records that the first worker committed. When the process ends,
/// the records are lost.
public final class MemoryStore: BusStore {
    /// Guarded by the lock; completions are called outside it.
    private struct State {
        var records: [StoreKey: StoreRecord] = [:]
        var journal: [JournalEntry] = []
    }

    private let state = Guarded(State())
    private let journalCapacity: Int

    /// Creates an empty store that keeps at least the latest `journalCapacity` journal entries, and at most twice as
    /// many.
    ///
    /// A capacity below 1 becomes 1.
    public init(journalCapacity: Int = 10_000) { self.journalCapacity = max(1, journalCapacity) }

    /// The store's random identity, drawn when the store is created.
    public let identity: String? = StoreIdentity.random()

    /// `memory`: committed changes are lost when the process ends.
    public var durability: Durability { .memory }

    /// The number of records in the store.
    public var count: Int { state.withLock { $0.records.count } }

    /// Returns the records that earlier workers committed to this store.
    public func load() async throws(StoreError) -> [StoreRecord] {
        state.withLock { Array($0.records.values) }
    }

    /// Applies the changes and calls `completion` without an error, before this method returns.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        state.withLock { state in
            for change in changes {
                switch change {
                case .put(let record): state.records[record.key] = record
                case .remove(let key): state.records[key] = nil
                case .append(let entry): state.journal.append(entry)
                }
            }
            let excess = state.journal.count - journalCapacity
            // Drops rarely and then many, so that dropping an entry costs no more than writing it.
            if excess > journalCapacity { state.journal.removeFirst(excess) }
        }
        completion(nil)
    }

    /// Returns the latest `limit` journal entries about `name` that the store still keeps, oldest first.
    public func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        state.withLock { state in
            var found: [JournalEntry] = []
            for entry in state.journal.reversed() where entry.isAbout(name) {
                if found.count == limit { break }
                found.append(entry)
            }
            return found.reversed()
        }
    }

    /// Counts the records for `verify` and `stats`; a store in memory cannot make a backup.
    ///
    /// - Throws: ``StoreError`` with code `usage` for a backup.
    public func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        switch task {
        case .verify: return ["sound": true, "records": .integer(Int64(count))]
        case .stats:
            let (records, entries) = state.withLock { ($0.records.count, $0.journal.count) }
            return ["store": "memory", "records": .integer(Int64(records)), "journal": .integer(Int64(entries))]
        case .backup:
            throw StoreError(
                .usage,
                "The worker keeps its records in memory, so they cannot be backed up.",
                next: "Start the worker with a store on disk."
            )
        }
    }

    /// Never calls `observer`, because a store in memory does not report that it runs short of room.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}

    /// Does nothing: the records stay for the next worker that uses this store.
    public func close() async {}
}
