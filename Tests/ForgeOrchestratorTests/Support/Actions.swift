import ForgeOrchestrator

/// A sequence action made of closures.
struct Step: SequenceAction {
    var id: ActionID
    var priority = ActionPriority.medium
    var condition: @Sendable () async -> Bool = { true }
    var body: @Sendable () async -> Void = {}

    func shouldRun() async -> Bool { await condition() }
    func execute() async { await body() }
}

/// A sequence action made of closures that may fail.
struct FallibleStep: SequenceAction, FallibleAction {
    var id: ActionID
    var priority = ActionPriority.medium
    var body: @Sendable () async throws -> ActionResult

    func shouldRun() async -> Bool { true }
    func run() async throws -> ActionResult { try await body() }
}

/// A pipeline action made of closures.
struct Stage: PipelineAction {
    var id: ActionID
    var priority = ActionPriority.medium
    var requires: Set<ActionID> = []
    var condition: @Sendable () async -> Bool = { true }
    var body: @Sendable (PipelineContext) async -> ActionResult = { _ in .completed }

    func shouldRun() async -> Bool { await condition() }
    func execute(context: PipelineContext) async -> ActionResult { await body(context) }
}

/// A monitor action made of closures.
struct Watch: MonitorAction, FallibleAction {
    var id: ActionID
    var priority = ActionPriority.medium
    var condition: @Sendable () async -> Bool = { true }
    var body: @Sendable () async -> ActionResult = { .completed }

    func shouldRun() async -> Bool { await condition() }
    func run() async -> ActionResult { await body() }
}
