/// What a lane has done since it began.
package struct LaneCounters: Equatable, Sendable {
    /// Commits that were asked for and done.
    package var commits = 0
    /// Transactions that held them: each is one wait for the disk.
    package var groups = 0
    /// Rows that were written or removed.
    package var rows = 0
    /// How often the write-ahead log was brought home: each is two waits for the disk, and one with the next commit.
    package var checkpoints = 0

    /// How often it waited for the disk, at most.
    package var synchronizations: Int { groups + 3 * checkpoints }
}
