import ForgeBusProtocol

/// Selects the next run of one pipeline that gets a slot.
///
/// Each executing run holds a slot. A run holds no slot while it waits for a signal, another run, its next attempt or a
/// redrive. A run that can resume gets a slot before all runs that have not begun, so that started runs finish first.
///
/// The capacity limits only the runs that wait to begin. Resuming runs count as suspended until they have a slot, and
/// ``WorkerLimits/suspendedRuns`` limits the suspended runs.
struct RunQueue {
    /// How many runs may execute at the same time.
    let slots: Int
    /// How many runs may wait to begin.
    let capacity: Int
    /// How many runs hold a slot.
    private(set) var held = 0
    /// Whether the pipeline is paused: no waiting run gets a slot.
    var isPaused = false
    private var starting = WaitingLine()
    /// The runs that waited for a key which is free now; they go before the runs that came after them.
    private var freed = WaitingLine()
    private var resuming = WaitingLine()
    /// How many runs wait for a key, outside the lines.
    private var keyless = 0

    init(slots: Int, capacity: Int) {
        self.slots = slots
        self.capacity = capacity
    }

    /// Whether a new run finds neither a free slot nor room in the queue.
    var isFull: Bool { !hasFreeSlot && isCrowded }

    private var hasFreeSlot: Bool { held < slots && !isPaused }

    /// Whether the queue has no room for another new run.
    var isCrowded: Bool { starting.count + freed.count + keyless >= capacity }

    /// The number of runs that wait for a slot, also of those that wait for a key before it.
    var waiting: Int { starting.count + freed.count + resuming.count + keyless }

    /// Takes a slot for a new run, if a slot is free; the caller must make sure that the run overtakes no other run.
    ///
    /// - Returns: Whether a slot was free.
    mutating func takeFreeSlot() -> Bool {
        guard hasFreeSlot else { return false }
        held += 1
        return true
    }

    /// Adds a new run at the back of the queue.
    mutating func enqueue(_ run: Name) { starting.append(run) }

    /// Queues a run that can resume: before all runs that have not begun, and behind the runs that already
    /// wait for a slot to resume with.
    ///
    /// The caller queues the run only once, even if several of its waits are over, because one slot is enough for all.
    mutating func rejoin(_ run: Name) { resuming.append(run) }

    /// Removes the next run from the lines; the run holds a slot from now on.
    ///
    /// - Returns: The run; nil if no slot is free, no run is in a line, or the pipeline is paused.
    mutating func next() -> Name? {
        guard hasFreeSlot, let run = resuming.popFirst() ?? freed.popFirst() ?? starting.popFirst() else { return nil }
        held += 1
        return run
    }

    /// Takes the slot back that a run just got, because the run waits for its key; it has no place in the lines now.
    mutating func passOver() {
        held -= 1
        keyless += 1
    }

    /// Gives a run that was passed over a place in the lines again.
    mutating func free(_ run: Name) {
        keyless -= 1
        freed.append(run)
    }

    /// Removes a run that was passed over.
    mutating func withdrawKeyless() { keyless -= 1 }

    /// Frees the slot of a run that ended or began to wait.
    mutating func release() { held -= 1 }

    /// Removes a run that waits for a slot.
    ///
    /// - Returns: Whether the run waited for a slot, and not for a key.
    @discardableResult
    mutating func withdraw(_ run: Name) -> Bool {
        resuming.strikeOff(run) || freed.strikeOff(run) || starting.strikeOff(run)
    }

    /// Removes all waiting runs.
    mutating func withdrawAll() {
        (starting, freed, resuming, keyless) = (WaitingLine(), WaitingLine(), WaitingLine(), 0)
    }
}
