import ForgeOrchestrator
import Testing

/// Each runs in a process of its own, so that the counters of live objects see nothing of the other tests.
///
/// A wait that nobody resumes hangs; a continuation resumed twice ends the process.
@Suite("Ten thousand races of a signal leave nothing behind", .timeLimit(.minutes(30)))
struct CompletionSignalRaceTests {
    @Test("between wait and complete")
    func waitAndComplete() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<10_000 {
                let signal = CompletionSignal()
                async let completed: Void = signal.complete()
                await signal.wait()
                await completed
                precondition(signal.isCompleted)
            }
            precondition(LiveObjects.waiters.current == 0)
        }
    }

    @Test("between cancel and complete")
    func cancelAndComplete() async {
        await #expect(processExitsWith: .success) {
            var ends = (completed: 0, cancelled: 0)
            for round in 0..<10_000 {
                let signal = CompletionSignal()
                let waiter = Task { (try? await signal.waitUnlessCancelled()) != nil }
                async let completed: Void = signal.complete()
                waiter.cancel()
                // A cancelled wait leaves the signal open; the completion has to be seen by whoever waits next.
                if await waiter.value { ends.completed += 1 } else { ends.cancelled += 1 }
                await completed
                precondition(signal.isCompleted, "round \(round)")
                await signal.wait()
            }
            precondition(ends.completed + ends.cancelled == 10_000)
            precondition(LiveObjects.waiters.current == 0)
        }
    }

    @Test("between deadline and complete")
    func deadlineAndComplete() async {
        await #expect(processExitsWith: .success) {
            var ends = (completed: 0, timedOut: 0)
            for round in 0..<10_000 {
                let clock = TestClock()
                let signal = CompletionSignal()
                let waiter = Task { () -> Bool in
                    do throws(CompletionSignalError) {
                        try await signal.wait(for: .seconds(1), clock: clock)
                        return true
                    } catch {
                        precondition(error == .timedOut, "round \(round)")
                        return false
                    }
                }
                if round.isMultiple(of: 2) { await clock.sleepers(1) }
                async let completed: Void = signal.complete()
                clock.advance(by: .seconds(1))
                if await waiter.value { ends.completed += 1 } else { ends.timedOut += 1 }
                await completed
            }
            precondition(ends.completed + ends.timedOut == 10_000)
            precondition(LiveObjects.waiters.current == 0)
        }
    }
}
