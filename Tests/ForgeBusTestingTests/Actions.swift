import ForgeBusTesting
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import TestSupport

/// An action that a closure executes.
struct Step: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let body: @Sendable (PipelineContext) async -> ActionResult

    init(
        _ id: ActionID,
        priority: ActionPriority = .medium,
        requires: Set<ActionID> = [],
        _ body: @escaping @Sendable (PipelineContext) async -> ActionResult
    ) {
        (self.id, self.priority, self.requires, self.body) = (id, priority, requires, body)
    }

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { await body(context) }
}

/// A monitor's action that a closure executes.
struct Check: MonitorAction {
    let id: ActionID = "check"
    let priority: ActionPriority = .medium
    let body: @Sendable () async -> Void

    func shouldRun() async -> Bool { true }
    func execute() async { await body() }
}

let day = Duration.seconds(86_400)

/// A deployment that waits up to three days for an approval; what it does is written to `record`.
func deploying(
    _ clock: TestClock,
    _ record: Record<String> = Record<String>(),
    rule: GateRule = .anybody,
    policies: [ActionID: ActionPolicy] = [:],
    slots: Int = 32
) -> HostedPipeline {
    let deploy = PipelineOrchestrator(clock: clock)
    deploy.register(GateAction("approve", signal: "deploy.{seed.version}.approve", deadline: day * 3, rule: rule))
    deploy.register(
        Step("roll-out", requires: ["approve"]) { context in
            record.add("roll-out \(context.actionToken ?? "without a token")")
            context.set("deployed", context.get("version") ?? "nothing")
            return .completed
        }
    )
    return HostedPipeline(
        "deploy",
        deploy,
        seeds: [.required("version", .string)],
        outputs: ["deployed"],
        slots: slots,
        policies: policies
    )
}
