// A package of its own that embeds a worker: a deployment that waits for a person, three days at most.
public import ForgeBusWorker
import ForgeOrchestrator
import ZeroMQ

/// Rolls a version out, once somebody has approved it.
struct RollOut: PipelineAction {
    let id: ActionID = "roll-out"
    let priority: ActionPriority = .low
    let requires: Set<ActionID> = ["approve"]  // without the approval it is never executed

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        guard let version: String = context.get("version") else { return .skipped }
        context.set("deployed", version)
        return .completed
    }
}

/// The pipeline `deploy`.
///
/// - Parameter clock: What measures the times in reports; a test gives its own.
/// - Returns: It, for a worker to host.
public func deployment(clock: any Clock<Duration> = ContinuousClock()) -> HostedPipeline {
    let deploy = PipelineOrchestrator(clock: clock)
    deploy.register([
        GateAction("approve", signal: "deploy.{seed.version}.approve", deadline: .seconds(3 * 86_400)),
        RollOut(),
    ])
    return HostedPipeline("deploy", deploy, seeds: [.required("version", .string)], outputs: ["deployed"])
}

/// A worker that serves it to this machine.
///
/// - Throws: `WorkerError` or `ZeroMQError` for what cannot be served.
public func makeWorker() throws -> BusWorker {
    try BusWorker(
        WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:7717")]),
        pipelines: [deployment()]
    )
}
