import Foundation

/// The options of a store on disk; the defaults suit a worker.
public struct SQLiteStoreOptions: Sendable {
    /// The bytes reserved on the disk so that started work can finish when the disk is full; 0 reserves none.
    public var reserveSizeInBytes = 16 << 20
    /// The store reports that room is short when fewer bytes than this are free on the disk.
    public var floorInBytes: Int64 = 64 << 20
    /// The bytes that must be free, beyond ``floorInBytes`` and the reserve, before the store reports enough room
    /// again.
    public var marginInBytes: Int64 = 16 << 20
    /// The shortest time between two checks of the disk's free space.
    public var roomInterval = Duration.seconds(1)
    /// The most changes in one write to the disk; a single commit may have more.
    public var groupSize = 256
    /// The longest time a busy store gathers commits for one write.
    public var groupDelay = Duration.milliseconds(1)
    /// The number of written pages, of 4 KiB each, after which the write-ahead log gets a checkpoint.
    public var checkpointPages = 1000
    /// Journal entries older than this are dropped, a few with each commit.
    public var journalAge = Duration.seconds(7 * 24 * 3600)
    /// The most journal entries to keep; the oldest beyond that are dropped, a few with each commit.
    public var journalEntries = 1_000_000
    /// The most audit entries to keep; the oldest beyond that are dropped, a few with each commit.
    ///
    /// An entry takes a few hundred bytes. The worker decides how long an entry is kept; this bounds the disk.
    public var auditEntries = 1_000_000

    /// Creates the default options.
    public init() {}

    /// Returns the current time in milliseconds since 1970, for the age of journal entries.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// Called before each write to the disk; an error that it throws counts as an error of the disk.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// Called after each write to the disk, before the callers' completions.
    package var afterCommit: (@Sendable () -> Void)?
    /// Called after each step of a copy.
    package var afterCopyStep: (@Sendable () -> Void)?
    /// How many pages of a backup are copied between commits: 256 are a megabyte, which takes a millisecond or two.
    package var pagesPerCopyStep: CInt = 256
    /// The migration steps from one version of the tables to the next; tests add some.
    var migrations = Migration.all
}
