/// Decides when the lane, the store's thread, commits the next group of changes.
///
/// Pure: the lane (``StoreLane``) passes the time. An idle lane commits immediately. A lane is busy if its last group
/// had several callers or more changes than one request makes, or if other changes waited when the disk was done. A
/// busy lane gathers changes for `delay` at most. It commits earlier if it has enough changes: a full group, or three
/// quarters of the sum of the last group's changes and the changes that waited after that group. By then, most callers
/// have requested their next commit, and the other callers prepare while the disk writes.
struct GroupTiming {
    /// The number of changes of a full group.
    let size: Int
    /// How long a busy lane gathers, in nanoseconds.
    let delay: UInt64
    private var gathering: (until: UInt64, changes: Int)?

    /// The most changes that one request makes: a decision that resumes a run makes six.
    private static let changesOfOne = 6

    init(size: Int, delay: UInt64) {
        self.size = max(1, size)
        self.delay = delay
    }

    /// Records that a group is on the disk, while `waiting` other changes wait already.
    mutating func committed(changes: Int, callers: Int, waiting: Int, at now: UInt64) {
        let isIdle = callers == 1 && changes <= Self.changesOfOne && waiting == 0
        gathering = isIdle ? nil : (now + delay, min(size, (3 * (changes + waiting) + 3) / 4))
    }

    /// The time at which the lane must commit, and how many more changes make it commit earlier; nil if it must commit
    /// now.
    func missing(at now: UInt64, having changes: Int) -> (until: UInt64, changes: Int)? {
        guard let gathering, changes < gathering.changes, now < gathering.until else { return nil }
        return (gathering.until, gathering.changes - changes)
    }
}
