/// How much a store on disk keeps, and how much room it leaves on its disk; nil is the store's default.
public struct StoreLimits: Hashable, Sendable {
    /// The age beyond which the store drops entries of the journal.
    public var journalAge: Duration?
    /// The most entries of the journal.
    public var journalEntries: Int?
    /// The most entries of the audit.
    public var auditEntries: Int?
    /// The most bytes of the actions' output that the store keeps, for all runs together.
    public var outputsSizeInBytes: Int?
    /// The free bytes of the disk below which the worker accepts no new work.
    public var floorInBytes: Int?

    /// Leaves every limit to the store.
    public init() {}
}
