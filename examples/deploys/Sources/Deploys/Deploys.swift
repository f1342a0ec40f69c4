// A package of its own that embeds a worker: a deployment that waits for a person, three days at most.
public import ForgeBusWorker
import ForgeOrchestrator
import ZeroMQ

/// Rolls a version out after somebody has approved it.
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

/// Makes the pipeline `deploy`, which waits at most three days for an approval and then rolls the version out.
///
/// - Parameter clock: The clock for the times in reports; a test passes its own.
/// - Returns: The pipeline, for a worker to host.
public func deployment(clock: any Clock<Duration> = ContinuousClock()) -> HostedPipeline {
    let deploy = PipelineOrchestrator(clock: clock)
    deploy.register([
        GateAction("approve", signal: "deploy.{seed.version}.approve", deadline: .seconds(3 * 86_400)),
        RollOut(),
    ])
    return HostedPipeline("deploy", deploy, seeds: [.required("version", .string)], outputs: ["deployed"])
}

/// Makes a worker that serves the pipeline to clients on this machine.
///
/// - Throws: `WorkerError` or `ZeroMQError` if the worker's configuration is invalid.
public func makeWorker() throws -> BusWorker {
    try BusWorker(
        WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:7717")]),
        pipelines: [deployment()]
    )
}
