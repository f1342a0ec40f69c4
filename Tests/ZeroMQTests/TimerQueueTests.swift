import Testing
import ZeroMQ

@Suite("A timer queue")
struct TimerQueueTests {
    private let start = ContinuousClock.now

    @Test("gives work back in the order of deadlines, equal ones in the order of scheduling")
    func order() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            var queue = TimerQueue<Int>()
            let offsets = (0..<50).map { _ in Int.random(in: 0..<20, using: &generator) }
            for (index, offset) in offsets.enumerated() { _ = queue.schedule(at: start + .seconds(offset), index) }
            let expected = offsets.indices.sorted { (offsets[$0], $0) < (offsets[$1], $1) }
            #expect(drain(&queue) == expected, "\(offsets)")
            #expect(queue.isEmpty)
        }
    }

    @Test("gives back nothing that is not due")
    func due() {
        var queue = TimerQueue<Int>()
        _ = queue.schedule(at: start + .seconds(2), 2)
        _ = queue.schedule(at: start + .seconds(1), 1)
        #expect(queue.nextDeadline() == start + .seconds(1))
        #expect(queue.popDue(at: start, upTo: queue.mark) == nil)
        #expect(queue.popDue(at: start + .seconds(1), upTo: queue.mark) == 1)
        #expect(queue.popDue(at: start + .seconds(1), upTo: queue.mark) == nil)
        #expect(queue.nextDeadline() == start + .seconds(2))
    }

    @Test("leaves what was scheduled after the mark for the next time")
    func mark() {
        var queue = TimerQueue<Int>()
        _ = queue.schedule(at: start, 1)
        let mark = queue.mark
        _ = queue.schedule(at: start - .seconds(1), 2)
        #expect(queue.popDue(at: start, upTo: mark) == nil)
        #expect(queue.popDue(at: start, upTo: queue.mark) == 2)
        #expect(queue.popDue(at: start, upTo: mark) == 1)
    }

    @Test("forgets what was cancelled, also when most of it was")
    func cancelled() {
        var queue = TimerQueue<Int>()
        let timers = (0..<1000).map { index in queue.schedule(at: start + .seconds(1000 - index), index) }
        for (index, timer) in timers.enumerated() where index % 10 != 0 { queue.cancel(timer) }
        #expect(drain(&queue) == stride(from: 990, through: 0, by: -10).map { $0 })
        queue.cancel(timers[0])
        #expect(queue.nextDeadline() == nil)
    }

    private func drain(_ queue: inout TimerQueue<Int>) -> [Int] {
        var works: [Int] = []
        while let work = queue.popDue(at: start + .seconds(5000), upTo: queue.mark) { works.append(work) }
        return works
    }
}
