import ForgeBusWorker
import ForgeOrchestrator

/// A sequence action made of a closure.
struct Step: SequenceAction {
    let id: ActionID
    let priority = ActionPriority.medium
    let body: @Sendable () async -> Void

    init(_ id: ActionID, _ body: @escaping @Sendable () async -> Void) {
        self.id = id
        self.body = body
    }

    func shouldRun() async -> Bool { true }
    func execute() async { await body() }
}

/// A pipeline action made of a closure.
struct Stage: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let body: @Sendable (PipelineContext) async -> ActionResult

    init(
        _ id: ActionID,
        priority: ActionPriority = .medium,
        requires: Set<ActionID> = [],
        _ body: @escaping @Sendable (PipelineContext) async -> ActionResult = { _ in .completed }
    ) {
        self.id = id
        self.priority = priority
        self.requires = requires
        self.body = body
    }

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { await body(context) }
}

/// A monitor action made of a closure.
struct Check: MonitorAction, FallibleAction {
    let id: ActionID
    let priority: ActionPriority
    let body: @Sendable () async -> ActionResult

    init(
        _ id: ActionID,
        priority: ActionPriority = .medium,
        _ body: @escaping @Sendable () async -> ActionResult
    ) {
        self.id = id
        self.priority = priority
        self.body = body
    }

    func shouldRun() async -> Bool { true }
    func run() async -> ActionResult { await body() }
}

/// A pipeline of these actions, in this order.
func pipeline(_ actions: any PipelineAction...) -> PipelineOrchestrator {
    let orchestrator = PipelineOrchestrator()
    for action in actions { orchestrator.register(action) }
    return orchestrator
}

/// A monitor of one action.
func monitor(_ action: some MonitorAction) -> MonitorOrchestrator {
    let orchestrator = MonitorOrchestrator()
    orchestrator.register(action)
    return orchestrator
}
