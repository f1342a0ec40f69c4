import ForgeOrchestrator
import Observation

/// A sequence of actions in the plain design, for comparison: a simple first version without optimisations.
///
/// It is a main-actor class with the `@Observable` macro. Child tasks check the conditions, and a loop on the main
/// actor sets the properties before and after each action.
@MainActor @Observable
final class PlainSequence {
    private(set) var isProcessing = false
    private(set) var currentActionId: ActionID?
    private(set) var eligibleCount = 0
    private(set) var completedCount = 0
    @ObservationIgnored private let actions: [any SequenceAction]

    init(_ actions: [any SequenceAction]) {
        self.actions = actions
    }

    func evaluate() async -> [ActionID] {
        guard !isProcessing else { return [] }
        isProcessing = true
        defer { isProcessing = false }
        completedCount = 0
        let eligible = await eligibleActions()
        eligibleCount = eligible.count
        var executed: [ActionID] = []
        for action in eligible {
            currentActionId = action.id
            await action.execute()
            completedCount += 1
            executed.append(action.id)
        }
        currentActionId = nil
        return executed
    }

    private func eligibleActions() async -> [any SequenceAction] {
        let passed = await withTaskGroup(of: (Int, Bool).self) { group in
            for (index, action) in actions.enumerated() {
                group.addTask { (index, await action.shouldRun()) }
            }
            var passed: [Int] = []
            for await (index, answer) in group where answer { passed.append(index) }
            return passed
        }
        return passed.sorted().map { actions[$0] }.sorted { $0.priority < $1.priority }
    }
}

/// A pipeline in the plain design of ``PlainSequence``, for comparison.
@MainActor @Observable
final class PlainPipeline {
    private(set) var isProcessing = false
    private(set) var currentActionId: ActionID?
    private(set) var eligibleCount = 0
    private(set) var completedCount = 0
    private(set) var results: [ActionResult] = []
    @ObservationIgnored private let actions: [any PipelineAction]

    init(_ actions: [any PipelineAction]) {
        self.actions = actions
    }

    func evaluate() async -> [ActionResult] {
        guard !isProcessing else { return [] }
        isProcessing = true
        defer { isProcessing = false }
        completedCount = 0
        results = []
        let context = PipelineContext()
        let eligible = await eligibleActions()
        eligibleCount = eligible.count
        for action in eligible {
            currentActionId = action.id
            results.append(await action.execute(context: context))
            completedCount += 1
        }
        currentActionId = nil
        return results
    }

    private func eligibleActions() async -> [any PipelineAction] {
        let passed = await withTaskGroup(of: (Int, Bool).self) { group in
            for (index, action) in actions.enumerated() {
                group.addTask { (index, await action.shouldRun()) }
            }
            var passed: [Int] = []
            for await (index, answer) in group where answer { passed.append(index) }
            return passed
        }
        return passed.sorted().map { actions[$0] }.sorted { $0.priority < $1.priority }
    }
}
