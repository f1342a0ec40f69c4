/// Decides when the next group is committed.
///
/// Pure: the lane tells what time it is. An idle lane commits at once. A busy one, whose last group was of several or
/// that finds more to do as soon as the disk is through, gathers until there is enough for a group, or three quarters of
/// what the last group and those who waited behind it had: then most who were told have asked again, and the rest prepare
/// while the disk writes. It gathers no longer than for some time after that commit.
struct GroupTiming {
    /// How many changes make a group.
    let size: Int
    /// How long it gathers, in nanoseconds.
    let delay: UInt64
    private var gathering: (until: UInt64, changes: Int)?

    /// About what one request changes at most, a decision that resumes a run; a caller with more asks for several.
    private static let changesOfOne = 6

    init(size: Int, delay: UInt64) {
        self.size = max(1, size)
        self.delay = delay
    }

    /// A group is on the disk, and so many changes wait already.
    mutating func committed(changes: Int, callers: Int, waiting: Int, at now: UInt64) {
        let isIdle = callers == 1 && changes <= Self.changesOfOne && waiting == 0
        gathering = isIdle ? nil : (now + delay, min(size, (3 * (changes + waiting) + 3) / 4))
    }

    /// Until when to gather with so many changes at hand, and how many more would do; nil to commit now.
    func missing(at now: UInt64, having changes: Int) -> (until: UInt64, changes: Int)? {
        guard let gathering, changes < gathering.changes, now < gathering.until else { return nil }
        return (gathering.until, gathering.changes - changes)
    }
}
