import ForgeOrchestrator
import Foundation
import TestSupport
import Testing

@Suite("Asking many conditions")
struct ConditionPollTests {
    /// Nothing takes long on a clock that stands still.
    private let stopwatch = Stopwatch(TestClock())

    @Test("gives the answers in the order of the conditions", arguments: [0, 1, 2, 10, 1_000])
    func order(_ count: Int) async {
        let answers = await ConditionPoll.ask(count, stopwatch) { index in
            if index.isMultiple(of: 7) { await Task.yield() }
            return index.isMultiple(of: 3)
        }
        #expect(answers == (0..<count).map { $0.isMultiple(of: 3) })
    }

    @Test("has all of them under way at once when they suspend")
    func concurrent() async {
        let gate = Turnstile()
        async let answers = ConditionPoll.ask(10, stopwatch) { _ in
            await gate.pass()
            return true
        }
        // Would hang if a condition waited for one that is suspended.
        await gate.reach(10)
        gate.open()
        #expect(await answers == [Bool](repeating: true, count: 10))
    }

    @Test("lets a condition wait for one that is asked after it")
    func forwardDependency() async {
        let signal = CompletionSignal()
        let answers = await ConditionPoll.ask(2, stopwatch) { index in
            if index == 0 { await signal.wait() } else { signal.complete() }
            return true
        }
        #expect(answers == [true, true])
    }

    @Test("uses one task for all that do not suspend, and a new one only behind one that does")
    func tasks() async {
        let tasks = Record<Int>()
        let last = CompletionSignal()
        let answers = await ConditionPoll.ask(6, stopwatch) { index in
            tasks.add(withUnsafeCurrentTask { $0.hashValue })
            // It suspends until all the others have been asked.
            if index == 2 { await last.wait() }
            if index == 5 { last.complete() }
            return true
        }
        #expect(answers.allSatisfy { $0 })
        #expect(Set(tasks.values).count == 2)
    }

    @Test("lets the rest compute side by side once one has computed for more than a millisecond")
    func sideBySide() async {
        let clock = TestClock()
        let meeting = Meeting(of: 3)
        let sequence = SequenceOrchestrator(clock: clock)
        sequence.register(
            Step(
                id: "long",
                condition: {
                    clock.advance(by: .microseconds(1_001))
                    return true
                }
            )
        )
        sequence.register((1...3).map { Step(id: ActionID("\($0)"), condition: { meeting.attend() }) })
        // They block their threads, which are not those of everybody.
        let executed = await withTaskExecutorPreference(ThreadForEachJob()) { await sequence.evaluate() }
        #expect(executed == ["long", "1", "2", "3"], "one that met nobody says false")
    }

    @Test("asks the rest in the same task where each takes at most a millisecond")
    func quick() async {
        let clock = TestClock()
        let tasks = Record<Int>()
        _ = await ConditionPoll.ask(10, Stopwatch(clock)) { _ in
            tasks.add(withUnsafeCurrentTask { $0.hashValue })
            clock.advance(by: .milliseconds(1))
            return true
        }
        #expect(tasks.count == 10 && Set(tasks.values).count == 1)
    }
}

/// Conditions that block until all of them are there.
private final class Meeting: @unchecked Sendable {
    // Guarded by the condition.
    private var missing: Int
    private let changed = NSCondition()

    init(of count: Int) { missing = count }

    /// Whether the others came; the limit ends a test that fails.
    func attend() -> Bool {
        changed.lock()
        defer { changed.unlock() }
        missing -= 1
        changed.broadcast()
        while missing > 0, changed.wait(until: Date(timeIntervalSinceNow: 20)) {}
        return missing <= 0
    }
}

/// Runs each job on a thread of its own.
private final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
