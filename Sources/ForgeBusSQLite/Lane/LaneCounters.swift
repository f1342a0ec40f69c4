/// Counts what a lane has done since it started.
package struct LaneCounters: Equatable, Sendable {
    /// Commits.
    package var commits = 0
    /// The transactions that held them; each waits for the disk once.
    package var groups = 0
    /// Rows that were written or removed.
    package var rows = 0
    /// Checkpoints; each waits for the disk twice, and once more with the next commit.
    package var checkpoints = 0

    /// How often the lane waited for the disk, at most.
    package var synchronizations: Int { groups + 3 * checkpoints }
}
