import ForgeBusProtocol

/// Which run of one pipeline goes next: slots for those that execute, a bounded queue for those that wait for one.
///
/// A run holds a slot from its first action to its end, except while it waits for a signal or gate. When that is
/// decided the run goes before all that have not begun, so that what has begun is finished before something new begins.
///
/// Those that go on have no bound here: each of them waited before, and ``WorkerLimits/pausedRuns`` counts it until it has
/// a slot.
struct RunQueue {
    /// How many runs may execute at once.
    let slots: Int
    /// How many runs may wait to begin.
    let capacity: Int
    /// How many slots are held.
    private(set) var held = 0
    private var starting = WaitingLine()
    private var resuming = WaitingLine()

    init(slots: Int, capacity: Int) {
        self.slots = slots
        self.capacity = capacity
    }

    /// Whether a run that would have to wait to begin finds no room.
    var isFull: Bool { held >= slots && isCrowded }

    /// Whether as many wait to begin as may.
    var isCrowded: Bool { starting.count >= capacity }

    /// How many wait for a slot.
    var waiting: Int { starting.count + resuming.count }

    /// Takes a slot if one is free, for a run that goes before nobody.
    mutating func takeFreeSlot() -> Bool {
        guard held < slots else { return false }
        held += 1
        return true
    }

    /// A new run joins the back.
    mutating func enqueue(_ run: RunID) { starting.append(run) }

    /// A run whose signal was decided goes before all that have not begun, and behind those decided before.
    ///
    /// Called once, however many of its signals were decided: one slot serves them all.
    mutating func rejoin(_ run: RunID) { resuming.append(run) }

    /// Who goes next; it holds a slot from now on.
    mutating func next() -> RunID? {
        guard held < slots, let run = resuming.popFirst() ?? starting.popFirst() else { return nil }
        held += 1
        return run
    }

    /// A run ended or began to wait: its slot is free.
    mutating func release() { held -= 1 }

    /// A run that waits for a slot is no longer to get one; it does not come again.
    ///
    /// - Returns: Whether it waited for one.
    @discardableResult
    mutating func withdraw(_ run: RunID) -> Bool { resuming.strikeOff(run) || starting.strikeOff(run) }

    /// Nobody who waits for a slot gets one.
    mutating func withdrawAll() { (starting, resuming) = (WaitingLine(), WaitingLine()) }
}
