import Foundation
import Synchronization
import Testing

/// A worker in a process of its own, with an endpoint, a directory and a store of its own.
struct WorkerProcess: Sendable {
    /// Where it listens.
    let endpoint: String
    /// Where its commands run, and where its socket and its store are.
    let directory: Scratch
    let process: RunningProcess
    private let signal = OneSignal()

    /// Serves `yaml` to `body`, then stops the worker with SIGTERM if `body` has not done it.
    ///
    /// - Parameters:
    ///   - yaml: The worker's file.
    ///   - listen: Where it listens, if not in its directory.
    ///   - arguments: What else it is started with.
    ///   - environment: What is changed in its environment.
    ///   - prepare: Makes what it needs in its directory, and says what else it is started with for that.
    ///   - body: What happens while it serves.
    /// - Returns: How the worker ended.
    /// - Throws: What `body` throws.
    static func serve(
        _ yaml: String = TestWorker.yaml,
        listen: String? = nil,
        arguments: [String] = [],
        environment: [String: String?] = [:],
        preparing prepare: (Scratch) async throws -> [String] = { _ in [] },
        body: @Sendable (WorkerProcess) async throws -> Void
    ) async throws -> Forgebus.Outcome {
        let directory = try Scratch()
        defer { directory.remove() }
        return try await serve(
            yaml,
            in: directory,
            listen: listen,
            arguments: arguments + (try await prepare(directory)),
            environment: environment,
            body: body
        )
    }

    /// Serves `yaml` in a directory that is there, whose store an earlier worker may have left.
    static func serve(
        _ yaml: String = TestWorker.yaml,
        in directory: Scratch,
        listen: String? = nil,
        arguments: [String] = [],
        environment: [String: String?] = [:],
        body: @Sendable (WorkerProcess) async throws -> Void
    ) async throws -> Forgebus.Outcome {
        let file = try directory.write(yaml, to: "worker.yaml")
        let wanted = listen ?? "ipc://\(directory.path)/worker.ipc"
        let start = ["worker", "--config", file, "--listen", wanted] + arguments
        let environment = directory.stateHome.merging(environment) { $1 }
        return try await Forgebus.start(start, environment: environment) { process in
            let listening = try await process.errors.first(containing: "listening")
            try await process.errors.first(containing: "ready")
            let endpoint = try #require(listening.firstMatch(of: /endpoints=(\S+)/)?.1)
            let worker = WorkerProcess(endpoint: String(endpoint), directory: directory, process: process)
            try await body(worker)
            worker.stop(SIGTERM)
        }.outcome
    }

    /// Asks the worker, from a process of its own.
    func asked(_ arguments: String...) async throws -> Forgebus.Outcome {
        try await Forgebus.run(arguments, environment: ["FORGEBUS_ENDPOINT": endpoint])
    }

    /// Asks the worker for what it refuses, and takes its first word for it.
    func askedImpatiently(_ arguments: String...) async throws -> Forgebus.Outcome {
        try await Forgebus.impatient(arguments, environment: ["FORGEBUS_ENDPOINT": endpoint])
    }

    /// Asks the worker, with `body` beside it.
    func asked(
        _ arguments: [String],
        body: @Sendable (RunningProcess) async throws -> Void
    ) async throws -> Forgebus.Outcome {
        try await Forgebus.start(arguments, environment: ["FORGEBUS_ENDPOINT": endpoint], body: body).outcome
    }

    /// Tells the worker to stop; only the first call does, because a second signal may mean something else.
    func stop(_ number: Int32) {
        if signal.isFirst() { process.send(number) }
    }
}

/// Remembers whether a signal was sent.
private final class OneSignal: Sendable {
    private let isSent = Mutex(false)

    func isFirst() -> Bool {
        isSent.withLock { isSent in
            defer { isSent = true }
            return !isSent
        }
    }
}
