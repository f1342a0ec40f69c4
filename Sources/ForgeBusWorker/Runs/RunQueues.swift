import ForgeBusProtocol

/// Selects the next run of all pipelines.
///
/// Each pipeline has a queue and slots of its own. When all slots of the worker are taken, the next free one goes to
/// the pipeline with the highest priority that has a waiting run; among equals, to the first by name.
struct RunQueues {
    /// In the order in which they get a free slot.
    private var queues: [RunQueue]
    private let places: [Name: Int]
    /// How many runs of all pipelines may execute at the same time.
    private let slots: Int
    private var held = 0
    /// How many runs wait for a slot, of all pipelines.
    private var waiting = 0

    init(_ pipelines: [HostedPipeline], slots: Int, capacity: Int) {
        let order = pipelines.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }
        queues = order.map { RunQueue(slots: $0.slots, capacity: capacity) }
        places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.name, $0) })
        self.slots = max(1, slots)
    }

    /// Whether there is neither a free slot nor room in the queue for a new run.
    func isFull(_ pipeline: Name) -> Bool {
        guard let place = places[pipeline] else { return false }
        return queues[place].isFull || held >= slots && queues[place].isCrowded
    }

    /// Whether no run holds a slot.
    var areIdle: Bool { held == 0 }

    /// How many runs of the pipeline wait for a slot, and how many hold one.
    func load(of pipeline: Name) -> (waiting: Int, held: Int) {
        places[pipeline].map { (queues[$0].waiting, queues[$0].held) } ?? (0, 0)
    }

    /// A new run joins the back of its pipeline's queue.
    mutating func enqueue(_ run: Name, of pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].enqueue(run)
        waiting += 1
    }

    /// Takes a slot for a new run if one is free and no run of any pipeline waits.
    ///
    /// - Returns: Whether it holds one from now on; otherwise the caller must ``enqueue(_:of:)`` it.
    mutating func takeFreeSlot(of pipeline: Name) -> Bool {
        guard waiting == 0, held < slots, let place = places[pipeline], queues[place].takeFreeSlot() else {
            return false
        }
        held += 1
        return true
    }

    /// Queues a run that has waited, before all runs of its pipeline that have not begun.
    mutating func rejoin(_ run: Name, of pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].rejoin(run)
        waiting += 1
    }

    /// Takes the next run, which holds a slot from now on.
    mutating func next() -> Name? {
        guard waiting > 0, held < slots else { return nil }
        for place in queues.indices {
            guard let run = queues[place].next() else { continue }
            waiting -= 1
            held += 1
            return run
        }
        return nil
    }

    /// Frees the slot of a run that ended or began to wait.
    mutating func release(_ pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].release()
        held -= 1
    }

    /// Removes a run that waits for a slot.
    mutating func withdraw(_ run: Name, of pipeline: Name) {
        if let place = places[pipeline], queues[place].withdraw(run) { waiting -= 1 }
    }

    /// Removes all waiting runs.
    mutating func withdrawAll() {
        for place in queues.indices { queues[place].withdrawAll() }
        waiting = 0
    }
}
