/// Counters of a store's thread since the store was loaded.
package struct LaneCounters: Equatable, Sendable {
    /// The number of commits.
    package var commits = 0
    /// The number of transactions, each of one or more commits; each waits for the disk once.
    package var groups = 0
    /// The number of rows that were written or removed.
    package var rows = 0
    /// The number of checkpoints; each waits for the disk twice, and once more with the next commit.
    package var checkpoints = 0

    /// An upper limit for the number of waits for the disk.
    package var synchronizations: Int { groups + 3 * checkpoints }
}
