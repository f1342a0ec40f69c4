import ForgeOrchestrator
import Testing

@Suite("Asking many conditions")
struct ConditionPollTests {
    @Test("gives the answers in the order of the conditions", arguments: [0, 1, 2, 10, 1_000])
    func order(_ count: Int) async {
        let answers = await ConditionPoll.ask(count) { index in
            if index.isMultiple(of: 7) { await Task.yield() }
            return index.isMultiple(of: 3)
        }
        #expect(answers == (0..<count).map { $0.isMultiple(of: 3) })
    }

    @Test("has all of them under way at once when they suspend")
    func concurrent() async {
        let gate = Gate()
        async let answers = ConditionPoll.ask(10) { _ in
            await gate.pass()
            return true
        }
        // Would hang if a condition waited for one that is suspended.
        await gate.arrivals(10)
        gate.open()
        #expect(await answers == [Bool](repeating: true, count: 10))
    }

    @Test("lets a condition wait for one that is asked after it")
    func forwardDependency() async {
        let signal = CompletionSignal()
        let answers = await ConditionPoll.ask(2) { index in
            if index == 0 { await signal.wait() } else { signal.complete() }
            return true
        }
        #expect(answers == [true, true])
    }

    @Test("uses one task for all that do not suspend, and a new one only behind one that does")
    func tasks() async {
        let tasks = Journal<Int>()
        let last = CompletionSignal()
        let answers = await ConditionPoll.ask(6) { index in
            tasks.write(withUnsafeCurrentTask { $0.hashValue })
            // It suspends until all the others have been asked.
            if index == 2 { await last.wait() }
            if index == 5 { last.complete() }
            return true
        }
        #expect(answers.allSatisfy { $0 })
        #expect(Set(tasks.entries).count == 2)
    }
}
