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
        #expect(queue.next() == "a")
        #expect(queue.next() == "b")
        #expect(queue.next() == nil)
        #expect(queue.held == 2)
        queue.release()
        #expect(queue.next() == "c")
    }

    @Test("puts a run whose signal was decided in front of those that have not begun")
    mutating func rejoining() {
        queue.enqueue("a")
        queue.enqueue("b")
        queue.rejoin("c")
        #expect(queue.next() == "c")
        #expect(queue.next() == "a")
    }

    @Test("resumes runs in the order in which their signals were decided")
    mutating func fairness() {
        queue.rejoin("a")
        queue.rejoin("b")
        #expect(queue.next() == "a")
        #expect(queue.next() == "b")
    }

    @Test("is full when every slot is held and its room to wait is taken")
    mutating func full() {
        for run in ["a", "b"] as [Name] {
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
        for run in ["a", "b"] as [Name] {
            queue.enqueue(run)
            _ = queue.next()
        }
        for run in ["v", "w", "x"] as [Name] { queue.rejoin(run) }
        #expect(!queue.isFull)
    }

    @Test("gives a withdrawn run no slot, and its room to others")
    mutating func withdrawing() {
        for run in ["a", "b", "c", "d"] as [Name] { queue.enqueue(run) }
        _ = queue.next()
        _ = queue.next()
        queue.rejoin("e")
        queue.withdraw("e")
        queue.withdraw("d")
        #expect(!queue.isFull)
        queue.release()
        #expect(queue.next() == "c")
        queue.release()
        #expect(queue.next() == nil)
    }

    @Test("withdraws each of many at the cost of one", .timeLimit(.minutes(30)))
    mutating func withdrawingMany() {
        let runs = (0..<200_000).map { Name(unchecked: "run-\($0)") }
        for run in runs { queue.rejoin(run) }
        for run in runs.dropLast().reversed() { queue.withdraw(run) }
        #expect(queue.waiting == 1)
        #expect(queue.next() == "run-199999")
    }

    @Test("that everybody is withdrawn from gives no slot to anybody, and keeps those that are held")
    mutating func withdrawingAll() {
        for run in ["a", "b", "c"] as [Name] { queue.enqueue(run) }
        queue.rejoin("d")
        _ = queue.next()
        queue.withdrawAll()
        #expect(queue.waiting == 0)
        #expect(queue.next() == nil)
        #expect(queue.held == 1)
        #expect(queue.withdraw("b") == false)
    }
}

@Suite("A line of runs")
struct WaitingLineTests {
    @Test("keeps at most twice as many places as runs are in it, whoever leaves")
    func length() {
        var line = WaitingLine()
        let runs = (0..<1000).map { Name(unchecked: "run-\($0)") }
        for run in runs { line.append(run) }
        for run in runs where run.text.hasSuffix("7") == false {
            #expect(line.strikeOff(run) == true)
            #expect(line.length <= 2 * line.count)
        }
        #expect(line.count == 100)
        for number in 0..<100 { #expect(line.popFirst() == Name(unchecked: "run-\(number * 10 + 7)")) }
        #expect(line.popFirst() == nil)
    }

    @Test("lets a run leave once, and come back after its turn")
    func returning() {
        var line = WaitingLine()
        line.append("a")
        #expect(line.popFirst() == "a")
        line.append("a")
        line.append("b")
        #expect(line.strikeOff("a") == true)
        #expect(line.strikeOff("a") == false)
        #expect(line.popFirst() == "b")
    }
}
