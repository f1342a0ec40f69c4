import ForgeBusProtocol
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("A client", .timeLimit(.minutes(30)))
struct ClientSocketTests {
    /// Takes a run, and does not end it.
    private static let slow: ScriptedWorker.Script = { _, _ in [.begun()] }

    @Test("that is closed ends whoever waits, and says that the outcome is unknown", .scorecard(8))
    func closed() async throws {
        try await scripted(Self.slow) { worker, client async throws in
            async let outcome = code { _ = try await client.run("slow") }
            await worker.requests.reach(1)
            await client.close()
            #expect(try await outcome == .closed)
            #expect(try await code { _ = try await client.ping() } == .closed)
        }
    }

    @Test("that is closed while requests are sent leaves none of them waiting")
    func closing() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint)
        for _ in 0..<50 {
            try await client(of: place) { client async throws in
                await withTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask { while (try? await client.ping()) != nil {} }
                    }
                    await client.close()
                }
            }
        }
        await worker.die()
    }

    @Test("whose patience ends with nobody there says that the request was not sent", .scorecard(8))
    func patience() async throws {
        try await client(of: Place(), patience: .milliseconds(1)) { client async throws in
            let error = try #require(await #expect(throws: BusError.self) { try await client.ping() })
            #expect(error.code == .unreachable)
            #expect(error.isRetryable)
        }
    }

    @Test("whose task is cancelled, even before it asks, does not wait, and says so with a code of its own")
    func cancelled() async throws {
        try await scripted(Self.slow) { worker, client async throws in
            let waiting = Task { try await code { _ = try await client.run("slow") } }
            await worker.requests.reach(1)
            waiting.cancel()
            #expect(try await waiting.value == .cancelled)
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await code { _ = try await client.run("slow") }
            }
            #expect(try await before.value == .cancelled)
            // Or a loop that goes on while an error is retryable would spin in the cancelled task.
            #expect(!ErrorCode.cancelled.isRetryable)
        }
    }

    @Test("that only reads leaves nobody in doubt about an outcome when it is cancelled; one that starts a run does")
    func doubt() async throws {
        try await scripted { worker, client async throws in
            for (number, changes) in [false, true].enumerated() {
                let ask = { () async throws in
                    if changes { _ = try await client.run("slow") } else { _ = try await client.show(.run, "run-1") }
                }
                let waiting = Task { await #expect(throws: BusError.self) { try await ask() } }
                await worker.requests.reach(number + 1)
                waiting.cancel()
                let error = try #require(await waiting.value)
                #expect(error.code == .cancelled)
                let id = try RequestID(#require(error.details["request"]?.string))
                let expected = changes ? Errors.cancelled(id) : Errors.cancelledNoEffect(id)
                #expect(error.message == expected.message && error.next == expected.next)
            }
        }
    }

    @Test("refuses a second call under an id that waits, and the first goes on waiting when the second is cancelled")
    func twice() async throws {
        try await scripted(Self.slow) { worker, client async throws in
            let id = try RequestID("same")
            async let first = client.run("slow", id: id)
            await worker.requests.reach(1)
            let second = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await code { _ = try await client.run("slow", id: id) }
            }
            #expect(try await second.value == .badID)
            worker.answer(id, .completed())
            #expect(try await first.state == .completed)
        }
    }

    @Test("tells the acceptance once, however often it is said")
    func acceptedAgain() async throws {
        let place = try Place()
        let reactor = try Reactor(label: "fake")
        try await reactor.answer(at: place.endpoint) { id in
            [
                Answer(to: id, .begun()),
                Answer(to: id, .begun(), isReplayed: true),
                Answer(to: .random(), .pong(Pong(worker: "stray", state: .ready))),
                Answer(to: nil, .error(BusError(.notForge, "It was not you.", next: "Go on."))),
                Answer(to: id, .change(1)),
                Answer(to: id, .completed()),
            ]
        }
        try await client(of: place) { client async throws in
            let events = Record<RunEvent>()
            #expect(try await client.run("p") { events.add($0) }.run == "run-1")
            #expect(events.count == 2)
        }
        await reactor.shutDown()
    }

    @Test("calls an answer of the wrong kind a bad answer")
    func badAnswer() async throws {
        let place = try Place()
        let reactor = try Reactor(label: "fake")
        try await reactor.answer(at: place.endpoint) { id in [Answer(to: id, .page(Page(items: [])))] }
        try await client(of: place) { client async throws in
            #expect(try await code { _ = try await client.ping() } == .badAnswer)
        }
        await reactor.shutDown()
    }
}

extension Reactor {
    /// Answers every request at `endpoint` with what `answers` makes of its id.
    fileprivate func answer(at endpoint: Endpoint, _ answers: @escaping @Sendable (RequestID) -> [Answer]) throws {
        let router = try open(Router.self)
        receive(router) { [self] message in
            guard let id = try? RequestID(bytes: message[1]) else { return }
            for answer in answers(id) {
                reply(Message(answer.frames.all.map { Array($0) }), to: message, on: router)
            }
        }
        try bind(router, to: LocalEndpoint(endpoint))
    }
}
