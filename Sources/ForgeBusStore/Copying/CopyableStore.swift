/// A store whose contents can be copied to a store of another kind, while no worker uses either of them.
public protocol CopyableStore: BusStore {
    /// Returns the identity of the store and the ends of its audit.
    ///
    /// - Throws: ``StoreError`` when the store is not loaded.
    func header() async throws(StoreError) -> StoreHeader

    /// Returns the next rows of `part`, in their order.
    ///
    /// - Parameters:
    ///   - part: The part to read.
    ///   - place: The ``StorePage/place`` of the previous page; nil for the first page.
    /// - Returns: The rows; an empty page after the last one.
    /// - Throws: ``StoreError`` when the rows cannot be read.
    func page(of part: StorePart, after place: Int64?) async throws(StoreError) -> StorePage

    /// Makes this store an unfinished copy of the store with this header; no worker can use an unfinished copy.
    ///
    /// - Throws: ``StoreError`` with code `usage` when the store has contents. A store may accept the contents of an
    ///   earlier unfinished copy, and then removes them.
    func beginCopy(of header: StoreHeader) async throws(StoreError)

    /// Appends entries to the audit, as they are in another store.
    func append(_ links: [AuditLink]) async throws(StoreError)

    /// Checks that nobody else has changed the store since it was loaded.
    ///
    /// - Throws: ``StoreError`` with code `superseded` when another process has taken the store over.
    func checkUnchanged() async throws(StoreError)

    /// Makes the unfinished copy a store with the identity of the header.
    ///
    /// A store whose take-overs are counted goes on above the epoch of the header, and above the epochs in the ids of the
    /// copied runs: no later run may get the id of an earlier one.
    func endCopy(of header: StoreHeader) async throws(StoreError)
}

/// The identity of a store, the number of its latest take-over, and the ends of its audit.
public struct StoreHeader: Hashable, Sendable {
    /// The identity of the store, which a copy keeps: for the senders of requests, the copy is the same store.
    public var identity: String
    /// The number of the latest take-over; 0 for a store that nobody can take over.
    public var epoch: Int64
    /// The ends of the audit.
    public var audit: AuditChain

    /// Creates a header.
    public init(identity: String, epoch: Int64 = 0, audit: AuditChain) {
        self.identity = identity
        self.epoch = epoch
        self.audit = audit
    }
}

/// A part of a store's contents beside the records that are loaded.
public enum StorePart: String, CaseIterable, Hashable, Sendable {
    /// The entries of the journal.
    case journal
    /// The texts of ended runs, in the order of the runs' ids.
    case texts
    /// What actions printed.
    case outputs
    /// The entries of the audit.
    case audit
}

/// Some rows of a part of a store.
public struct StorePage: Sendable {
    /// The rows.
    public var rows: Rows
    /// The place of the last row of the page, with which to request the next page; nil for an empty page.
    public var place: Int64?

    /// Rows of one part, in their order.
    public enum Rows: Sendable {
        /// Entries of the journal.
        case journal([JournalEntry])
        /// Texts of ended runs.
        case texts([RunTexts])
        /// What attempts at actions printed.
        case outputs([ActionOutput])
        /// Entries of the audit, as the store keeps them.
        case audit([AuditLink])
    }

    /// Creates a page.
    public init(_ rows: Rows, endingAt place: Int64?) {
        self.rows = rows
        self.place = place
    }
}
