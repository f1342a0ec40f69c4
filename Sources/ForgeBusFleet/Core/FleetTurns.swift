/// Whose turn it is: the workers of the batch that wait to be asked, the window of handshakes, and the rests.
///
/// Each call takes about the same time for any number of workers, so an answer of one in a thousand costs no look at the
/// others.
struct FleetTurns {
    typealias Instant = ContinuousClock.Instant

    private let window: Int
    private let slotLasts: Duration
    /// The places of the workers that wait to be asked, in order from `head`.
    private var queue: [Int] = []
    private var head = 0
    /// Until when the handshake of a worker keeps its slot.
    private var slots: [Int: Instant] = [:]
    /// The slots in the order in which they end, from `firstSlot`; some are free already.
    private var slotEnds: [(place: Int, end: Instant)] = []
    private var firstSlot = 0
    private var rests: [(place: Int, end: Instant)] = []
    private var nextRestEnd: Instant?
    /// How many workers of the batch have not ended their last conversation.
    private(set) var undone = 0

    init(_ plan: FleetPlan) { (window, slotLasts) = (max(1, plan.window), plan.slotLasts) }

    /// Lets these workers wait for their turns.
    mutating func begin(_ places: Range<Int>) {
        queue += places
        undone += places.count
    }

    /// Takes the next worker whose turn it is, which gets a slot; nil if no worker waits, or no slot is free.
    mutating func next(at now: Instant) -> Int? {
        endRests(at: now)
        endSlots(at: now)
        guard head < queue.count, slots.count < window else { return nil }
        let place = queue[head]
        head += 1
        if head == queue.count { (queue, head) = ([], 0) }
        let end = now.advanced(by: slotLasts)
        slots[place] = end
        slotEnds.append((place, end))
        return place
    }

    /// Frees the slot of a worker whose handshake is over.
    mutating func free(_ place: Int) { slots[place] = nil }

    /// Lets a worker wait for another turn, which comes after this time.
    mutating func rest(_ place: Int, until end: Instant) {
        free(place)
        rests.append((place, end))
        nextRestEnd = min(nextRestEnd ?? end, end)
    }

    /// Records that a worker has ended its last conversation.
    mutating func end(_ place: Int) {
        free(place)
        undone -= 1
    }

    /// Ends the turns of all workers.
    mutating func endAll() {
        (queue, head, slots, slotEnds, firstSlot) = ([], 0, [:], [], 0)
        (rests, nextRestEnd, undone) = ([], nil, 0)
    }

    /// When somebody's turn comes although no worker answers: a slot or a rest ends.
    var nextTurn: Instant? {
        guard head < queue.count, firstSlot < slotEnds.count else { return nextRestEnd }
        let slotEnd = slotEnds[firstSlot].end
        return nextRestEnd.map { min($0, slotEnd) } ?? slotEnd
    }

    private mutating func endSlots(at now: Instant) {
        while firstSlot < slotEnds.count {
            let (place, end) = slotEnds[firstSlot]
            let isHeld = slots[place] == end
            if isHeld, end > now { break }
            if isHeld { slots[place] = nil }
            firstSlot += 1
        }
        if firstSlot == slotEnds.count { (slotEnds, firstSlot) = ([], 0) }
    }

    private mutating func endRests(at now: Instant) {
        guard let due = nextRestEnd, due <= now else { return }
        for rest in rests where rest.end <= now { queue.append(rest.place) }
        rests.removeAll { $0.end <= now }
        nextRestEnd = rests.lazy.map(\.end).min()
    }
}
