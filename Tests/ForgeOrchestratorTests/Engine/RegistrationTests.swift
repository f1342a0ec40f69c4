import ForgeOrchestrator
import TestSupport
import Testing

@MainActor
@Suite("Registered actions")
struct RegistrationTests {
    @Test("are listed in registration order, and forgotten one by one")
    func unregister() async {
        let sequence = SequenceOrchestrator()
        sequence.register([Step(id: "a"), Step(id: "b", priority: .critical), Step(id: "c")])
        #expect(sequence.registered.map(\.id) == ["a", "b", "c"])
        #expect(sequence.unregister("b") && !sequence.unregister("b") && !sequence.unregister("never"))
        #expect(sequence.registered.map(\.id) == ["a", "c"])
        sequence.register(Step(id: "b", priority: .low))
        #expect(sequence.registered.map(\.id) == ["a", "c", "b"], "the id is free, and the action the last")
        #expect(await sequence.evaluate() == ["a", "c", "b"])
    }

    @Test("of a sequence that is evaluated finish, whatever is forgotten meanwhile")
    func duringSequence() async {
        let gate = Turnstile()
        let sequence = SequenceOrchestrator()
        sequence.register([Step(id: "a", body: { await gate.pass() }), Step(id: "b")])
        async let executed = sequence.evaluate()
        await gate.reach(1)
        #expect(sequence.unregister("b") && sequence.unregister("a"))
        gate.open()
        #expect(await executed == ["a", "b"])
        #expect(await sequence.evaluate() == [])
    }

    @Test("of a pipeline that runs finish, and are missing from a run that is resumed later")
    func duringRun() async {
        let gate = Turnstile()
        let pipeline = PipelineOrchestrator()
        pipeline.register([
            Stage(
                id: "a",
                body: { _ in
                    await gate.pass()
                    return .completed
                }
            ), Stage(id: "b"),
        ])
        async let report = pipeline.run()
        await gate.reach(1)
        #expect(pipeline.unregister("b"))
        gate.open()
        #expect(await report.results == [.completed, .completed])
        #expect(pipeline.registered.map(\.id) == ["a"])
        let resumption = PipelineResumption(eligible: ["a", "b"], results: ["a": .completed])
        #expect(await pipeline.run(resuming: resumption).isFailed)
    }

    @Test("of a monitor whose cycle runs finish, and those who wait get a cycle of the rest")
    func duringCycle() async throws {
        let gate = Turnstile()
        let monitor = MonitorOrchestrator()
        monitor.register([
            Watch(
                id: "a",
                body: {
                    await gate.pass()
                    return .completed
                }
            ), Watch(id: "b"),
        ])
        let first = Task.immediate { try await monitor.nextCycle() }
        await gate.reach(1)
        let owed = Task.immediate { try await monitor.nextCycle() }
        #expect(monitor.unregister("b"))
        gate.open()
        guard case .ran(let cycle) = try await first.value, case .ran(let next) = try await owed.value else {
            Issue.record("the monitor was not emptied")
            return
        }
        #expect(cycle.actions.map(\.id) == ["a", "b"] && next.actions.map(\.id) == ["a"])
    }
}
