import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("The deadlines")
struct DeadlinesTests {
    private let start = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private var deadlines = Deadlines()

    private func at(_ seconds: Int) -> Moment { start.advanced(by: .seconds(seconds)) }

    @Test("come in the order of their moments, equal ones in that of their insertion")
    mutating func order() {
        deadlines.add(.lane(monitor: 3, wake: 0), at: at(2))
        deadlines.add(.lane(monitor: 1, wake: 0), at: at(1))
        deadlines.add(.lane(monitor: 4, wake: 0), at: at(2))
        deadlines.add(.lane(monitor: 2, wake: 0), at: at(1))
        #expect(deadlines.next == at(1))
        var popped: [Due] = []
        while let due = deadlines.pop(at: at(2)) { popped.append(due) }
        #expect(popped == [1, 2, 3, 4].map { .lane(monitor: $0, wake: 0) })
        #expect(deadlines.next == nil)
    }

    @Test("are not due early")
    mutating func early() {
        deadlines.add(.lane(monitor: 1, wake: 0), at: at(5))
        #expect(deadlines.pop(at: start.advanced(by: .milliseconds(4_999))) == nil)
        #expect(deadlines.pop(at: at(5)) == .lane(monitor: 1, wake: 0))
    }

    @Test("lose by a sweep what is superfluous and nothing else, and stay in proportion to what is alive")
    mutating func sweep() {
        var kept = 0
        for number in 0..<100_000 {
            deadlines.add(.lane(monitor: number, wake: 0), at: at(number))
            if deadlines.areOvergrown { deadlines.sweep { due in due.monitor % 1000 == 0 } }
            kept = max(kept, deadlines.count)
        }
        #expect(kept <= 4096)
        var alive: [Int] = []
        while let due = deadlines.pop(at: at(100_000)) { alive.append(due.monitor) }
        let expected = Set((0..<100).map { $0 * 1000 })
        #expect(expected.isSubset(of: alive))
        #expect(alive == alive.sorted())
    }

    @Test("are overgrown only when there are many")
    mutating func few() {
        for number in 1..<4096 { deadlines.add(.lane(monitor: number, wake: 0), at: at(number)) }
        #expect(!deadlines.areOvergrown)
        deadlines.add(.lane(monitor: 0, wake: 0), at: at(0))
        #expect(deadlines.areOvergrown)
    }
}

extension Due {
    fileprivate var monitor: Int { if case .lane(let monitor, _) = self { monitor } else { -1 } }
}
