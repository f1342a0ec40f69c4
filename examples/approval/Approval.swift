import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import ZeroMQ

/// A pipeline waits for the decision of a person, which comes from another process.
///
/// The worker builds, waits at the gate, and rolls out only if somebody approves. The sender of a decision gets its
/// exact outcome, also if somebody else decided first.
@main
struct Approval {
    static func main() async throws {
        let pipeline = PipelineOrchestrator()
        pipeline.register(Build())
        pipeline.register(GateAction("approve", signal: "deploy.{seed.version}.approve", priority: .high))
        pipeline.register(RollOut())

        let worker = try BusWorker(
            WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:*")]),
            pipelines: [
                HostedPipeline("deploy", pipeline, seeds: [.required("version", .string)], outputs: ["url"])
            ]
        )
        let serving = Task { try await worker.run() }
        let endpoint = try await worker.endpoints[0]

        try await deploy("41", at: endpoint) { chat, gate in
            print("ada:  \(try await chat.complete(gate, value: ["by": "ada"]).verdict.word)")
            print("bob:  \(try await chat.reject(gate, reason: "not on a Friday").verdict.word)")
        }
        try await deploy("42", at: endpoint) { chat, gate in
            print("bob:  \(try await chat.reject(gate, reason: "not on a Friday").verdict.word)")
        }

        serving.cancel()
        try await serving.value
    }

    /// Requests a deployment, and lets `decide` decide over a separate connection as soon as the gate waits.
    static func deploy(
        _ version: String,
        at endpoint: Endpoint,
        decide: @escaping @Sendable (BusClient, SignalID) async throws -> Void
    ) async throws {
        let requester = BusClient(endpoint, source: "ci")
        let chat = BusClient(endpoint, source: "chat")
        let (gates, announcement) = AsyncStream.makeStream(of: SignalID.self)
        async let decided: Void = {
            for await gate in gates {
                print("\(gate) waits")
                try await decide(chat, gate)
                return
            }
        }()
        let result = try await requester.run("deploy", seeds: ["version": .string(version)]) { event in
            if case .progress(let progress) = event, case .waiting(_, let gate) = progress.change {
                announcement.yield(gate)
            }
        }
        announcement.finish()
        try await decided
        for action in result.actions { print("      \(action.action): \(action.result.word)") }
        print("deploy \(version): \(result.state.rawValue) \(JSONValue.object(result.outputs))")
        await requester.close()
        await chat.close()
    }
}

struct Build: PipelineAction {
    let id: ActionID = "build"
    let priority: ActionPriority = .critical

    func shouldRun() async -> Bool { true }

    /// Reads `version`, writes `image`.
    func execute(context: PipelineContext) async -> ActionResult {
        guard let version: String = context.get("version") else { return .skipped }
        context.set("image", "shop:\(version)")
        return .completed
    }
}

struct RollOut: PipelineAction {
    let id: ActionID = "roll-out"
    let priority: ActionPriority = .medium
    /// Without an approval this is never executed, so that no other outcome counts as a yes.
    let requires: Set<ActionID> = ["approve"]

    func shouldRun() async -> Bool { true }

    /// Reads `image`, writes `url`.
    func execute(context: PipelineContext) async -> ActionResult {
        guard let image: String = context.get("image") else { return .skipped }
        context.set("url", "https://shop.example/\(image)")
        return .completed
    }
}
