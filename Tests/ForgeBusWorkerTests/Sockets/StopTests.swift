import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import ServiceLifecycle
import TestSupport
import Testing
import ZeroMQ

@Suite("A worker that is shutting down", .scorecard(20))
struct StopTests {
    private let turnstile = Turnstile()

    /// A run that goes on when the test says so.
    private var slow: HostedPipeline {
        HostedPipeline(
            "slow",
            pipeline(
                Stage("work") { [turnstile] _ in
                    await turnstile.pass()
                    return .completed
                }
            ),
            slots: 1
        )
    }

    @Test("finishes what it has, sends new requests back, and ends well", .timeLimit(.minutes(30)))
    func draining() async throws {
        try await serving(
            pipelines: [slow],
            store: MemoryStore(),
            configure: { $0.drainTime = .seconds(120) }
        ) { serving in
            let client = try await serving.client(retriesRefusals: false)
            async let first = client.run("slow", id: try RequestID("first"))
            await turnstile.reach(1)
            let queued = try await client.submit("slow", id: try RequestID("second"))
            serving.cancel()
            try await serving.draining()
            #expect(try await code { _ = try await client.run("slow") } == .draining)
            #expect(try await client.complete("x").verdict == .buffered(for: WireLimits.defaultKeep))
            let events = Record<RunEvent>()
            async let second = client.run("slow", id: try RequestID("second")) { events.add($0) }
            await events.reach(1)
            turnstile.open()
            #expect(try await first.state == .completed)
            #expect(try await second.run == queued.run)
            try await serving.end().get()
        }
    }

    @Test("by a graceful shutdown of its service group finishes the run that is under way", .timeLimit(.minutes(30)))
    func serviceGroup() async throws {
        let worker = try BusWorker(
            WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")]),
            pipelines: [slow],
            logger: .silent
        )
        let group = ServiceGroup(configuration: .init(services: [.init(service: worker)], logger: .silent))
        let running = Task { try await group.run() }
        let client = BusClient(try await worker.endpoints[0], logger: .silent)
        while try await client.ping().state == .starting {}
        async let result = client.run("slow")
        await turnstile.reach(1)
        await group.triggerGracefulShutdown()
        while try await client.ping().state != .draining {}
        turnstile.open()
        #expect(try await result.state == .completed)
        try await running.value
        await client.close()
    }

    @Test("while its start-up waits for what never comes ends all the same", .timeLimit(.minutes(30)))
    func starting() async throws {
        let startup = SequenceOrchestrator()
        startup.register(Step("wait") { [turnstile] in await turnstile.pass() })
        let worker = try BusWorker(
            WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")]),
            startup: startup,
            logger: .silent
        )
        let group = ServiceGroup(configuration: .init(services: [.init(service: worker)], logger: .silent))
        let running = Task { try await group.run() }
        await turnstile.reach(1)
        await group.triggerGracefulShutdown()
        try await running.value
        turnstile.open()
    }

    @Test("tells senders that their runs are lost when its drain time is over", .timeLimit(.minutes(30)))
    func lost() async throws {
        let started = Record<Int>()
        let served = HostedPipeline(
            "slow",
            pipeline(
                Stage("work") { [turnstile] _ in
                    started.add(1)
                    await turnstile.pass()
                    return .completed
                }
            ),
            slots: 1
        )
        let drainTime = Duration.milliseconds(20)
        try await serving(pipelines: [served], store: MemoryStore(), configure: { $0.drainTime = drainTime }) {
            serving in
            let client = try await serving.client()
            async let running = client.run("slow")
            await turnstile.reach(1)
            async let queued = client.run("slow")
            while try await client.list(.runs).items.count < 2 {}
            serving.cancel()
            #expect(try await running.state == .lost)
            #expect(try await queued.state == .lost)
            try await serving.end().get()
            #expect(started.count == 1, "what had not begun does not begin any more")
            turnstile.open()
        }
    }

    @Test("closes the gates that wait, so that nothing hangs on a worker that is gone", .timeLimit(.minutes(30)))
    func waiters() async throws {
        try await serving { serving in
            let client = try await serving.client()
            async let decision = serving.worker.gate("ops.go", owner: "ops")
            while try await client.list(.signals).items.isEmpty {}
            serving.cancel()
            guard case .closed = try await decision else { throw Missing("closed") }
            try await serving.end().get()
            await #expect(throws: WorkerError.self) {
                try await serving.worker.announce(CompletionSignal(), under: "x")
            }
        }
    }

    @Test("tells who asked for a cycle that is under way how it ended", .timeLimit(.minutes(30)))
    func cycles() async throws {
        let starts = Record<Int>()
        let check = Check("check") { [turnstile] in
            starts.add(1)
            if starts.count == 2 { await turnstile.pass() }
            return .completed
        }
        let watched = HostedMonitor("m", monitor(check), topics: ["t"], minimumGap: .zero)
        try await serving(monitors: [watched], configure: { $0.drainTime = .seconds(120) }) { serving in
            await starts.reach(1)
            let client = try await serving.client()
            async let evaluation = client.notifyAndWait("t")
            await turnstile.reach(1)
            serving.cancel()
            try await serving.draining()
            turnstile.open()
            #expect(try await evaluation.monitors.map(\.state) == [.ran])
            try await serving.end().get()
        }
    }

    @Test("frees its endpoint for the worker that takes its place", .timeLimit(.minutes(30)))
    func restart() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint("ipc://\(directory.path)/bus")
        let client = BusClient(endpoint, patience: .seconds(300), logger: .silent)
        for name in ["first", "second"] {
            let worker = try BusWorker(WorkerConfiguration(name: name, endpoints: [endpoint]), logger: .silent)
            let task = Task { try await worker.run() }
            // A ping that the one before took with it is sent again by the client itself.
            while try await client.ping().worker != name {}
            task.cancel()
            try await task.value
        }
        await client.close()
    }
}
