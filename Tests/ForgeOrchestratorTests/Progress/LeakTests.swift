import ForgeOrchestrator
import Testing

@Suite("Nothing keeps an orchestrator alive", .timeLimit(.minutes(30)))
struct LeakTests {
    @Test("after its evaluations")
    func evaluations() async {
        weak var sequence: SequenceOrchestrator?
        weak var pipeline: PipelineOrchestrator?
        do {
            let first = SequenceOrchestrator()
            let second = PipelineOrchestrator()
            first.register(Step(id: "a"))
            second.register(Stage(id: "a"))
            await first.evaluate()
            _ = await second.run()
            await second.evaluate()
            sequence = first
            pipeline = second
        }
        #expect(sequence == nil && pipeline == nil)
    }

    @Test("while its loop runs, and the loop ends with it")
    func loop() async {
        await #expect(processExitsWith: .success) {
            let clock = TestClock()
            weak var released: MonitorOrchestrator?
            do {
                let monitor = MonitorOrchestrator(interval: 1, clock: clock)
                monitor.start()
                await clock.sleepers(1)
                released = monitor
                precondition(LiveObjects.loops.current == 1)
            }
            precondition(released == nil)
            // The loop was cancelled; it ends when it has heard of it.
            while LiveObjects.loops.current > 0 { await Task.yield() }
        }
    }

    @Test("after ten thousand cancelled and served callers of nextCycle()")
    func waiters() async {
        await #expect(processExitsWith: .success) {
            let monitor = MonitorOrchestrator()
            monitor.register(Watch(id: "w"))
            for round in 0..<10_000 {
                let caller = Task { try await monitor.nextCycle() }
                if round.isMultiple(of: 2) { caller.cancel() }
                _ = await caller.result
            }
            precondition(LiveObjects.waiters.current == 0)
        }
    }

    @Test("and nobody who stopped reading stays a reader")
    func readers() async {
        let hub = EventHub()
        do {
            let kept = hub.subscribe()
            let dropped = hub.subscribe()
            #expect(hub.readers == 2)
            _ = (kept, dropped)
        }
        #expect(hub.readers == 0)
        let reader = Task {
            var count = 0
            for await _ in hub.subscribe() { count += 1 }
            return count
        }
        reader.cancel()
        _ = await reader.value
        #expect(hub.readers == 0)
    }
}
