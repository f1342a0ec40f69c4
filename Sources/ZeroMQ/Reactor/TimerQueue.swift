/// Names one scheduled piece of work, to cancel it.
public struct TimerID: Hashable, Sendable {
    let number: UInt64
}

/// Scheduled work in the order of its deadlines, and of scheduling where those are equal.
///
/// Pure: the caller brings the time.
package struct TimerQueue<Work> {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            deadline == other.deadline ? number < other.number : deadline < other.deadline
        }
    }

    /// A binary heap.
    ///
    /// A cancelled entry stays until it is at the top, or until most entries are cancelled ones.
    private var heap: [Entry] = []
    private var works: [UInt64: Work] = [:]
    private var lastNumber: UInt64 = 0

    /// An empty queue.
    package init() {}

    /// Whether anything is scheduled.
    package var isEmpty: Bool { works.isEmpty }

    /// Everything scheduled so far has a number up to this one.
    package var mark: UInt64 { lastNumber }

    /// Adds work.
    package mutating func schedule(at deadline: ContinuousClock.Instant, _ work: Work) -> TimerID {
        lastNumber += 1
        works[lastNumber] = work
        heap.append(Entry(deadline: deadline, number: lastNumber))
        siftUp(heap.count - 1)
        return TimerID(number: lastNumber)
    }

    /// Forgets work, if it is still there.
    package mutating func cancel(_ timer: TimerID) {
        works[timer.number] = nil
        if heap.count > 64, heap.count > 2 * works.count { compact() }
    }

    /// The deadline of what is due first.
    package mutating func nextDeadline() -> ContinuousClock.Instant? {
        dropCancelled()
        return heap.first?.deadline
    }

    /// Takes the first work that is due and was scheduled before `mark` was read.
    ///
    /// The mark keeps work that schedules itself for the past from holding the thread.
    package mutating func popDue(at now: ContinuousClock.Instant, upTo mark: UInt64) -> Work? {
        dropCancelled()
        guard let first = heap.first, first.deadline <= now, first.number <= mark else { return nil }
        removeFirst()
        return works.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, works[first.number] == nil { removeFirst() }
    }

    private mutating func compact() {
        heap.removeAll { works[$0.number] == nil }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[first])
            {
                first = child
            }
            if first == parent { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}
