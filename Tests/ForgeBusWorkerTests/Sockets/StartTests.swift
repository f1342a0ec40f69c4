import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@Suite("A worker that starts")
struct StartTests {
    private func error(of worker: BusWorker) async throws -> WorkerError {
        do {
            try await worker.run()
        } catch let error as WorkerError {
            return error
        }
        throw Missing("an error")
    }

    private func worker(at endpoint: Endpoint) throws -> BusWorker {
        try BusWorker(WorkerConfiguration(endpoints: [endpoint]), logger: .silent)
    }

    @Test("where another listens says which endpoint is in use, also to whoever waits for it to be bound")
    func endpointInUse() async throws {
        try await serving { serving in
            let second = try worker(at: serving.endpoint)
            async let endpoints = second.endpoints
            let error = try await error(of: second)
            #expect(error.code == .endpoint)
            #expect(error.message.contains(serving.endpoint.text))
            #expect(!error.next.isEmpty)
            do {
                _ = try await endpoints
                Issue.record("it has endpoints")
            } catch let told as WorkerError {
                #expect(told == error)
            }
            // The first one goes on serving.
            _ = try await serving.client().ping()
        }
    }

    @Test("runs once")
    func twice() async throws {
        try await serving { serving in
            #expect(try await error(of: serving.worker).code == .usage)
            _ = try await serving.client().ping()
        }
    }

    @Test("listens at each of its endpoints")
    func endpoints() async throws {
        let directory = try TemporaryDirectory()
        let local = try Endpoint("ipc://\(directory.path)/bus")
        try await serving(configure: { $0.endpoints.append(local) }) { serving in
            #expect(try await serving.worker.endpoints.count == 2)
            let client = BusClient(local, logger: .silent)
            let pong = try await client.ping()
            #expect(pong.worker == "test")
            await client.close()
        }
    }

    @Test("takes requests once its start-up sequence is through, and decisions from the first moment")
    func startup() async throws {
        let go = CompletionSignal()
        let startup = SequenceOrchestrator()
        startup.register(Step("wait") { await go.wait() })
        let served = HostedPipeline("p", pipeline(Stage("work")))
        let watched = HostedMonitor("m", MonitorOrchestrator(), topics: [">"])
        try await serving(pipelines: [served], monitors: [watched], startup: startup, awaitingReady: false) { serving in
            try await serving.worker.announce(go, under: "go")
            let client = try await serving.client(retriesRefusals: false)
            #expect(try await client.ping().state == .starting)
            #expect(try await code { _ = try await client.run("p") } == .notReady)
            #expect(try await code { _ = try await client.notify("t") } == .notReady)
            #expect(try await client.complete("go").verdict == .delivered)
            try await serving.ready()
            #expect(try await client.run("p").state == .completed)
            #expect(try await client.notify("t").monitors == 1)
        }
    }

    @Test("evaluates each monitor once, though nobody notifies it")
    func evaluation() async throws {
        let cycles = Record<Int>()
        let check = Check("check") {
            cycles.add(1)
            return .completed
        }
        try await serving(monitors: [HostedMonitor("m", monitor(check), topics: ["t"])]) { _ in
            _ = await cycles.reach(1)
        }
    }

    @Test("finds the requests that were sent before it was there")
    func lateWorker() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint("ipc://\(directory.path)/bus")
        let client = BusClient(endpoint, patience: .seconds(600), logger: .silent)
        async let answer = client.complete("early", value: 1)
        let worker = try worker(at: endpoint)
        let task = Task { try await worker.run() }
        #expect(try await answer.verdict == .buffered(for: WireLimits.defaultKeep))
        await client.close()
        task.cancel()
        try await task.value
    }
}
