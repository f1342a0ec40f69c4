/// How much a store keeps, how many bytes must stay free on its disk, and how long a lease of it lasts.
///
/// For a limit that is nil, the store uses its default.
public struct StoreLimits: Hashable, Sendable {
    /// How long the store keeps an entry of the journal.
    public var journalAge: Duration?
    /// How many entries of the journal the store keeps at most.
    public var journalEntries: Int?
    /// How many entries of the audit the store keeps at most.
    public var auditEntries: Int?
    /// How many bytes of the actions' output the store keeps at most, for all runs together.
    public var outputsSizeInBytes: Int?
    /// If the disk has fewer free bytes than this, the worker refuses new runs, early decisions and backups.
    public var floorInBytes: Int?

    /// How long another process must see no renewal before it takes a worker over whose store is in PostgreSQL.
    public var lease: Duration?

    /// Makes limits that are all nil: the store uses its defaults.
    public init() {}
}
