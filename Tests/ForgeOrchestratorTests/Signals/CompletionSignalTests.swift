import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A completion signal")
struct CompletionSignalTests {
    @Test("ends the process with its sentence when two tasks wait at once")
    func secondWaiter() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let signal = CompletionSignal()
            // Immediate, so that the first wait is in place when the second begins.
            let first = Task.immediate { await signal.wait() }
            await signal.wait()
            await first.value
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("CompletionSignal.wait() called concurrently"))
    }

    @Test("does the same for every other kind of wait")
    func secondWaiterOfAnotherKind() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let signal = CompletionSignal()
            let first = Task.immediate { try await signal.waitUnlessCancelled() }
            try await signal.wait(for: .seconds(3_600))
            try await first.value
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("CompletionSignal.wait() called concurrently"))
    }

    @Test("lets a cancelled waiter go, and can be waited for again")
    func cancelledWait() async throws {
        let signal = CompletionSignal()
        let waiter = Task.immediate { try await signal.waitUnlessCancelled() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(!signal.isCompleted)
        let second = Task.immediate { try await signal.waitUnlessCancelled() }
        signal.complete()
        try await second.value
    }

    @Test("lets a task go that was cancelled before it waited, unless the signal is completed")
    func cancelledBeforeWait() async throws {
        let signal = CompletionSignal()
        let gate = Turnstile()
        let waiter = Task {
            await gate.pass()
            try await signal.waitUnlessCancelled()
        }
        await gate.reach(1)
        waiter.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await waiter.value }

        let secondGate = Turnstile()
        let late = Task {
            await secondGate.pass()
            try await signal.waitUnlessCancelled()
        }
        await secondGate.reach(1)
        late.cancel()
        signal.complete()
        secondGate.open()
        try await late.value
    }

    @Test("holds a plain wait through a cancellation")
    func plainWaitIgnoresCancellation() async {
        let signal = CompletionSignal()
        let waiter = Task.immediate { () -> Bool in
            await signal.wait()
            return signal.isCompleted
        }
        waiter.cancel()
        signal.complete()
        #expect(await waiter.value)
    }

    @Test("gives up at its deadline, not before, and stays open")
    func deadline() async throws {
        let clock = TestClock()
        let signal = CompletionSignal()
        let journal = Record<String>()
        let waiter = Task {
            await #expect(throws: CompletionSignalError.timedOut) {
                try await signal.wait(for: .seconds(30), clock: clock)
            }
            journal.add("timed out")
        }
        await clock.sleepers(1)
        clock.advance(by: .seconds(29))
        #expect(journal.values.isEmpty)
        clock.advance(by: .seconds(1))
        await waiter.value
        #expect(!signal.isCompleted)
        signal.complete()
        try await signal.wait(for: .zero, clock: clock)
    }

    @Test("is completed in time, and the deadline's task is gone")
    func completedInTime() async throws {
        let clock = TestClock()
        let signal = CompletionSignal()
        let waiter = Task { try await signal.wait(for: .seconds(30), clock: clock) }
        await clock.sleepers(1)
        signal.complete()
        try await waiter.value
    }

    @Test("tells a cancelled waiter from one whose time is over")
    func deadlineCancelled() async {
        let clock = TestClock()
        let signal = CompletionSignal()
        let waiter = Task { () -> Void in
            await #expect(throws: CompletionSignalError.cancelled) {
                try await signal.wait(for: .seconds(30), clock: clock)
            }
        }
        await clock.sleepers(1)
        waiter.cancel()
        await waiter.value
    }

    @Test("times out at once when it is given no time", arguments: [Duration.zero, .seconds(-1)])
    func noTime(_ timeout: Duration) async {
        let signal = CompletionSignal()
        await #expect(throws: CompletionSignalError.timedOut) {
            try await signal.wait(for: timeout, clock: TestClock())
        }
    }
}
