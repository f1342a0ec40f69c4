import ForgeOrchestrator
import ZeroMQ

/// A server that answers each RUN twice, as a worker does, but decides nothing.
///
/// It shows the cost of RUN without the work of a worker.
enum BareRun: CaseIterable {
    /// The thread that receives the message sends both answers.
    case answers
    /// The second answer follows when an empty task on Swift's pool has ended.
    case task
    /// The second answer follows when a task has run the pipeline; the seeds are ready, so nothing is decoded.
    case pipeline

    var name: String {
        switch self {
        case .answers: "RUN, upper limit: answers only"
        case .task: "RUN, upper limit: answers and a task"
        case .pipeline: "RUN, upper limit: answers and pipeline"
        }
    }

    /// Serves until `body` returns.
    func serve<Value>(_ keys: CurveKeys?, _ body: (_ endpoint: String) async throws -> Value) async throws -> Value {
        try await BareServer.serve(body) { reactor in try reactor.answerTwice(self, keys) }
    }

    /// The work between the two answers: runs the pipeline for `pipeline`, and does nothing for the other cases.
    fileprivate func execute(_ orchestrator: PipelineOrchestrator) async {
        guard self == .pipeline else { return }
        _ = await orchestrator.run(context: PipelineContext(BareServer.seeds))
    }
}

extension Reactor {
    /// Opens a ROUTER that sends every message back twice: immediately, and again after the work of `kind`.
    fileprivate func answerTwice(_ kind: BareRun, _ keys: CurveKeys?) throws -> Endpoint {
        let router = try open(Router.self, options: .keepingAll)
        let orchestrator = BareServer.feed()
        let tasks = TaskBatches()
        receive(router) { [self] message in
            guard keys.allow(message) else { return }
            reply(message, to: message, on: router)
            guard kind != .answers else { return _ = reply(message, to: message, on: router) }
            tasks.begin { [self] in
                await kind.execute(orchestrator)
                submit { reactor in reactor.reply(message, to: message, on: router) }
            }
        }
        return try listen(router, keys)
    }
}
