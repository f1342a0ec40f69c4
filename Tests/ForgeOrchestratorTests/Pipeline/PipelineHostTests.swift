import Synchronization
import TestSupport
import Testing

@testable import ForgeOrchestrator

@Suite("A host that leaves a run at an action")
struct LeavingHostTests {
    private let executed = Record<ActionID>()
    private let asked = Record<ActionID>()

    private func pipeline() -> PipelineOrchestrator {
        let orchestrator = PipelineOrchestrator()
        for (id, requires) in [("a", []), ("b", []), ("c", ["b"])] as [(ActionID, Set<ActionID>)] {
            let condition: @Sendable () async -> Bool = { [asked] in
                asked.add(id)
                return true
            }
            let stage = Stage(id: id, requires: requires, condition: condition) { [executed] _ in
                executed.add(id)
                return .completed
            }
            orchestrator.register(stage)
        }
        return orchestrator
    }

    @Test("has a report that ends before it, and the run is gone on with there, once each")
    func resumed() async {
        let orchestrator = pipeline()
        let context = PipelineContext()
        context.attach(Leaving(at: "b"))
        let first = await orchestrator.run(context: context)
        #expect(first.eligible == ["a", "b", "c"])
        #expect(first.actions.map(\.id) == ["a"])
        #expect(!first.isCancelled)
        #expect(context.result(of: "b") == nil)
        #expect(context.currentActionID == nil)

        let results = Dictionary(uniqueKeysWithValues: first.actions.map { ($0.id, $0.result) })
        let resumption = PipelineResumption(eligible: first.eligible, results: results)
        let second = await orchestrator.run(context: context, resuming: resumption)
        #expect(second.actions.map(\.id) == ["a", "b", "c"])
        #expect(second.results == [.completed, .completed, .completed])
        #expect(executed.values == ["a", "b", "c"])
        #expect(asked.values.count == 3, "conditions are asked once")
    }

    @Test("is told what ended, and nothing of the action at which it left")
    func transitions() async {
        let context = PipelineContext()
        context.attach(Leaving(at: "b"))
        let told = Record<String>()
        _ = await pipeline().run(context: context) { transition in
            switch transition {
            case .eligible: told.add("eligible")
            case .started(let id): told.add("started \(id)")
            case .finished(let report): told.add("finished \(report.id)")
            }
        }
        #expect(told.values == ["eligible", "started a", "finished a", "started b"])
    }
}

/// Leaves the run once, where it is told to.
private final class Leaving: PipelineHost {
    private let place: Mutex<ActionID?>
    let hearsTransitions = true

    init(at place: ActionID) { self.place = Mutex(place) }

    func standsBefore(_ action: any PipelineAction) -> Bool { true }

    func execute(_ action: any PipelineAction, in context: PipelineContext) async -> ActionResult? {
        let leaves = place.withLock { place in
            guard place == action.id else { return false }
            place = nil
            return true
        }
        return leaves ? nil : await action.execute(context: context)
    }
}
