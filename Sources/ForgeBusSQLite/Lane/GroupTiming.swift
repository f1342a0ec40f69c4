/// Decides when the next group is committed.
///
/// Pure: the lane passes the time. An idle lane commits immediately. A lane is busy if its last group had several
/// callers, or if more changes waited when the disk was done. A busy lane gathers until it has a full group, or three
/// quarters of the changes of the last group and of those that waited behind it: by then most callers have requested
/// their next commit, and the others prepare while the disk writes. It gathers for `delay` at most.
struct GroupTiming {
    /// How many changes make a group.
    let size: Int
    /// How long a busy lane gathers, in nanoseconds.
    let delay: UInt64
    private var gathering: (until: UInt64, changes: Int)?

    /// The most changes of one request, a decision that resumes a run; more come from several requests.
    private static let changesOfOne = 6

    init(size: Int, delay: UInt64) {
        self.size = max(1, size)
        self.delay = delay
    }

    /// A group is on the disk, and `waiting` changes wait already.
    mutating func committed(changes: Int, callers: Int, waiting: Int, at now: UInt64) {
        let isIdle = callers == 1 && changes <= Self.changesOfOne && waiting == 0
        gathering = isIdle ? nil : (now + delay, min(size, (3 * (changes + waiting) + 3) / 4))
    }

    /// How long to gather, and for how many more changes; nil to commit now.
    func missing(at now: UInt64, having changes: Int) -> (until: UInt64, changes: Int)? {
        guard let gathering, changes < gathering.changes, now < gathering.until else { return nil }
        return (gathering.until, gathering.changes - changes)
    }
}
