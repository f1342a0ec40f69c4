/// What a worker wants of its store: how much the store keeps, how full its disk may become, and the lease and the
/// replication of a store in a database.
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

    /// With a store in PostgreSQL: how long another process must see no renewal before it takes the worker over.
    public var lease: Duration?
    /// Whether a change is acknowledged only when a synchronous replica of the store's database has the change.
    public var isReplicated = false

    /// Makes limits with which the store uses its defaults.
    public init() {}
}
