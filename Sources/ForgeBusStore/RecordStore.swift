public import ForgeBusProtocol

/// Keeps the records of a worker.
///
/// The worker decides from its memory; the records let it rebuild that memory after a restart. Every effect of a
/// decision (a reply, a started action, a resumed waiter) waits until the changes of that decision are committed.
public protocol RecordStore: Sendable {
    /// What a committed change survives.
    var durability: Durability { get }

    /// What tells this store from every other: drawn by chance when it was made, and kept with it.
    ///
    /// It is the same after a restart; a copy has another. Known once ``load()`` has returned, and nil
    /// before.
    var identity: String? { get }

    /// Claims the store and returns all its records, in no particular order.
    ///
    /// Called once, before the first commit. Nobody else can use the store until it is closed.
    ///
    /// - Throws: ``StoreError`` when the store is in use, cannot be read or is not sound.
    func load() async throws(StoreError) -> [StoreRecord]

    /// Commits `changes` together or not at all, then calls `completion`.
    ///
    /// - Parameters:
    ///   - changes: Never empty; the later of two changes of one key counts.
    ///   - completion: Called once, on any thread, also before this returns; in the order of the calls to `commit`.
    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void)

    /// The latest `limit` journal entries about the run, signal or monitor of this name, oldest first.
    ///
    /// They include everything that was committed before the call.
    ///
    /// - Throws: ``StoreError`` when the journal cannot be read.
    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry]

    /// Calls `observer` from now on, on any thread, when room runs short and when there is enough again.
    ///
    /// A store that never runs short never calls it.
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void)

    /// Finishes all requested commits, then releases the store. Nothing may be called after that.
    func close() async
}

/// A store that a worker can use: it keeps records, and an operator can look after it.
public typealias BusStore = RecordStore & StoreAdministration

/// One change of what a store keeps.
public enum StoreChange: Hashable, Sendable {
    /// Keeps the record under its key, in place of the one before.
    case put(StoreRecord)
    /// Removes the record under the key, if there is one.
    case remove(StoreKey)
    /// Appends the entry to the journal.
    case append(JournalEntry)
}

/// Whether a store has room for more.
public enum StoreRoom: Hashable, Sendable {
    /// There is enough.
    case ample
    /// The remaining room is for finishing started work: the worker accepts nothing new.
    case short
}
