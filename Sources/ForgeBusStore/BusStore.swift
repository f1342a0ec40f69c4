public import ForgeBusProtocol

/// A store for a worker, which keeps the worker's records and performs an operator's tasks, such as a backup.
///
/// The worker keeps its state in memory; the records let it rebuild this state after a restart. When an event changes
/// the state, the worker first commits the changes to the store. Only then does it carry out their effects, such as a
/// reply, a started action or a resumed waiter.
public protocol BusStore: Sendable {
    /// How durable a committed change is.
    var durability: Durability { get }

    /// A random id that distinguishes this store from every other store.
    ///
    /// The id is drawn when the store is created, and the store keeps it across restarts. A backup has another id. The
    /// value may be nil until ``load()`` has returned.
    var identity: String? { get }

    /// The lease by which this process holds the store; nil if no other process can take the store over.
    ///
    /// The value may be nil until ``load()`` has returned, and does not change until the store is closed.
    var lease: (any StoreLease)? { get }

    /// Whether another process may hold the store by a lease, so that ``load()`` may wait for days.
    var isShared: Bool { get }

    /// Claims the store and returns its records, except the texts of ended runs, in no particular order.
    ///
    /// The worker calls this method before the first commit. No other worker may use the store until it is closed. If
    /// another process holds the store by a lease, this method waits until this process can take the store over.
    ///
    /// - Throws: ``StoreError`` with code `cancelled` when the task was cancelled during such a wait. The code is another
    ///   one when the store is in use, cannot be read or is damaged.
    func load() async throws(StoreError) -> [StoreRecord]

    /// Commits all `changes` or none, then calls `completion`.
    ///
    /// - Parameters:
    ///   - changes: One or more changes. If several of them change the same key, the last one counts.
    ///   - completion: Called exactly once for each commit, in the order of the calls to `commit`. The store may call
    ///     it on any thread, and before `commit` returns. The parameter is the error, or nil if the changes are
    ///     committed.
    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void)

    /// Returns the latest `limit` journal entries about the run, signal or monitor called `name`, oldest first.
    ///
    /// The result takes account of all entries that were committed before the call.
    ///
    /// - Throws: ``StoreError`` when the journal cannot be read.
    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry]

    /// Returns what the latest attempts at actions of `run` printed, one output for each attempt, oldest first.
    ///
    /// The result takes account of all outputs that were committed before the call. These outputs are only for people
    /// to read. A store keeps them no longer than the run's record, and drops the oldest if there are too many.
    ///
    /// - Parameters:
    ///   - run: The id of the run.
    ///   - action: The id of the only action whose outputs to return; nil means all actions.
    ///   - limit: A number of bytes. The store collects outputs, latest first, until they have at least this size; so
    ///     the result may exceed the limit by a part of its earliest output.
    /// - Returns: The outputs.
    /// - Throws: ``StoreError`` when the outputs cannot be read.
    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput]

    /// Returns the texts of an ended run; nil if the store has none.
    ///
    /// The result takes account of all changes that were committed before the call. A store in memory may drop the
    /// oldest texts; any other store keeps them until they are removed.
    ///
    /// - Throws: ``StoreError`` when the texts cannot be read.
    func texts(of run: Name) async throws(StoreError) -> RunTexts?

    /// Calls `observer` each time that the store runs short of room, and each time that it has enough room again.
    ///
    /// The call may come on any thread. A store that never runs short of room never calls `observer`.
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void)

    /// Performs an operator's `task` and returns a description of the outcome.
    ///
    /// - Throws: ``StoreError`` when this store does not support the task, or when the task failed.
    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject

    /// Finishes all requested commits, then releases the store; after that, the worker does not use it any more.
    func close() async
}

/// One change to a store's records, its journal, the outputs of actions or its audit.
public enum StoreChange: Hashable, Sendable {
    /// Stores the record under its key, and replaces an earlier record with that key.
    case put(StoreRecord)
    /// Removes the record under the key, if there is one; for a run, also removes what its actions printed.
    case remove(StoreKey)
    /// Appends the entry to the journal.
    case append(JournalEntry)
    /// Adds what one attempt at an action printed.
    case output(ActionOutput)
    /// Appends the entry to the audit, and drops entries from before `horizon`, in milliseconds since 1970.
    ///
    /// A store may drop an old entry later, when it appends further entries.
    case audit(AuditEntry, horizon: Int64)
}

/// Whether a store has enough room for new work.
public enum StoreRoom: Hashable, Sendable {
    /// There is enough room.
    case ample
    /// There is only room to finish started work, so the worker accepts no new work.
    case short
}
