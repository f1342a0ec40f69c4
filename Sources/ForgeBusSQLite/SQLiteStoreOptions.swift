import Foundation

/// How a store on disk behaves; the defaults suit a worker.
public struct SQLiteStoreOptions: Sendable {
    /// The room reserved on the disk for finishing what has begun; 0 reserves none.
    public var reserveSizeInBytes = 16 << 20
    /// Room is short when fewer bytes are free.
    public var floorInBytes: Int64 = 64 << 20
    /// What must be free beside the floor and the reserve before there is enough room again.
    public var marginInBytes: Int64 = 16 << 20
    /// The shortest time between two checks of the free space.
    public var roomInterval = Duration.seconds(1)
    /// The most changes in one write to the disk, unless one commit has more.
    public var groupSize = 256
    /// The longest time a busy store gathers commits for one write.
    public var groupDelay = Duration.milliseconds(1)
    /// By how many pages of 4 KiB the write-ahead log grows before a checkpoint.
    public var checkpointPages = 1000
    /// Journal entries older than this are dropped, a few with each commit.
    public var journalAge = Duration.seconds(7 * 24 * 3600)
    /// The most journal entries; beyond them the oldest are dropped, a few with each commit.
    public var journalEntries = 1_000_000

    /// The defaults.
    public init() {}

    /// The time in milliseconds since 1970, from which the journal's age is counted.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// Called before each write to the disk; its error counts as the disk's.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// Called after each write to the disk, before the callers.
    package var afterCommit: (@Sendable () -> Void)?
    /// Called after each step of a copy.
    package var afterCopyStep: (@Sendable () -> Void)?
    /// How many pages of a copy are written between commits: a megabyte, which takes a millisecond or two.
    package var pagesPerCopyStep: CInt = 256
    /// The steps from one version to the next; tests add some.
    var migrations = Migration.all
}
