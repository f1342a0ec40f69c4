import ForgeOrchestrator
import ZeroMQ

/// A server that answers each RUN twice, as a worker does, and decides nothing: the cost of RUN without the work of a
/// worker.
enum BareRun: CaseIterable {
    /// Both answers are sent by the thread that took the message.
    case answers
    /// The second answer is sent when an empty task on Swift's pool has ended.
    case task
    /// The second answer is sent when the task has run the pipeline, on values that it has already.
    case pipeline

    var name: String {
        switch self {
        case .answers: "RUN, nothing decided: two answers"
        case .task: "RUN, nothing decided: and a task"
        case .pipeline: "RUN, nothing decided: of the pipeline"
        }
    }

    /// Serves for as long as `body` takes.
    func serve<Value>(_ keys: CurveKeys?, _ body: (_ endpoint: String) async throws -> Value) async throws -> Value {
        try await BareServer.serve(body) { reactor in try reactor.answerTwice(self, keys) }
    }

    /// What the task does.
    fileprivate func execute(_ orchestrator: PipelineOrchestrator) async {
        guard self == .pipeline else { return }
        _ = await orchestrator.run(context: PipelineContext(BareServer.seeds))
    }
}

extension Reactor {
    /// Opens a ROUTER that answers every message at once and, where a task is to be in between, once more when it has ended.
    fileprivate func answerTwice(_ kind: BareRun, _ keys: CurveKeys?) throws -> Endpoint {
        let router = try open(Router.self)
        let orchestrator = BareServer.feed()
        let tasks = TaskBatches()
        receive(router) { reactor, peer, message in
            guard keys.allow(message) else { return }
            reactor.send(message, on: router, to: peer)
            guard kind != .answers else { return _ = reactor.send(message, on: router, to: peer) }
            tasks.begin {
                await kind.execute(orchestrator)
                reactor.submit { reactor in reactor.send(message, on: router, to: peer) }
            }
        }
        return try listen(router, keys)
    }
}
