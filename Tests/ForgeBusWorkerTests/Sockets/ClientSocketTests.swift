import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Testing
import ZeroMQ

@Suite("A client")
struct ClientSocketTests {
    private let turnstile = Turnstile()
    private var slow: HostedPipeline {
        HostedPipeline(
            "slow",
            pipeline(
                Stage("work") { [turnstile] _ in
                    await turnstile.pass()
                    return .completed
                }
            )
        )
    }

    @Test("that is closed ends whoever waits, and says that the outcome is unknown")
    func closed() async throws {
        try await serving(pipelines: [slow]) { serving in
            let client = try await serving.client()
            async let outcome = code { _ = try await client.run("slow") }
            await turnstile.reach(1)
            await client.close()
            #expect(try await outcome == .closed)
            #expect(try await code { _ = try await client.ping() } == .closed)
            turnstile.open()
        }
    }

    @Test("that is closed while requests are sent leaves none of them waiting", .timeLimit(.minutes(10)))
    func closing() async throws {
        try await serving { serving in
            for _ in 0..<50 {
                let client = try await BusClient(serving.endpoint, logger: .silent)
                await withTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask { while (try? await client.ping()) != nil {} }
                    }
                    await client.close()
                }
            }
        }
    }

    @Test("whose patience ends with nobody there says that the outcome is unknown")
    func patience() async throws {
        let directory = try TemporaryDirectory()
        let client = try await BusClient(
            try Endpoint("ipc://\(directory.path)/nobody"),
            patience: .milliseconds(1),
            logger: .silent
        )
        let error = try #require(try await failure { _ = try await client.ping() })
        #expect(error.code == .timeout)
        #expect(error.message.contains("unknown"))
        #expect(error.isRetryable)
        await client.close()
    }

    @Test("whose task is cancelled, even before it asks, does not wait")
    func cancelled() async throws {
        try await serving(pipelines: [slow]) { serving in
            let client = try await serving.client()
            let waiting = Task { try await code { _ = try await client.run("slow") } }
            await turnstile.reach(1)
            waiting.cancel()
            #expect(try await waiting.value == .closed)
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await code { _ = try await client.run("slow") }
            }
            #expect(try await before.value == .closed)
            turnstile.open()
        }
    }

    @Test("refuses a second call under an id that waits, and the first goes on waiting when the second is cancelled")
    func twice() async throws {
        try await serving(pipelines: [slow]) { serving in
            let client = try await serving.client()
            let id = try RequestID("same")
            async let first = client.run("slow", id: id)
            await turnstile.reach(1)
            let second = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await code { _ = try await client.run("slow", id: id) }
            }
            #expect(try await second.value == .badID)
            turnstile.open()
            #expect(try await first.state == .completed)
        }
    }

    @Test("tells the acceptance once, however often it is said")
    func acceptedAgain() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint("ipc://\(directory.path)/bus")
        let reactor = try Reactor(label: "fake")
        try await reactor.answer(at: endpoint) { id in
            let accepted = Answer.Content.accepted(.run("run-1", durability: .memory, retention: .seconds(60)))
            let progress = RunProgress(run: "run-1", sequence: 1, change: .started(action: "work"))
            return [
                Answer(to: id, accepted),
                Answer(to: id, accepted, isReplayed: true),
                Answer(to: .random(), .pong(Pong(worker: "stray", state: .ready))),
                Answer(to: nil, .error(BusError(.notForge, "It was not you.", next: "Go on."))),
                Answer(to: id, .progress(progress)),
                Answer(to: id, .result(RunResult(run: "run-1", state: .completed, actions: []))),
            ]
        }
        let client = try await BusClient(endpoint, logger: .silent)
        let events = Record<RunEvent>()
        #expect(try await client.run("p") { events.add($0) }.run == "run-1")
        #expect(events.count == 2)
        await client.close()
        await reactor.shutDown()
    }

    @Test("calls an answer of the wrong kind a bad answer")
    func badAnswer() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint("ipc://\(directory.path)/bus")
        let reactor = try Reactor(label: "fake")
        try await reactor.answer(at: endpoint) { id in [Answer(to: id, .page(Page(items: [])))] }
        let client = try await BusClient(endpoint, logger: .silent)
        #expect(try await code { _ = try await client.ping() } == .badAnswer)
        await client.close()
        await reactor.shutDown()
    }
}

extension Reactor {
    /// Answers every request at `endpoint` with what `answers` makes of its id.
    fileprivate func answer(at endpoint: Endpoint, _ answers: @escaping @Sendable (RequestID) -> [Answer]) throws {
        let router = try open(Router.self)
        receive(router) { reactor, peer, message in
            guard let id = try? RequestID(bytes: message[1]) else { return }
            for answer in answers(id) {
                var buffer = FrameBuffer()
                answer.encode(into: &buffer)
                let frames = (0..<Frames.count).map { Array(buffer.bytes[buffer.range(ofFrame: $0)]) }
                reactor.send(Message(frames), on: router, to: peer)
            }
        }
        try bind(router, to: LocalEndpoint(endpoint))
    }
}
