import Foundation

/// The options of a store on disk; the defaults suit a worker.
public struct SQLiteStoreOptions: Sendable {
    /// The size of the reserve, a file that the store deletes when the disk is full, so that started work can finish; 0
    /// means no reserve.
    public var reserveSizeInBytes = 16 << 20
    /// The store reports that room is short when fewer bytes than this are free on the disk, or when its reserve file
    /// is missing.
    public var floorInBytes: Int64 = 64 << 20
    /// After a shortage, the store reports enough room when this many bytes are free in addition to ``floorInBytes``
    /// and to the size of a missing reserve.
    public var marginInBytes: Int64 = 16 << 20
    /// The shortest time between two checks of the disk's free space.
    ///
    /// After the store has used up the reserve, the next check comes immediately.
    public var roomInterval = Duration.seconds(1)
    /// The number of changes at which a write to the disk is full, and takes no further commit.
    ///
    /// A write always takes whole commits, so it may have more changes.
    public var groupSize = 256
    /// The longest time for which a busy store gathers commits for one write to the disk.
    public var groupDelay = Duration.milliseconds(1)
    /// The number of written pages, of 4 KiB each, after which the store makes a checkpoint of SQLite.
    ///
    /// A checkpoint writes the write-ahead log back to the file.
    public var checkpointPages = 1000
    /// The age beyond which the store drops journal entries, a few with each commit.
    public var journalAge = Duration.seconds(7 * 24 * 3600)
    /// The most journal entries to keep; if there are more, each commit drops a few of the oldest entries.
    public var journalEntries = 1_000_000
    /// The most bytes to keep of what all actions printed; if there are more, the store drops the oldest outputs.
    ///
    /// When the store removes the record of a run, it also removes what the run's actions printed. One
    /// attempt takes about 128 KiB at most.
    public var outputsSizeInBytes: Int64 = 256 << 20
    /// The most audit entries to keep; if there are more, each commit with audit entries drops a few of the oldest.
    ///
    /// An entry takes a few hundred bytes. The worker decides how long the store keeps an entry; this option limits the
    /// room that the entries take on the disk.
    public var auditEntries = 1_000_000

    /// Creates the default options.
    public init() {}

    /// Returns the current time in milliseconds since 1970, for the age of journal entries.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// The store calls this function before each write to the disk; a thrown error counts as an error of the disk.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// The store calls this function after each write to the disk, before the completions of the commits.
    package var afterCommit: (@Sendable () -> Void)?
    /// The store calls this function after each step of a backup.
    package var afterCopyStep: (@Sendable () -> Void)?
    /// The number of pages that one step of a backup copies, while commits wait.
    ///
    /// 256 pages are one megabyte, and a step of this size takes one or two milliseconds.
    package var pagesPerCopyStep: CInt = 256
    /// Whether an unfinished copy is loaded, too, in order to complete it.
    package var loadsUnfinishedCopies = false
    /// The migration steps from one version of the tables to the next; tests add further steps.
    var migrations = Migration.all
}
