import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("A pipeline's queue")
struct RunQueueTests {
    private var queue = RunQueue(slots: 2, capacity: 2)

    @Test("starts runs in the order they came, as many as it has slots")
    mutating func order() {
        queue.enqueue("a")
        queue.enqueue("b")
        queue.enqueue("c")
        #expect(queue.next() == .start("a"))
        #expect(queue.next() == .start("b"))
        #expect(queue.next() == nil)
        #expect(queue.held == 2)
        queue.release()
        #expect(queue.next() == .start("c"))
    }

    @Test("puts a run whose signal was decided in front of those that have not begun")
    mutating func rejoining() {
        queue.enqueue("a")
        queue.enqueue("b")
        queue.rejoin("c")
        #expect(queue.next() == .resume("c"))
        #expect(queue.next() == .start("a"))
    }

    @Test("resumes runs in the order in which their signals were decided")
    mutating func fairness() {
        queue.rejoin("a")
        queue.rejoin("b")
        #expect(queue.next() == .resume("a"))
        #expect(queue.next() == .resume("b"))
    }

    @Test("is full when every slot is held and its room to wait is taken")
    mutating func full() {
        for run in ["a", "b"] as [RunID] {
            queue.enqueue(run)
            #expect(queue.next() != nil)
            #expect(!queue.isFull)
        }
        queue.enqueue("c")
        #expect(!queue.isFull)
        queue.enqueue("d")
        #expect(queue.isFull)
        queue.release()
        #expect(!queue.isFull, "a slot is free")
    }

    @Test("does not count runs that come back from a wait against its room")
    mutating func roomForNew() {
        for run in ["a", "b"] as [RunID] {
            queue.enqueue(run)
            _ = queue.next()
        }
        for run in ["v", "w", "x"] as [RunID] { queue.rejoin(run) }
        #expect(!queue.isFull)
    }

    @Test("gives a withdrawn run no slot, and its room to others")
    mutating func withdrawing() {
        for run in ["a", "b", "c", "d"] as [RunID] { queue.enqueue(run) }
        _ = queue.next()
        _ = queue.next()
        queue.rejoin("e")
        queue.withdraw("e")
        queue.withdraw("d")
        #expect(!queue.isFull)
        queue.release()
        #expect(queue.next() == .start("c"))
        queue.release()
        #expect(queue.next() == nil)
    }
}
