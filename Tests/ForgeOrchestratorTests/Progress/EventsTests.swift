import ForgeOrchestrator
import Testing

@Suite("The events of an orchestrator", .timeLimit(.minutes(30)))
struct EventsTests {
    private func report(_ id: ActionID, _ result: ActionResult = .completed) -> OrchestratorEvent {
        .finished(ActionReport(id: id, result: result, start: .zero, duration: .zero))
    }

    @Test("tell every step in order to every reader")
    func order() async {
        let pipeline = PipelineOrchestrator(clock: TestClock())
        pipeline.register([Stage(id: "a", body: { _ in .failed("no") }), Stage(id: "b", requires: ["a"])])
        let readers = [pipeline.events, pipeline.events]
        await pipeline.evaluate()
        for reader in readers {
            var events: [OrchestratorEvent] = []
            for await event in reader {
                events.append(event)
                if case .ended = event { break }
            }
            #expect(
                events == [
                    .began(evaluation: 1), .eligible(["a", "b"]), .started("a"), report("a", .failed("no")),
                    report("b", .skipped), .ended(evaluation: 1),
                ]
            )
        }
    }

    @Test("number the evaluations of sequences and monitors")
    func numbers() async {
        let sequence = SequenceOrchestrator(clock: TestClock())
        sequence.register(Step(id: "a"))
        await sequence.evaluate()
        var events = sequence.events.makeAsyncIterator()
        await sequence.evaluate()
        #expect(await events.next() == .began(evaluation: 2))

        let monitor = MonitorOrchestrator(clock: TestClock())
        monitor.register(Watch(id: "w"))
        var cycles = monitor.events.makeAsyncIterator()
        await monitor.reevaluate()
        var seen: [OrchestratorEvent] = []
        for _ in 0..<5 { if let event = await cycles.next() { seen.append(event) } }
        #expect(
            seen == [.began(evaluation: 1), .eligible(["w"]), .started("w"), report("w"), .ended(evaluation: 1)]
        )
    }

    @Test("keep the newest for a slow reader, and the evaluations go on")
    func bounded() async {
        let sequence = SequenceOrchestrator()
        let events = sequence.events
        let evaluations = OrchestratorEvents.capacity
        for _ in 0..<evaluations { await sequence.evaluate() }
        var kept: [OrchestratorEvent] = []
        for await event in events {
            kept.append(event)
            if event == .ended(evaluation: evaluations) { break }
        }
        #expect(kept.count == OrchestratorEvents.capacity)
        #expect(kept.first != .began(evaluation: 1))
    }

    @Test("end when the orchestrator is gone")
    func end() async {
        var orchestrator: SequenceOrchestrator? = SequenceOrchestrator()
        var events = orchestrator?.events.makeAsyncIterator()
        orchestrator = nil
        #expect(await events?.next() == nil)
    }
}
