/// Decides when the lane, the store's thread, commits the next group of changes.
///
/// Pure: the lane (``StoreLane``) passes the time. An idle lane commits immediately. A lane is busy if its last group
/// had several callers or more changes than one request makes, or if other changes waited when the disk was done. A
/// busy lane gathers changes for `delay` at most. It commits earlier if it has enough changes: a full group, or three
/// quarters of the sum of the last group's changes and the changes that waited after that group. By then, most callers
/// have requested their next commit. The other callers prepare their next commits while the disk writes this group.
package struct GroupTiming {
    /// The number of changes of a full group.
    package let size: Int
    /// How long a busy lane gathers, in nanoseconds.
    package let delay: UInt64
    private var gathering: (until: UInt64, changes: Int)?

    /// The most changes that one request makes: a decision that resumes a run makes six.
    private static let changesOfOne = 6

    /// Creates the timing of an idle lane.
    package init(size: Int, delay: Duration) {
        self.size = max(1, size)
        self.delay = delay.nanoseconds
    }

    /// Records that a group is on the disk, while `waiting` other changes wait already.
    package mutating func committed(changes: Int, callers: Int, waiting: Int, at now: UInt64) {
        let isIdle = callers == 1 && changes <= Self.changesOfOne && waiting == 0
        gathering = isIdle ? nil : (now + delay, min(size, (3 * (changes + waiting) + 3) / 4))
    }

    /// The time at which the lane must commit, and how many more changes make it commit earlier; nil if it must commit
    /// now.
    package func missing(at now: UInt64, having changes: Int) -> (until: UInt64, changes: Int)? {
        guard let gathering, changes < gathering.changes, now < gathering.until else { return nil }
        return (gathering.until, gathering.changes - changes)
    }
}

extension Duration {
    /// The duration in whole nanoseconds; 0 for a negative duration.
    package var nanoseconds: UInt64 { UInt64(max(0, self / .nanoseconds(1))) }
}
