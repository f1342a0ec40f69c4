import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A worker and a client over a socket")
struct MainPathTests {
    /// Adds one to its seed.
    private static let adder = HostedPipeline(
        "add",
        pipeline(
            Stage("add", priority: .high) { context in
                guard let number: Int = context.get("n") else { return .failed("no n") }
                context.set("sum", number + 1)
                return .completed
            },
            Stage("skip", priority: .medium) { _ in .skipped },
            Stage("fail", priority: .low) { context in
                (context.get("fails") as Bool?) == true ? .failed("asked to") : .completed
            }
        ),
        seeds: [.required("n", .integer), .optional("fails", .boolean, default: false)],
        outputs: ["sum", "absent"]
    )

    @Test("run a pipeline with seeds, and tell each action's result and the declared outputs")
    func run() async throws {
        try await serving(pipelines: [Self.adder]) { serving in
            let result = try await serving.client().run("add", seeds: ["n": 41])
            #expect(result.state == .completed)
            #expect(result.actions.map(\.action) == ["add", "skip", "fail"])
            #expect(result.actions.map(\.result) == [.completed, .skipped, .completed])
            #expect(result.outputs == ["sum": 42])
        }
    }

    @Test("tell acceptance and progress in order")
    func progress() async throws {
        try await serving(pipelines: [Self.adder], store: MemoryStore()) { serving in
            let events = Record<RunEvent>()
            let result = try await serving.client().run("add", seeds: ["n": 1]) { events.add($0) }
            guard case .accepted(let acceptance) = events.values.first else { throw Missing("the acceptance") }
            #expect(acceptance.run == result.run)
            #expect(acceptance.durability == .memory)
            let changes = events.values.compactMap { event in
                if case .progress(let progress) = event { progress } else { nil }
            }
            #expect(changes.map(\.sequence) == [1, 2, 3, 4, 5, 6])
            #expect(changes.first?.change == .started(action: "add"))
            #expect(changes.last?.change == .finished(action: "fail", .completed))
        }
    }

    @Test("say that a run failed as a result, not as an error")
    func failing() async throws {
        try await serving(pipelines: [Self.adder]) { serving in
            let result = try await serving.client().run("add", seeds: ["n": 1, "fails": true])
            #expect(result.state == .failed)
            #expect(result.reason == "fail: asked to")
            #expect(result.outputs == ["sum": 2])
        }
    }

    @Test("tell of outputs that no frame takes that they are too large, to whoever asks for the result later, too")
    func largeOutputs() async throws {
        let echo = HostedPipeline("echo", pipeline(), seeds: [.required("blob", .string)], outputs: ["blob"])
        try await serving(pipelines: [echo]) { serving in
            let client = try await serving.client()
            let seeds: JSONObject = ["blob": .string(String(repeating: "\"", count: 500_000))]
            let results = [
                try await client.run("echo", seeds: seeds, id: try RequestID("large")),
                try await client.run("echo", seeds: seeds, id: try RequestID("large")),
            ]
            for result in results {
                #expect(result.state == .failed)
                #expect(result.outputs.isEmpty)
                #expect(result.reason.contains("`blob`") && result.reason.contains("1000002"))
            }
        }
    }

    @Test("begin a run without waiting, and fetch its result later under the same id")
    func detached() async throws {
        let turnstile = Turnstile()
        let runs = Record<Int>()
        let slow = HostedPipeline(
            "slow",
            pipeline(
                Stage("work") { _ in
                    runs.add(1)
                    await turnstile.pass()
                    return .completed
                }
            )
        )
        try await serving(pipelines: [slow]) { serving in
            let first = try await serving.client()
            let id = try RequestID("order-42")
            let acceptance = try await first.submit("slow", id: id)
            await first.close()
            let second = try await serving.client()
            async let result = second.run("slow", id: id)
            turnstile.open()
            #expect(try await result.run == acceptance.run)
            #expect(try await second.run("slow", id: id).run == acceptance.run, "the stored answer")
            #expect(runs.count == 1)
        }
    }

    @Test("notify monitors, with and without waiting for the cycles")
    func notify() async throws {
        let watch = monitor(Check("check") { .completed })
        let failing = monitor(Check("check") { .failed("no disk") })
        let monitors = [
            HostedMonitor("watch", watch, topics: ["a.>"], minimumGap: .zero),
            HostedMonitor("failing", failing, topics: ["a.b"], minimumGap: .zero),
        ]
        try await serving(monitors: monitors) { serving in
            let client = try await serving.client()
            #expect(try await client.notify("a.x").monitors == 1)
            #expect(try await client.notify("c").monitors == 0)
            let evaluation = try await client.notifyAndWait("a.b")
            let parts = evaluation.monitors.sorted { $0.monitor < $1.monitor }
            #expect(parts.map(\.monitor) == ["failing", "watch"])
            #expect(parts.map(\.state) == [.failed, .ran])
            #expect(parts[0].actions.map(\.result) == [.failed("no disk")])
            #expect(evaluation.pending.isEmpty)
        }
    }

    @Test("list what the worker holds, and answer a ping with its body")
    func listing() async throws {
        try await serving(pipelines: [Self.adder]) { serving in
            let client = try await serving.client()
            _ = try await client.run("add", seeds: ["n": 1])
            #expect(try await client.list(.pipelines).items.map { $0["pipeline"]?.string } == ["add"])
            #expect(try await client.list(.runs).items.map { $0["state"]?.string } == ["completed"])
            #expect(try await client.list(.signals).items.isEmpty)
            #expect(try await client.list(.monitors).items.isEmpty)
            let pong = try await client.ping()
            #expect(pong.worker == "test")
            #expect(pong.state == .ready)
        }
    }
}

@Suite("Sixty-four requests outstanding on a connection")
struct ManyRequestsTests {
    @Test("get each its own answer, with its own context", arguments: [1, 2])
    func echoes(connections: Int) async throws {
        let total = 64 * connections
        let turnstile = Turnstile()
        let echo = HostedPipeline(
            "echo",
            pipeline(
                Stage("read") { context in
                    await turnstile.pass()
                    guard let text: String = context.get("text") else { return .failed("no text") }
                    context.set("echo", text)
                    return .completed
                }
            ),
            seeds: [.required("text", .string)],
            outputs: ["echo"],
            slots: total
        )
        try await serving(pipelines: [echo]) { serving in
            var clients: [BusClient] = []
            for _ in 0..<connections { clients.append(try await serving.client()) }
            try await withThrowingTaskGroup { [clients] group in
                for number in 0..<total {
                    group.addTask {
                        let text = JSONValue.string("request \(number)")
                        let result = try await clients[number % connections].run("echo", seeds: ["text": text])
                        return result.outputs["echo"] == text
                    }
                }
                // None has been answered before all have begun: they were outstanding together.
                await turnstile.reach(total)
                turnstile.open()
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }
}
