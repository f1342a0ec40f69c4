import HeapModule

/// The id of scheduled work; pass it to ``Reactor/cancel(_:)``.
public struct TimerID: Hashable, Sendable {
    let number: UInt64
}

/// Scheduled work in the order of deadlines; equal deadlines keep the order of scheduling.
///
/// Pure: the caller supplies the time.
package struct TimerQueue<Work> {
    private struct Entry: Comparable {
        let deadline: ContinuousClock.Instant
        let number: UInt64

        static func < (a: Entry, b: Entry) -> Bool {
            a.deadline == b.deadline ? a.number < b.number : a.deadline < b.deadline
        }
        static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
    }

    /// The deadlines of all scheduled work, also of cancelled work.
    ///
    /// A cancelled entry is removed when it becomes the first, or when more than half of the entries are cancelled and
    /// there are more than 64 entries.
    private var entries = Heap<Entry>()
    private var works: [UInt64: Work] = [:]
    private var lastNumber: UInt64 = 0

    /// Makes an empty queue.
    package init() {}

    /// Whether no work is scheduled.
    package var isEmpty: Bool { works.isEmpty }

    /// The number of the latest scheduled work; all earlier work has a lower number.
    package var mark: UInt64 { lastNumber }

    /// Schedules work at a deadline, and returns the id with which the work can be cancelled.
    package mutating func schedule(at deadline: ContinuousClock.Instant, _ work: Work) -> TimerID {
        lastNumber += 1
        works[lastNumber] = work
        entries.insert(Entry(deadline: deadline, number: lastNumber))
        return TimerID(number: lastNumber)
    }

    /// Removes work that has not run yet; does nothing if the work has run.
    package mutating func cancel(_ timer: TimerID) {
        works[timer.number] = nil
        guard entries.count > 64, entries.count > 2 * works.count else { return }
        entries = Heap(entries.unordered.filter { works[$0.number] != nil })
    }

    /// The earliest deadline, or nil if no work is scheduled.
    package mutating func nextDeadline() -> ContinuousClock.Instant? {
        dropCancelled()
        return entries.min?.deadline
    }

    /// Takes the first work if it is due and was scheduled before ``mark`` was read; otherwise nil.
    ///
    /// Because of the mark, work that schedules itself again for a past time waits for the next turn. So such work does
    /// not block the thread.
    package mutating func popDue(at now: ContinuousClock.Instant, upTo mark: UInt64) -> Work? {
        dropCancelled()
        guard let first = entries.min, first.deadline <= now, first.number <= mark else { return nil }
        entries.removeMin()
        return works.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = entries.min, works[first.number] == nil { entries.removeMin() }
    }
}
