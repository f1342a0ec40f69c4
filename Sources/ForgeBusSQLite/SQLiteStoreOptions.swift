import Foundation

/// How a store on disk behaves; the defaults suit a worker.
public struct SQLiteStoreOptions: Sendable {
    /// How much room is kept aside on the disk for finishing what has begun; 0 keeps none.
    public var reserveSizeInBytes = 16 << 20
    /// Below so many free bytes room is short.
    public var floorInBytes: Int64 = 64 << 20
    /// So much more than the floor must be free, besides the reserve, before there is enough again.
    public var marginInBytes: Int64 = 16 << 20
    /// How often at most it looks how much is free.
    public var roomInterval = Duration.seconds(1)
    /// So many changes at most are one commit to disk, unless one caller asked for more together.
    public var groupSize = 256
    /// While commits follow each other, the next one gathers for so long at most.
    public var groupDelay = Duration.milliseconds(1)
    /// When the write-ahead log has grown by so many pages of 4 KiB they are brought home.
    public var checkpointPages = 1000
    /// Journal entries older than this are dropped, a few with each commit.
    public var journalAge = Duration.seconds(7 * 24 * 3600)
    /// Beyond so many journal entries the oldest are dropped, a few with each commit.
    public var journalEntries = 1_000_000

    /// The defaults.
    public init() {}

    /// What time it is, in milliseconds since 1970: the journal's age is counted from it.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    /// Asked before each commit to disk; an error it throws is that of the disk.
    package var beforeCommit: (@Sendable () throws -> Void)?
    /// Told after each commit to disk, before anybody else is.
    package var afterCommit: (@Sendable () -> Void)?
    /// Told after each step of a copy.
    package var afterCopyStep: (@Sendable () -> Void)?
    /// How many pages of a copy are written before commits have their turn: a megabyte, which takes a millisecond or two.
    package var pagesPerCopyStep: CInt = 256
    /// The steps from one version to the next; tests have more of them.
    var migrations = Migration.all
}
