import ForgeOrchestrator
import Observation
import TestSupport
import Testing

@MainActor
@Suite("Observing an orchestrator", .timeLimit(.minutes(30)))
struct ObservationTests {
    /// Returns what `property` is when it is told to have changed, while `work` goes on.
    private func firstChange<Value: Sendable>(
        of property: @escaping @MainActor () -> Value,
        during work: @escaping @MainActor () async -> Void
    ) async -> Value {
        let changed = CompletionSignal()
        _ = withObservationTracking(property) { changed.complete() }
        let working = Task { await work() }
        await changed.wait()
        let value = property()
        await working.value
        return value
    }

    @Test("tells of each property of a sequence")
    func sequence() async {
        let gate = Turnstile()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([Step(id: "a"), Step(id: "b", body: { await gate.pass() })])
        let evaluate: @MainActor () async -> Void = { await orchestrator.evaluate() }
        // Each is read at the moment of its notice, while "b" stands at the gate.
        let isProcessing = await firstChange(of: { orchestrator.isProcessing }) {
            async let evaluated: Void = evaluate()
            await gate.reach(1)
            gate.releaseWaiting()
            await evaluated
        }
        #expect(isProcessing)
        gate.open()
        orchestrator.removeAll()
        orchestrator.register([Step(id: "a"), Step(id: "b"), Step(id: "c")])
        _ = await firstChange(of: { orchestrator.currentActionId }, during: evaluate)
        orchestrator.removeAll()
        orchestrator.register(Step(id: "a"))
        _ = await firstChange(of: { orchestrator.eligibleCount }, during: evaluate)
        #expect(orchestrator.eligibleCount == 1)
        _ = await firstChange(of: { orchestrator.completedCount }, during: evaluate)
        #expect(orchestrator.completedCount == 1)
        _ = await firstChange(of: { orchestrator.progress }, during: evaluate)
        #expect(orchestrator.progress.completedCount == 1)
    }

    @Test("tells of each property of a pipeline")
    func pipeline() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register([Stage(id: "a"), Stage(id: "b")])
        let evaluate: @MainActor () async -> Void = { await pipeline.evaluate() }
        _ = await firstChange(of: { pipeline.isProcessing }, during: evaluate)
        _ = await firstChange(of: { pipeline.currentActionId }, during: evaluate)
        _ = await firstChange(of: { pipeline.eligibleCount }, during: evaluate)
        _ = await firstChange(of: { pipeline.completedCount }, during: evaluate)
        _ = await firstChange(of: { pipeline.results }, during: evaluate)
        _ = await firstChange(of: { pipeline.progress }, during: evaluate)
        #expect(pipeline.results == [.completed, .completed])
    }

    @Test("tells of each property of a monitor, whatever caused the cycle")
    func monitor() async {
        let monitor = MonitorOrchestrator()
        monitor.register([Watch(id: "a"), Watch(id: "b")])
        let causes: [@MainActor () async -> Void] = [
            { await monitor.reevaluate() },
            { _ = try? await monitor.nextCycle() },
        ]
        for cause in causes {
            _ = await firstChange(of: { monitor.isProcessing }, during: cause)
            _ = await firstChange(of: { monitor.currentActionId }, during: cause)
            _ = await firstChange(of: { monitor.eligibleCount }, during: cause)
            _ = await firstChange(of: { monitor.completedCount }, during: cause)
            _ = await firstChange(of: { monitor.progress }, during: cause)
        }
    }

    @Test("shows the latest state to every read, also while the notice is on its way")
    func latest() async {
        let gate = Turnstile()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([Step(id: "a"), Step(id: "b", body: { await gate.pass() })])
        async let executed = orchestrator.evaluate()
        await gate.reach(1)
        #expect(orchestrator.isProcessing && orchestrator.currentActionId == "b")
        #expect(orchestrator.eligibleCount == 2 && orchestrator.completedCount == 1)
        gate.open()
        _ = await executed
        #expect(!orchestrator.isProcessing && orchestrator.currentActionId == nil && orchestrator.completedCount == 2)
    }

    @Test("has told the final state when the evaluation returns")
    func finalState() async {
        let orchestrator = SequenceOrchestrator()
        orchestrator.register((0..<10).map { Step(id: ActionID("\($0)")) })
        for _ in 0..<100 {
            let view = View(orchestrator)
            await orchestrator.evaluate()
            #expect(!view.isStale, "a view that heard of every change has nothing left to hear")
        }
    }

    @Test("gives an observer that reads again after each notice a last look at the final state")
    func rearmed() async {
        let orchestrator = PipelineOrchestrator()
        orchestrator.register((0..<10).map { Stage(id: ActionID("\($0)")) })
        let view = View(orchestrator)
        for round in 1...50 {
            await orchestrator.evaluate()
            await view.settled()
            #expect(view.latest == View.Reading(isProcessing: false, current: nil, eligible: 10, completed: 10))
            #expect(view.notices >= round)
        }
    }

    @Test("costs nobody a notice who has not read since the last")
    func noReaderNoNotice() async {
        let notices = Record<Int>()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([Step(id: "a"), Step(id: "b")])
        _ = withObservationTracking({ orchestrator.completedCount }, onChange: { notices.add(1) })
        await orchestrator.evaluate()
        await orchestrator.evaluate()
        #expect(notices.count == 1)
    }

    @Test("lets an observer who hears of an evaluation change only the next one")
    func changedWhenToldOfTheBeginning() async {
        let sequence = SequenceOrchestrator()
        sequence.register(Step(id: "a"))
        withObservationTracking({ _ = sequence.isProcessing }, onChange: { sequence.removeAll() })
        #expect(await sequence.evaluate() == ["a"])
        #expect(await sequence.evaluate() == [])
        let pipeline = PipelineOrchestrator()
        pipeline.register(Stage(id: "a"))
        withObservationTracking({ _ = pipeline.isProcessing }, onChange: { pipeline.removeAll() })
        #expect(await pipeline.evaluate() == [.completed])
        #expect(await pipeline.evaluate() == [])
    }
}

/// Reads an orchestrator's properties, and again after each notice, as a view does.
@MainActor
private final class View {
    struct Reading: Equatable {
        var isProcessing: Bool
        var current: ActionID?
        var eligible: Int
        var completed: Int
    }

    private let read: @MainActor () -> Reading
    private(set) var latest = Reading(isProcessing: false, eligible: 0, completed: 0)
    private(set) var notices = 0
    private var pending = 0

    init(_ orchestrator: SequenceOrchestrator) {
        read = {
            Reading(
                isProcessing: orchestrator.isProcessing,
                current: orchestrator.currentActionId,
                eligible: orchestrator.eligibleCount,
                completed: orchestrator.completedCount
            )
        }
        arm()
    }

    init(_ orchestrator: PipelineOrchestrator) {
        read = {
            Reading(
                isProcessing: orchestrator.isProcessing,
                current: orchestrator.currentActionId,
                eligible: orchestrator.eligibleCount,
                completed: orchestrator.completedCount
            )
        }
        arm()
    }

    /// Whether something differs from what was last read and no notice said so.
    var isStale: Bool { pending == 0 && latest != read() }

    /// Returns when every notice has been followed by a reading.
    func settled() async {
        while pending > 0 { await Task.yield() }
    }

    private func arm() {
        latest = withObservationTracking(read) {
            MainActor.assumeIsolated {
                self.pending += 1
                self.notices += 1
                Task { @MainActor in
                    self.pending -= 1
                    self.arm()
                }
            }
        }
    }
}
