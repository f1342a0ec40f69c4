public import ForgeBusProtocol
import Synchronization

/// Keeps records as long as the process lives: nothing survives it.
///
/// A worker started again in the same process on the same store finds what its predecessor committed.
public final class MemoryStore: BusStore {
    /// Guarded by the mutex; completions are called outside it.
    private let records = Mutex<[StoreKey: StoreRecord]>([:])

    /// A store that keeps nothing yet.
    public init() {}

    /// The memory of the process.
    public var durability: Durability { .memory }

    /// How many records are kept.
    public var count: Int { records.withLock { $0.count } }

    /// What an earlier worker of this process has committed.
    public func load() async throws(StoreError) -> [StoreRecord] {
        records.withLock { Array($0.values) }
    }

    /// Keeps the changes and says so before it returns.
    ///
    /// - Parameters:
    ///   - changes: What to keep and forget.
    ///   - completion: Told that it is done; there is no error.
    public func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        records.withLock { records in
            for change in changes {
                switch change {
                case .put(let record): records[record.key] = record
                case .remove(let key): records[key] = nil
                }
            }
        }
        completion(nil)
    }
}
