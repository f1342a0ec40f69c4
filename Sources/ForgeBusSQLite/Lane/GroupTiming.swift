/// Decides when the next group is committed. Pure: the lane tells what time it is.
///
/// An idle lane commits at once. One that finds more to do as soon as it is through gathers, until there is enough for a
/// group or some time has passed since the last commit.
struct GroupTiming {
    /// How many changes make a group.
    let size: Int
    /// How long it gathers, in nanoseconds.
    let delay: UInt64
    private var gathersUntil: UInt64?

    init(size: Int, delay: UInt64) {
        self.size = max(1, size)
        self.delay = delay
    }

    /// A commit is over, and more waits already, or nothing does.
    mutating func committed(at now: UInt64, moreWaits: Bool) { gathersUntil = moreWaits ? now + delay : nil }

    /// Until when to gather with so many changes at hand; nil to commit now.
    func gathering(changes: Int, now: UInt64) -> UInt64? {
        guard changes < size, let end = gathersUntil, now < end else { return nil }
        return end
    }
}
