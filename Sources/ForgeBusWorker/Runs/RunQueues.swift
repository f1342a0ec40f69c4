import ForgeBusProtocol

/// Which run of all pipelines goes next.
///
/// Each pipeline has a queue and slots of its own. Where the slots of the whole worker are taken, a free one goes to the
/// pipeline of the highest priority that has somebody waiting; of equal ones, to the first by name.
struct RunQueues {
    /// In the order in which a free slot is offered to them.
    private var queues: [RunQueue]
    private let places: [PipelineName: Int]
    /// How many runs may execute at once, of all pipelines.
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

    /// Whether a run that would have to wait to begin finds no room.
    func isFull(_ pipeline: PipelineName) -> Bool {
        guard let place = places[pipeline] else { return false }
        return queues[place].isFull || held >= slots && queues[place].isCrowded
    }

    /// Whether no run holds a slot.
    var areIdle: Bool { held == 0 }

    /// How many runs of the pipeline wait for a slot, and how many hold one.
    func load(of pipeline: PipelineName) -> (waiting: Int, held: Int) {
        places[pipeline].map { (queues[$0].waiting, queues[$0].held) } ?? (0, 0)
    }

    /// A new run joins the back of its pipeline's queue.
    mutating func enqueue(_ run: RunID, of pipeline: PipelineName) {
        guard let place = places[pipeline] else { return }
        queues[place].enqueue(run)
        waiting += 1
    }

    /// Takes a slot for a new run if one is free that nobody waits for, of whatever pipeline.
    ///
    /// - Returns: Whether it holds one from now on; otherwise it has to ``enqueue(_:of:)``.
    mutating func takeFreeSlot(of pipeline: PipelineName) -> Bool {
        guard waiting == 0, held < slots, let place = places[pipeline], queues[place].takeFreeSlot() else {
            return false
        }
        held += 1
        return true
    }

    /// A run that waited goes before all of its pipeline that have not begun.
    mutating func rejoin(_ run: RunID, of pipeline: PipelineName) {
        guard let place = places[pipeline] else { return }
        queues[place].rejoin(run)
        waiting += 1
    }

    /// Who goes next; it holds a slot from now on.
    mutating func next() -> RunID? {
        guard waiting > 0, held < slots else { return nil }
        for place in queues.indices {
            guard let run = queues[place].next() else { continue }
            waiting -= 1
            held += 1
            return run
        }
        return nil
    }

    /// A run ended or began to wait: its slot is free.
    mutating func release(_ pipeline: PipelineName) {
        guard let place = places[pipeline] else { return }
        queues[place].release()
        held -= 1
    }

    /// A run that waits for a slot is no longer to get one.
    mutating func withdraw(_ run: RunID, of pipeline: PipelineName) {
        if let place = places[pipeline], queues[place].withdraw(run) { waiting -= 1 }
    }

    /// Nobody who waits for a slot gets one.
    mutating func withdrawAll() {
        for place in queues.indices { queues[place].withdrawAll() }
        waiting = 0
    }
}
