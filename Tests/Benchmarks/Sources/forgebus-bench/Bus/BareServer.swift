import BenchActions
import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// A server without a worker, on a reactor that polls before it sleeps, like the reactor of a worker.
enum BareServer {
    /// The seeds of a run, in the form that they have after the request is decoded.
    static let seeds: [String: any Sendable] = ["user": "ada", "limit": 20, "tags": ["swift", "messaging"]]

    /// Makes the pipeline that the server runs for each request.
    static func feed() -> PipelineOrchestrator {
        let orchestrator = PipelineOrchestrator()
        orchestrator.register(BenchActions.feed())
        return orchestrator
    }

    /// Opens a socket with `open`, and serves the socket until `body` returns.
    static func serve<Value>(
        _ body: (_ endpoint: String) async throws -> Value,
        open: @Sendable (isolated Reactor) throws -> Endpoint
    ) async throws -> Value {
        var options = ReactorOptions()
        // The same time as in a worker.
        options.busyPolling = .microseconds(30)
        let reactor = try Reactor(label: "bare", options: options)
        do {
            let endpoint = try await open(reactor)
            let value = try await body(endpoint.text)
            await reactor.shutDown()
            return value
        } catch {
            await reactor.shutDown()
            throw error
        }
    }
}

/// Begins tasks on Swift's pool at the lowest possible cost.
///
/// One scheduled task begins all waiting tasks, one after another, on the thread on which the scheduled task runs.
final class TaskBatches: Sendable {
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
