public import ForgeOrchestrator
import Synchronization

/// Actions whose conditions are true and whose work is almost nothing, so that only the orchestrator's cost remains.
///
/// The actions are in their own module and are never inlined, so that the compiler cannot optimise across their calls.
/// Each body changes one atomic value, and a pipeline's action also reads and writes the context. With an empty body,
/// the compiler could remove the change of executor that every real action needs.
public enum BenchActions {
    /// How many actions have executed in this process.
    public static var executed: Int { executions.load(ordering: .relaxed) }

    /// Makes `count` sequence actions, spread over all four priorities.
    public static func sequence(_ count: Int = 10) -> [any SequenceAction] {
        (0..<count).map { BenchSequenceAction(identity: Identity($0)) }
    }

    /// Makes `count` pipeline actions, spread over all four priorities; each reads and writes one value of the context.
    public static func pipeline(_ count: Int = 10) -> [any PipelineAction] {
        (0..<count).map { BenchPipelineAction(identity: Identity($0)) }
    }

    /// Makes `count` monitor actions, spread over all four priorities.
    public static func monitor(_ count: Int = 10) -> [any MonitorAction] {
        (0..<count).map { BenchMonitorAction(identity: Identity($0)) }
    }
}

private let isOpen = Atomic(true)
private let executions = Atomic(0)

/// The id and priority of an action.
///
/// The id is stored, so reading the id costs as little as in a real action.
private struct Identity: Sendable {
    let id: ActionID
    let priority: ActionPriority

    init(_ number: Int) {
        id = ActionID("action-\(number)")
        priority = ActionPriority.allCases[number % ActionPriority.allCases.count]
    }
}

/// The requirements that all three kinds of actions share.
private protocol BenchAction: OrchestratedAction {
    var identity: Identity { get }
}

extension BenchAction {
    var id: ActionID { identity.id }
    var priority: ActionPriority { identity.priority }

    @inline(never) func shouldRun() async -> Bool {
        isOpen.load(ordering: .relaxed)
    }
}

private struct BenchSequenceAction: SequenceAction, BenchAction {
    let identity: Identity

    @inline(never) func execute() async {
        executions.wrappingAdd(1, ordering: .relaxed)
    }
}

private struct BenchPipelineAction: PipelineAction, BenchAction {
    let identity: Identity

    @inline(never) func execute(context: PipelineContext) async -> ActionResult {
        let value: Int = context.get("value") ?? 0
        context.set("value", value + 1)
        executions.wrappingAdd(1, ordering: .relaxed)
        return .completed
    }
}

private struct BenchMonitorAction: MonitorAction, BenchAction {
    let identity: Identity

    @inline(never) func execute() async {
        executions.wrappingAdd(1, ordering: .relaxed)
    }
}
