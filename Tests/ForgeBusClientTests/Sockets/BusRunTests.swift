import ForgeBusClient
import ForgeBusProtocol
import TestSupport
import Testing

@Suite("A run that was started", .timeLimit(.minutes(30)))
struct BusRunTests {
    private func request(_ worker: ScriptedWorker) async -> RequestID { await worker.requests.reach(1)[0].id }

    @Test("is there once it is taken, and tells its progress and its result")
    func told() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            let run = try await client.start("p", seeds: ["user": "ada"])
            #expect(run.id == "run-1")
            #expect(run.acceptance.durability == .memory)
            async let result = run.result
            worker.answer(run.request, .change(1), .change(2), .completed())
            var changes: [Int] = []
            for try await step in run.progress { changes.append(step.sequence) }
            #expect(changes == [1, 2])
            #expect(try await result.state == .completed)
            #expect(try await run.result.state == .completed)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("and taken without a name, or for nobody knows how long, ends as a bad answer, however it was asked for")
    func nameless() async throws {
        let nothing = Acceptance.notification(durability: .memory, monitors: 0)
        var endless = Acceptance.run("run-1", durability: .memory, retention: .zero)
        endless.retention = nil
        for flawed in [nothing, endless] {
            try await scripted { _, _ in
                [.accepted(flawed)]
            } _: { _, client async throws in
                #expect(try await code { _ = try await client.start("p") } == .badAnswer)
                #expect(try await code { _ = try await client.submit("p") } == .badAnswer)
                let events = Record<RunEvent>()
                #expect(try await code { _ = try await client.run("p") { events.add($0) } } == .badAnswer)
                #expect(events.count == 0)
                #expect(await client.outstanding == 0)
            }
        }
    }

    @Test("is known by its name to whoever hears no more of it than that it was taken")
    func submitted() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { _, client async throws in
            let taken = try await client.submit("p")
            #expect(taken.run == "run-1" && taken.durability == .memory && taken.retention == .seconds(60))
        }
    }

    @Test("throws what the worker answered when it is not taken")
    func refused() async throws {
        try await scripted { _, _ in
            [.refused(.unknownPipeline)]
        } _: { _, client async throws in
            let refusal = try await code { _ = try await client.start("p") }
            #expect(refusal == .unknownPipeline)
        }
    }

    @Test("ends its progress with the same error as its result")
    func closed() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { _, client async throws in
            let run = try await client.start("p")
            await client.close()
            #expect(try await code { for try await _ in run.progress {} } == .closed)
            #expect(try await code { _ = try await run.result } == .closed)
        }
    }

    @Test("goes on being waited for by others when one who waits is cancelled")
    func oneOfTwo() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            let run = try await client.start("p")
            let impatient = Task { try await code { _ = try await run.result } }
            let patient = Task { try await run.result.state }
            impatient.cancel()
            #expect(try await impatient.value == .cancelled)
            worker.answer(run.request, .completed())
            #expect(try await patient.value == .completed)
        }
    }

    @Test("ends its progress for a task that is cancelled, and goes on")
    func cancelledReader() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            let run = try await client.start("p")
            let reader = Task {
                for try await _ in run.progress {}
            }
            reader.cancel()
            try await reader.value
            worker.answer(run.request, .completed())
            #expect(try await run.result.state == .completed)
        }
    }

    @Test("is no longer waited for when nobody refers to it")
    func dropped() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { _, client async throws in
            var run: BusRun? = try await client.start("p")
            let progress = run?.progress
            #expect(await client.outstanding == 1)
            run = nil
            #expect(await client.outstanding == 1)
            _ = consume progress
            while await client.outstanding > 0 { try Task.checkCancellation() }
        }
    }

    @Test("keeps the latest thousand changes for a reader that is slow")
    func slow() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            let run = try await client.start("p")
            for number in 1...1_100 { worker.answer(run.request, .change(number)) }
            worker.answer(run.request, .completed())
            _ = try await run.result
            var changes: [Int] = []
            for try await step in run.progress { changes.append(step.sequence) }
            #expect(changes == Array(77...1_100))
        }
    }
}
