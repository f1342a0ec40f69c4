/// Counters of a store's thread since the store was loaded.
struct LaneCounters: Equatable, Sendable {
    /// The number of commits.
    var commits = 0
    /// The number of transactions; each has one or more commits, and waits for the disk once.
    var groups = 0
    /// The number of records written or removed, and of journal entries, audit entries and printed outputs appended.
    var rows = 0
    /// The number of checkpoints; each waits for the disk twice, and makes the next commit wait once more.
    var checkpoints = 0

    /// An upper limit for the number of waits for the disk.
    var synchronizations: Int { groups + 3 * checkpoints }
}
