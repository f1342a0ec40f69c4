public import ForgeOrchestrator
import Synchronization

/// Actions whose condition holds and whose work is next to nothing: what remains is the cost of the orchestrator.
///
/// They live in a module of their own and their bodies are never inlined, so that the compiler cannot see through the
/// calls of whoever runs them. A body touches one atomic: an empty one would let the compiler drop the change of
/// executor that every action with a body pays for.
public enum BenchActions {
    /// How many actions have executed in this process.
    public static var executed: Int { executions.load(ordering: .relaxed) }

    /// As many sequence actions, over all four priorities.
    public static func sequence(_ count: Int = 10) -> [any SequenceAction] {
        (0..<count).map { BenchSequenceAction(identity: Identity($0)) }
    }

    /// As many pipeline actions, over all four priorities; each reads one value and writes one.
    public static func pipeline(_ count: Int = 10) -> [any PipelineAction] {
        (0..<count).map { BenchPipelineAction(identity: Identity($0)) }
    }

    /// As many monitor actions, over all four priorities.
    public static func monitor(_ count: Int = 10) -> [any MonitorAction] {
        (0..<count).map { BenchMonitorAction(identity: Identity($0)) }
    }
}

private let isOpen = Atomic(true)
private let executions = Atomic(0)

/// A number, and the id made of it once: actions have stored ids.
private struct Identity: Sendable {
    let id: ActionID
    let priority: ActionPriority

    init(_ number: Int) {
        id = ActionID("action-\(number)")
        priority = ActionPriority.allCases[number % ActionPriority.allCases.count]
    }
}

/// What all three kinds have in common.
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
