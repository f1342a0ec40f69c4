import ForgeBusClient
import ForgeBusProtocol
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("A client sends a request again", .timeLimit(.minutes(30)))
struct ResendTests {
    @Test("that was refused for now, under its id and byte for byte, and not before the moment that was named")
    func refused() async throws {
        let pause = Duration.milliseconds(150)
        let codes: [ErrorCode] = [.notReady, .busy, .draining]
        try await scripted { number, _ in
            number <= 3 ? [.refused(codes[number - 1], after: pause)] : [.begun(), .completed()]
        } _: { worker, client async throws in
            let start = ContinuousClock.now
            #expect(try await client.run("p", seeds: ["user": "ada"]).state == .completed)
            #expect(ContinuousClock.now - start >= pause * 3)
            #expect(worker.requests.count == 4)
            #expect(Set(worker.frames.values).count == 1)
        }
    }

    @Test("after a backoff of its own when the worker names no moment")
    func backoff() async throws {
        try await scripted { number, _ in
            number <= 4 ? [.refused(.busy)] : [.taken]
        } _: { worker, client async throws in
            #expect(try await client.notify("t").monitors == 1)
            #expect(worker.requests.count == 5)
        }
    }

    @Test("but not for longer than its patience: then it throws the refusal, for nothing was done")
    func impatient() async throws {
        try await scripted { number, _ in
            // The second time it is asked to wait for longer than it is ready to.
            [.refused(.busy, after: number == 1 ? .milliseconds(50) : .seconds(3_600))]
        } _: { worker, client async throws in
            let refusal = try await code { _ = try await client.run("p") }
            #expect(refusal == .busy)
            #expect(worker.requests.count == 2)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("but not when it was told not to retry what is refused")
    func told() async throws {
        try await scripted(retriesRefusals: false) { _, _ in
            [.refused(.draining)]
        } _: { worker, client async throws in
            let refusal = try await code { _ = try await client.run("p") }
            #expect(refusal == .draining)
            #expect(worker.requests.count == 1)
        }
    }

    @Test("but never one that is wrong", arguments: [ErrorCode.badSeed, .badID, .unknownPipeline, .idConflict])
    func wrong(_ flaw: ErrorCode) async throws {
        try await scripted { _, _ in
            [.refused(flaw, after: .milliseconds(1))]
        } _: { worker, client async throws in
            #expect(try await code { _ = try await client.run("p") } == flaw)
            _ = try await client.ping()
            #expect(worker.requests.count == 1)
        }
    }

    @Test("of which nothing is heard: the worker took the request, and the answer was lost", .scorecard(8))
    func unanswered() async throws {
        try await scripted(resendsAfter: .milliseconds(100)) { number, _ in
            number == 1 ? [] : [.begun(), .completed()]
        } _: { worker, client async throws in
            #expect(try await client.run("p").state == .completed)
            #expect(Set(worker.frames.values).count == 1)
        }
    }

    @Test("when its worker died with it, and came back", .scorecard(8), arguments: [true, false])
    func died(_ wasTaken: Bool) async throws {
        let place = try Place()
        let first = try await ScriptedWorker(at: place.endpoint) { _, _ in wasTaken ? [.begun()] : [] }
        try await client(of: place) { client async throws in
            let events = Record<RunEvent>()
            async let result = client.run("p", seeds: ["user": "ada"], onEvent: events.add)
            await first.requests.reach(1)
            if wasTaken { await events.reach(1) }
            await first.die()
            let second = try await ScriptedWorker(at: place.endpoint) { _, _ in [.begun(), .change(1), .completed()] }
            #expect(try await result.run == "run-1")
            #expect(second.frames.values == first.frames.values)
            #expect(events.values.last == RunEvent(.change(1)))
            await second.die()
        }
    }

    @Test("which waits for a covering cycle, though it was taken, when the connection was lost", .scorecard(8, 9))
    func evaluation() async throws {
        let place = try Place()
        let first = try await ScriptedWorker(at: place.endpoint) { _, _ in [.taken] }
        try await client(of: place) { client async throws in
            async let evaluation = client.notifyAndWait("t")
            await first.requests.reach(1)
            await first.die()
            let second = try await ScriptedWorker(at: place.endpoint) { _, _ in
                [.taken, .evaluated(Evaluation(monitors: []))]
            }
            #expect(try await evaluation.monitors.isEmpty)
            await second.die()
        }
    }

    @Test("in the order in which they were made, once there is somebody, and each once")
    func nobodyThere() async throws {
        let place = try Place()
        try await client(of: place) { client async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask { _ = try await client.notify(Topic("t.\(number)")) }
                    while await client.outstanding <= number { await Task.yield() }
                }
                let worker = try await ScriptedWorker(at: place.endpoint) { _, _ in [.taken] }
                try await group.waitForAll()
                let topics = worker.requests.values.map { request in
                    if case .notify(let change) = request.command { change.topic.text } else { "" }
                }
                #expect(topics == (0..<50).map { "t.\($0)" })
                await worker.die()
            }
        }
    }
}

extension RunEvent {
    /// What an answer tells of a run.
    fileprivate init?(_ content: Answer.Content) {
        guard case .progress(let change) = content else { return nil }
        self = .progress(change)
    }
}
