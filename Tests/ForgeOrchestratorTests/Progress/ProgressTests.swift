import ForgeOrchestrator
import TestSupport
import Testing

@MainActor
@Suite("The progress of an orchestrator")
struct ProgressTests {
    private let gate = Turnstile()

    @Test("says in one line what is being done, how much is done and what failed")
    func sequence() async {
        let asked = Turnstile()
        let sequence = SequenceOrchestrator(logger: Record<String>().logger, clock: TestClock())
        #expect(sequence.progress == OrchestratorProgress())
        #expect(sequence.progress.description == "nothing to do" && sequence.progress.fractionCompleted == 1)
        sequence.register(FallibleStep(id: "migrate", body: { .failed("no disk") }))
        let warmUp = Step(id: "warm-up", condition: { await asked.passed() }, body: { [gate] in await gate.pass() })
        sequence.register(warmUp)
        async let executed = sequence.evaluate()
        await asked.reach(1)
        #expect("\(sequence.progress)" == "checking the conditions" && sequence.progress.fractionCompleted == 0)
        asked.open()
        await gate.reach(1)
        #expect("\(sequence.progress)" == "1 of 2: warm-up; migrate failed (no disk)")
        #expect(sequence.progress.fractionCompleted == 0.5 && sequence.progress.currentActionId == "warm-up")
        gate.open()
        _ = await executed
        #expect("\(sequence.progress)" == "2 of 2 actions have ended; migrate failed (no disk)")
        #expect(sequence.progress.fractionCompleted == 1 && !sequence.progress.isProcessing)
        #expect(sequence.progress.reports.map(\.result) == [.failed("no disk"), .completed])
        #expect(sequence.progress.failures.map(\.id) == ["migrate"])
    }

    @Test("agrees with the other properties of a pipeline and a monitor")
    func agrees() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register([Stage(id: "a"), Stage(id: "b", body: { _ in .skipped })])
        let results = await pipeline.evaluate()
        #expect(pipeline.progress.reports.map(\.result) == results && pipeline.results == results)
        #expect(pipeline.progress.completedCount == 2 && pipeline.progress.eligibleCount == 2)
        _ = await pipeline.run()
        #expect(pipeline.progress.reports.count == 2, "a run shows in nothing")

        let monitor = MonitorOrchestrator()
        monitor.register(
            Watch(
                id: "w",
                body: { [gate] in
                    await gate.pass()
                    return .failed("late")
                }
            )
        )
        let call = Task.immediate { await monitor.reevaluate() }
        await gate.reach(1)
        #expect("\(monitor.progress)" == "0 of 1: w")
        gate.open()
        await call.value
        #expect("\(monitor.progress)" == "1 of 1 action has ended; w failed (late)")
        monitor.removeAll()
        await monitor.reevaluate()
        #expect("\(monitor.progress)" == "nothing to do")
    }

    @Test("may be read from any thread, at each event")
    func fromAnywhere() async {
        let sequence = SequenceOrchestrator()
        sequence.register([Step(id: "a"), Step(id: "b")])
        let events = sequence.events
        let reading = Task.detached {
            for await event in events {
                guard case .ended = event else { continue }
                return sequence.progress.description
            }
            return "gone"
        }
        await sequence.evaluate()
        #expect(await reading.value == "2 of 2 actions have ended")
    }
}
