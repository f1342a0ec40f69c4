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
    /// A listener that attached to a run gets its state now, whether or not it has ended.
    case attachment(Name, listener: Int)
    /// A gate's deadline, or the end of the time in which a signal may be announced again.
    case gate(Name, WaiterID)
    /// More principals may decide a gate from now on.
    case escalation(Name, WaiterID)
    /// Watchers are reminded of a gate that waits.
    case reminder(Name, WaiterID)
    /// An early decision on a signal expires.
    case early(Name)
    /// A run that reports many events at once may begin.
    case fold
    /// An EVALUATED answer is due, complete or not.
    case evaluation(EvaluationID)
    /// A monitor's lane has something to do: a cycle may begin or is overdue, or a mode is over.
    case lane(monitor: Int, wake: Int)
}

/// The moments at which the core has something to do, earliest first.
///
/// Superfluous entries stay: their `Due` finds nothing to do when it comes. Only when the heap has doubled are they
/// removed, so that its size stays in proportion to the live ones.
struct Deadlines {
    private struct Entry: Comparable {
        let moment: Moment
        /// Keeps the order of equal moments that of their insertion.
        let number: UInt64
        let due: Due

        static func < (a: Entry, b: Entry) -> Bool { (a.moment, a.number) < (b.moment, b.number) }
        static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
    }

    private var entries = Heap<Entry>()
    private var last: UInt64 = 0
    private var sweepAt = 4096

    /// The number of kept entries, including superfluous ones.
    var count: Int { entries.count }

    /// The next moment, if there is one.
    var next: Moment? { entries.min?.moment }

    mutating func add(_ due: Due, at moment: Moment) {
        last += 1
        entries.insert(Entry(moment: moment, number: last, due: due))
    }

    /// Whether there are twice as many entries as the last sweep left.
    var areOvergrown: Bool { entries.count >= sweepAt }

    /// Removes the superfluous entries.
    mutating func sweep(keeping isAlive: (Due) -> Bool) {
        entries = Heap(entries.unordered.filter { isAlive($0.due) })
        sweepAt = max(4096, entries.count * 2)
    }

    /// Takes one entry that is due by now; nil if none is left.
    mutating func pop(at now: Moment) -> Due? {
        guard let first = entries.min, first.moment <= now else { return nil }
        return entries.removeMin().due
    }
}
