import BenchActions
import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// A server that answers each RUN twice, as a worker does, and decides nothing: what is left of RUN when everything is taken
/// away that the worker exists for.
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
        let context = PipelineContext(["user": "ada", "limit": 20, "tags": ["swift", "messaging"]])
        _ = await orchestrator.run(context: context)
    }
}

extension Reactor {
    /// Opens a ROUTER that answers every message at once and, where a task is to be in between, once more when it has ended.
    fileprivate func answerTwice(_ kind: BareRun, _ keys: CurveKeys?) throws -> Endpoint {
        let router = try open(Router.self)
        let orchestrator = PipelineOrchestrator()
        orchestrator.register(BenchActions.feed())
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

/// What serves without a worker, on a reactor like a worker's.
enum BareServer {
    /// Serves what `open` opens for as long as `body` takes.
    static func serve<Value>(
        _ body: (_ endpoint: String) async throws -> Value,
        open: @Sendable (isolated Reactor) throws -> Endpoint
    ) async throws -> Value {
        var options = ReactorOptions()
        // As long as the worker's.
        options.busyPolling = .microseconds(30)
        let reactor = try Reactor(label: "bare", options: options)
        let endpoint = try await open(reactor)
        let value = try await body(endpoint.text)
        await reactor.shutDown()
        return value
    }
}

/// Begins tasks on Swift's pool with the least there is to it: one that is scheduled begins all that wait, each of them at
/// once on its thread.
private final class TaskBatches: Sendable {
    private let waiting = Mutex<[@Sendable () async -> Void]>([])

    func begin(_ work: @escaping @Sendable () async -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(work)
            return waiting.count == 1
        }
        guard isFirst else { return }
        Task {
            let batch = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for work in batch { Self.begin(work) }
        }
    }

    private static func begin(_ work: @escaping @Sendable () async -> Void) {
        if #available(macOS 26, *) { _ = Task.immediate(operation: work) } else { Task(operation: work) }
    }
}
