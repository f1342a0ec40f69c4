import ForgeBusClient
import ForgeBusWorker
import ForgeOrchestrator
import Foundation
import Logging
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("The demonstration", .timeLimit(.minutes(30)))
struct DemonstrationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func file() throws -> WorkerFile {
        var overrides = WorkerSettings()
        overrides.listen = ["tcp://127.0.0.1:*"]
        overrides.drain = .seconds(1)
        return try WorkerFile(
            yaml: WorkerFile.demonstration,
            name: "demonstration",
            directory: directory.path,
            environment: ["PATH": "/usr/bin:/bin"],
            overrides: overrides
        )
    }

    @Test("fills the shelf, one thing with each check, until it is full")
    func stock() async throws {
        let monitor = try file().monitors[0].orchestrator
        var ran: [Int] = []
        for _ in 1...7 {
            guard case .ran(let cycle) = try await monitor.nextCycle() else { return }
            #expect(!cycle.isFailed)
            ran.append(cycle.actions.count)
        }
        #expect(ran == [1, 1, 1, 1, 1, 0, 0])
        #expect(try directory.text("shelf") == String(repeating: "apple\n", count: 5))
    }

    @Test(
        "greets whatever the name is",
        arguments: ["Ada", "", "Ann \"the \\ one\"", "Zoë\n\t!", "\",\"name\":\"x", "&/\\1"]
    )
    func greet(_ name: String) async throws {
        let context = PipelineContext(["name": name])
        let greet = try #require(try file().pipelines.first { $0.name == "greet" })
        #expect(await greet.orchestrator.run(context: context).results == [.completed])
        #expect(context.get("greeting") == "Hello, \(name)!")
    }

    /// Serves the demonstration and asks it.
    func serve(_ body: @Sendable (BusClient) async throws -> Void) async throws {
        let worker = try file().worker(logger: .silent)
        let serving = Task { try await worker.run() }
        let client = try BusClient(#require(try await worker.endpoints.first))
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(client)) } catch { outcome = .failure(error) }
        await client.close()
        serving.cancel()
        try await serving.value
        try outcome.get()
    }

    @Test("says over a socket what a notification led to")
    func notify() async throws {
        try await serve { client in
            let evaluation = try await client.notifyAndWait("stock.apples")
            #expect(evaluation.monitors.map(\.monitor) == ["stock"])
            #expect(evaluation.monitors[0].actions.map(\.action) == ["restock"])
            #expect(evaluation.monitors[0].actions.map(\.result) == [.completed])
        }
        #expect(directory.has("shelf"))
    }

    @Test("rolls out over a socket what was approved, and says so")
    func approved() async throws {
        try await serve { client in
            let result = try await client.run("deploy", seeds: ["version": "42"]) { event in
                guard case .progress(let progress) = event, case .waiting(_, let signal) = progress.change else {
                    return
                }
                Task { try await client.complete(signal, value: "fine") }
            }
            #expect(result.state == .completed)
            #expect(result.outputs == ["deployed": "42"])
        }
        #expect(try directory.text("deployed-42").contains(#""version":"42""#))
    }

    @Test("never starts over a socket what was rejected: the file is absent, the result skipped, the run failed")
    func rejected() async throws {
        try await serve { client in
            try await client.reject("deploy.42.approve", reason: "too early", keeping: .seconds(3600))
            let result = try await client.run("deploy", seeds: ["version": "42"])
            #expect(result.state == .failed)
            #expect(result.actions.map(\.action) == ["build", "approve", "rollout"])
            #expect(result.actions.map(\.result) == [.completed, .failed("rejected: too early"), .skipped])
            #expect(result.outputs == [:])
        }
        #expect(directory.has("built.json"))
        #expect(!directory.has("deployed-42"))
    }

    @Test("refuses a version from which somebody could make another gate's id")
    func badVersion() async throws {
        try await serve { client in
            for version in ["1..2", "../x", ""] {
                let error = await #expect(throws: (any Error).self) {
                    try await client.run("deploy", seeds: ["version": .string(version)])
                }
                #expect("\(error.map { "\($0)" } ?? "")".contains("bad_seed"))
            }
        }
        #expect(!directory.has("built.json"))
    }
}
