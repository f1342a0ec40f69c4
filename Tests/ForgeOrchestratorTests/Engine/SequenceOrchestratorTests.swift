import ForgeOrchestrator
import TestSupport
import Testing

@MainActor
@Suite("A sequence")
struct SequenceOrchestratorTests {
    @Test("sorts by priority and keeps the registration order of ties")
    func order() async {
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([
            Step(id: "low-1", priority: .low), Step(id: "critical-1", priority: .critical),
            Step(id: "medium-1"), Step(id: "low-2", priority: .low), Step(id: "high", priority: .high),
            Step(id: "medium-2"), Step(id: "critical-2", priority: .critical),
        ])
        #expect(
            await orchestrator.evaluate()
                == ["critical-1", "critical-2", "high", "medium-1", "medium-2", "low-1", "low-2"]
        )
    }

    @Test("asks every condition, concurrently, before anything executes")
    func conditionsFirst() async {
        let gate = Turnstile()
        let journal = Record<String>()
        let orchestrator = SequenceOrchestrator()
        for number in 0..<5 {
            orchestrator.register(
                Step(
                    id: ActionID("\(number)"),
                    condition: {
                        await gate.pass()
                        journal.add("asked")
                        return number != 2
                    },
                    body: { journal.add("executed") }
                )
            )
        }
        async let executed = orchestrator.evaluate()
        await gate.reach(5)
        #expect(orchestrator.eligibleCount == 0 && orchestrator.isProcessing)
        gate.open()
        #expect(await executed == ["0", "1", "3", "4"])
        #expect(journal.values == Array(repeating: "asked", count: 5) + Array(repeating: "executed", count: 4))
    }

    @Test("warns of a duplicate and keeps the first, also within one batch")
    func duplicates() async {
        let log = Record<String>()
        let executed = Record<String>()
        let orchestrator = SequenceOrchestrator(logger: log.logger)
        orchestrator.register([
            Step(id: "same", body: { executed.add("first") }),
            Step(id: "same", body: { executed.add("second") }),
        ])
        orchestrator.register(Step(id: "same", priority: .critical, body: { executed.add("third") }))
        #expect(await orchestrator.evaluate() == ["same"])
        #expect(executed.values == ["first"])
        #expect(log.values.map { $0.hasSuffix(" action=same") } == [true, true])
        orchestrator.removeAll()
        orchestrator.register(Step(id: "same"))
        #expect(log.count == 2, "after removeAll the id is free")
    }

    @Test("goes on when its caller is cancelled, and lets the actions see it")
    func cancellation() async {
        let gate = Turnstile()
        let seen = Record<Bool>()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([
            Step(id: "first", body: { await gate.pass() }),
            Step(id: "second", body: { seen.add(Task.isCancelled) }),
        ])
        let evaluation = Task { await orchestrator.evaluate() }
        await gate.reach(1)
        evaluation.cancel()
        gate.open()
        #expect(await evaluation.value == ["first", "second"])
        #expect(seen.values == [true])
    }

    @Test("is not disturbed by what is registered or removed meanwhile")
    func registrationDuringEvaluation() async {
        let gate = Turnstile()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([Step(id: "first", body: { await gate.pass() }), Step(id: "second")])
        async let executed = orchestrator.evaluate()
        await gate.reach(1)
        orchestrator.removeAll()
        orchestrator.register(Step(id: "third"))
        gate.open()
        #expect(await executed == ["first", "second"])
        #expect(await orchestrator.evaluate() == ["third"])
    }

    @Test("executes off the main actor unless an action asks for it")
    func isolation() async {
        let orchestrator = SequenceOrchestrator()
        let journal = Record<String>()
        orchestrator.register([
            Step(id: "pool", body: { journal.add("\(#isolation as (any Actor)? === MainActor.shared)") }),
            Step(id: "main", body: { @MainActor in journal.add("main: \(orchestrator.currentActionId ?? "none")") }),
        ])
        await orchestrator.evaluate()
        #expect(journal.values == ["false", "main: main"])
    }

    @Test("ignores every one of many concurrent calls but the first")
    func reentrancy() async {
        let gate = Turnstile()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register(Step(id: "slow", body: { await gate.pass() }))
        async let first = orchestrator.evaluate()
        await gate.reach(1)
        for _ in 0..<10 { #expect(await orchestrator.evaluate() == []) }
        gate.open()
        #expect(await first == ["slow"])
        #expect(gate.arrivals == 1)
    }
}
