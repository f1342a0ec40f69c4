import ForgeBusProtocol

/// Selects the next run of one pipeline: slots for executing runs, a bounded queue for waiting ones.
///
/// A run holds a slot from its first action to its end, except while it waits for a signal or gate. When that signal is
/// decided, the run goes before all runs that have not begun, so that started runs finish before new ones begin.
///
/// This queue does not limit resuming runs: each has waited before, and ``WorkerLimits/pausedRuns`` counts it until it
/// has a slot.
struct RunQueue {
    /// How many runs may execute at the same time.
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

    /// Whether there is neither a free slot nor room in the queue for a new run.
    var isFull: Bool { held >= slots && isCrowded }

    /// Whether the maximum of runs waits to begin.
    var isCrowded: Bool { starting.count >= capacity }

    /// The number of runs that wait for a slot.
    var waiting: Int { starting.count + resuming.count }

    /// Takes a slot if one is free; only for a run that overtakes no other.
    mutating func takeFreeSlot() -> Bool {
        guard held < slots else { return false }
        held += 1
        return true
    }

    /// A new run joins the back.
    mutating func enqueue(_ run: Name) { starting.append(run) }

    /// Queues a run whose signal was decided: before all runs that have not begun, and behind those decided earlier.
    ///
    /// Called once, however many of its signals were decided, because one slot serves them all.
    mutating func rejoin(_ run: Name) { resuming.append(run) }

    /// Takes the next run, which holds a slot from now on.
    mutating func next() -> Name? {
        guard held < slots, let run = resuming.popFirst() ?? starting.popFirst() else { return nil }
        held += 1
        return run
    }

    /// Frees the slot of a run that ended or began to wait.
    mutating func release() { held -= 1 }

    /// Removes a run that waits for a slot; the run does not come again.
    ///
    /// - Returns: Whether it waited for one.
    @discardableResult
    mutating func withdraw(_ run: Name) -> Bool { resuming.strikeOff(run) || starting.strikeOff(run) }

    /// Removes all waiting runs.
    mutating func withdrawAll() { (starting, resuming) = (WaitingLine(), WaitingLine()) }
}
