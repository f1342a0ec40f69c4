import ForgeBusProtocol
import HeapModule

/// Identifies one EVALUATED answer that a caller waits for.
struct EvaluationID: Hashable, Sendable {
    let number: UInt64
}

/// A task that is due at a moment.
enum Due: Hashable {
    /// A run's deadline, as set after this number of redrives.
    case runDeadline(Name, redrives: Int)
    /// The grace time of a cancelled run's action is over.
    case runGrace(Name)
    /// The pause before an action's next attempt is over.
    case retry(Name, WaiterID)
    /// The patience of a listener that attached to a run is over: the listener gets the run's state now.
    case attachment(Name, listener: Int)
    /// A gate's deadline, or the end of the time in which a process may announce a signal again after a restart.
    case gate(Name, WaiterID)
    /// A gate escalates: more principals may decide it from now on.
    case escalation(Name, WaiterID)
    /// A reminder is due to the watchers of a waiting gate.
    case reminder(Name, WaiterID)
    /// An early decision on a signal expires.
    case early(Name)
    /// The run that reports many events together, called a fold, may begin.
    case fold
    /// The pause of a pipeline or monitor ends.
    case pauseEnd(PauseSubject, at: Moment)
    /// An EVALUATED answer is due, complete or not.
    case evaluation(EvaluationID)
    /// A monitor must be checked: a cycle may begin or is overdue, or a mode is over.
    case lane(monitor: Int, wake: Int)
}

/// The moments at which the core has something to do, earliest first.
///
/// An entry that is no longer needed stays; when it is due, the core finds nothing to do. Such entries are removed only
/// after the heap has doubled its size. So the heap stays in proportion to the entries that are needed.
struct Deadlines {
    private struct Entry: Comparable {
        let moment: Moment
        /// Orders entries with equal moments by their insertion.
        let number: UInt64
        let due: Due

        static func < (a: Entry, b: Entry) -> Bool { (a.moment, a.number) < (b.moment, b.number) }
        static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
    }

    private var entries = Heap<Entry>()
    private var last: UInt64 = 0
    private var sweepAt = 4096

    /// The number of entries, including those that are no longer needed.
    var count: Int { entries.count }

    /// The next moment, if there is one.
    var next: Moment? { entries.min?.moment }

    mutating func add(_ due: Due, at moment: Moment) {
        last += 1
        entries.insert(Entry(moment: moment, number: last, due: due))
    }

    /// Whether to call ``sweep(keeping:)``: there are at least 4,096 entries, and twice as many as its last call left.
    var areOvergrown: Bool { entries.count >= sweepAt }

    /// Removes the entries for which `isAlive` returns false.
    mutating func sweep(keeping isAlive: (Due) -> Bool) {
        entries = Heap(entries.unordered.filter { isAlive($0.due) })
        sweepAt = max(4096, entries.count * 2)
    }

    /// Removes the earliest entry and returns its task; nil if no entry is due yet.
    mutating func pop(at now: Moment) -> Due? {
        guard let first = entries.min, first.moment <= now else { return nil }
        return entries.removeMin().due
    }
}
