public import ForgeBusProtocol
import ForgeLocks

/// Keeps records in memory, as long as the process lives.
///
/// A second worker in the same process finds what the first one committed.
public final class MemoryStore: BusStore {
    /// Guarded by the lock; completions are called outside it.
    private struct State {
        var records: [StoreKey: StoreRecord] = [:]
        var journal: [JournalEntry] = []
    }

    private let state = Guarded(State())
    private let journalCapacity: Int

    /// An empty store, which keeps at least the latest `journalCapacity` entries of its journal.
    public init(journalCapacity: Int = 10_000) { self.journalCapacity = max(1, journalCapacity) }

    /// Drawn when it was made.
    public let identity: String? = StoreIdentity.random()

    /// The memory of the process.
    public var durability: Durability { .memory }

    /// How many records there are.
    public var count: Int { state.withLock { $0.records.count } }

    /// What earlier workers of this process committed.
    public func load() async throws(StoreError) -> [StoreRecord] {
        state.withLock { Array($0.records.values) }
    }

    /// Applies the changes and calls `completion` before it returns, without an error.
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

    /// The journal entries about `name` that are still there.
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

    /// Counts what there is; memory needs no check and cannot be copied.
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
                "The worker keeps its records in memory, of which there is no copy to be made.",
                next: "Give the worker a store of its own on disk."
            )
        }
    }

    /// Never calls `observer`, because memory does not report when it runs short.
    public func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}

    /// Keeps everything for the next worker of this process.
    public func close() async {}
}
