public import ForgeBusProtocol

/// Keeps the records of a worker.
///
/// The worker makes decisions from its memory; the records let it rebuild that memory after a restart. Every effect of
/// a decision (a reply, a started action, a resumed waiter) waits until the changes of that decision are committed.
public protocol RecordStore: Sendable {
    /// How durable a committed change is.
    var durability: Durability { get }

    /// A random id that distinguishes this store from every other; drawn when the store is created, and kept in it.
    ///
    /// The id is the same after a restart; a backup has another. It may be nil until ``load()`` has returned.
    var identity: String? { get }

    /// Claims the store and returns all its records, in no particular order.
    ///
    /// Called before the first commit. Nobody else may use the store until it is closed.
    ///
    /// - Throws: ``StoreError`` when the store is in use, cannot be read or is damaged.
    func load() async throws(StoreError) -> [StoreRecord]

    /// Commits `changes` together or not at all, then calls `completion`.
    ///
    /// - Parameters:
    ///   - changes: One or more changes. If several change the same key, the last one wins.
    ///   - completion: Called exactly once for each commit, on any thread, in the order of the calls to `commit`;
    ///     possibly before `commit` returns. It gets the error, or nil if the changes are committed.
    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void)

    /// Returns the latest `limit` journal entries about the run, signal or monitor called `name`, oldest first.
    ///
    /// All entries that were committed before the call are included.
    ///
    /// - Throws: ``StoreError`` when the journal cannot be read.
    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry]

    /// Calls `observer`, on any thread, whenever the store runs short of room and whenever it has enough room again.
    ///
    /// A store that never runs short of room never calls `observer`.
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void)

    /// Finishes all requested commits, then releases the store; the worker uses the store no more after that.
    func close() async
}

/// A store for a worker: it keeps the worker's records and performs an operator's tasks, such as a backup.
public typealias BusStore = RecordStore & StoreAdministration

/// One change to a store's records or its journal.
public enum StoreChange: Hashable, Sendable {
    /// Stores the record under its key, and replaces an earlier record with that key.
    case put(StoreRecord)
    /// Removes the record under the key, if there is one.
    case remove(StoreKey)
    /// Appends the entry to the journal.
    case append(JournalEntry)
    /// Appends the entry to the audit, and drops the oldest entries from before `horizon`, in milliseconds since 1970;
    /// a store may drop them a few at a time, with later entries.
    case audit(AuditEntry, horizon: Int64)
}

/// Whether a store has enough room for new work.
public enum StoreRoom: Hashable, Sendable {
    /// There is enough room.
    case ample
    /// There is only room to finish started work: the worker accepts no new work.
    case short
}
