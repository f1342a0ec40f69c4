import ForgeBusProtocol
import ForgeBusStore

/// Selects the next run of all pipelines that gets a slot.
///
/// Each pipeline has a queue and slots of its own, and the slots of the worker limit all pipelines together. A free
/// slot of the worker goes to the pipeline with the highest priority that has a waiting run and a free slot of its own.
/// Among pipelines with the same priority, the slot goes to the first by name. A run with an exclusive key gets a slot only
/// if no other run holds the key.
struct RunQueues {
    /// The pipelines' queues in the order in which they get a free slot: by priority, and then by name.
    private var queues: [RunQueue]
    private let places: [Name: Int]
    /// The pipelines' names in the same order.
    private let names: [Name]
    /// How many runs of all pipelines may execute at the same time.
    private let slots: Int
    private var held = 0
    /// How many runs of all pipelines wait for a slot.
    private var waiting = 0
    /// The runs that hold exclusive keys, and the runs that wait for them.
    private(set) var keys = KeyHolders()

    init(_ pipelines: [HostedPipeline], slots: Int, capacity: Int) {
        let order = pipelines.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }
        queues = order.map { RunQueue(slots: $0.slots, capacity: capacity) }
        places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.name, $0) })
        names = order.map(\.name)
        self.slots = max(1, slots)
    }

    /// Whether a new run of the pipeline finds no room in the queue and could not begin at once, because no slot is free or
    /// another run holds its key.
    func isFull(_ pipeline: Name, for key: ExclusiveKey? = nil) -> Bool {
        guard let place = places[pipeline], queues[place].isCrowded else { return false }
        return queues[place].isFull || held >= slots || key.flatMap(keys.holder) != nil
    }

    /// Whether the pipeline is paused.
    func isPaused(_ pipeline: Name) -> Bool { places[pipeline].map { queues[$0].isPaused } ?? false }

    /// Whether no run holds a slot.
    var areIdle: Bool { held == 0 }

    /// How many runs of the pipeline wait for a slot, and how many hold one.
    func load(of pipeline: Name) -> (waiting: Int, held: Int) {
        places[pipeline].map { (queues[$0].waiting, queues[$0].held) } ?? (0, 0)
    }

    /// Pauses or resumes a pipeline; the waiting runs of a paused pipeline get no slot.
    mutating func setPaused(_ isPaused: Bool, _ pipeline: Name) {
        if let place = places[pipeline] { queues[place].isPaused = isPaused }
    }

    /// Adds an unfinished run with an exclusive key; one that has begun in an earlier worker holds the key.
    mutating func add(_ run: Name, with key: ExclusiveKey, hasBegun: Bool) {
        keys.add(run, key, hasBegun: hasBegun)
    }

    /// Removes a run that has ended, and frees the exclusive key that it held.
    mutating func end(_ run: Name, of pipeline: Name) { free(keys.end(run, of: pipeline)) }

    /// Gives runs whose keys are free places in the lines again.
    private mutating func free(_ candidates: [KeyHolders.Candidate]) {
        for candidate in candidates {
            if let place = places[candidate.pipeline] { queues[place].free(candidate.run) }
        }
    }

    /// Adds a new run at the back of its pipeline's queue.
    mutating func enqueue(_ run: Name, of pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].enqueue(run)
        waiting += 1
    }

    /// Takes a slot for a new run if one is free, no run of any pipeline waits, and no run holds its exclusive key.
    ///
    /// - Returns: Whether the run holds a slot from now on; otherwise the caller must ``enqueue(_:of:)`` the run.
    mutating func takeFreeSlot(for run: Name, of pipeline: Name) -> Bool {
        guard waiting == 0, held < slots, keys.obstacle(of: run) == nil, let place = places[pipeline],
            queues[place].takeFreeSlot(), keys.take(run, of: pipeline)
        else { return false }
        held += 1
        return true
    }

    /// Queues a run that can resume, before all runs of its pipeline that have not begun.
    mutating func rejoin(_ run: Name, of pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].rejoin(run)
        waiting += 1
    }

    /// Removes the next run from its queue; the run holds a slot from now on.
    ///
    /// - Returns: The run; nil if no slot is free for any waiting run.
    mutating func next() -> Name? {
        guard waiting > 0, held < slots else { return nil }
        for place in queues.indices {
            while let run = queues[place].next() {
                if keys.take(run, of: names[place]) {
                    waiting -= 1
                    held += 1
                    return run
                }
                queues[place].passOver()
            }
        }
        return nil
    }

    /// Frees the slot of a run that ended or began to wait.
    mutating func release(_ pipeline: Name) {
        guard let place = places[pipeline] else { return }
        queues[place].release()
        held -= 1
    }

    /// Removes a run that waits for a slot or for its key.
    mutating func withdraw(_ run: Name, of pipeline: Name) {
        guard let place = places[pipeline] else { return }
        if queues[place].withdraw(run) {
            waiting -= 1
            free(keys.leftLine(run, of: pipeline))
        } else if keys.strikeOff(run, of: pipeline) {
            queues[place].withdrawKeyless()
            waiting -= 1
        }
    }

    /// Removes all waiting runs.
    mutating func withdrawAll() {
        keys.withdrawAll()
        for place in queues.indices { queues[place].withdrawAll() }
        waiting = 0
    }
}
