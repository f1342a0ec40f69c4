import ForgeBusClient
import ForgeBusProtocol
import Testing

@Suite("A client keeps no more than it was allowed", .timeLimit(.minutes(30)))
struct OutboxTests {
    @Test("of requests: one more is busy at once, and there is room again when one has ended")
    func requests() async throws {
        try await scripted(limits: ClientLimits(requests: 2)) { worker, client async throws in
            async let first = client.notify("t.1")
            async let second = client.notify("t.2")
            let requests = await worker.requests.reach(2)
            let error = await #expect(throws: BusError.self) { try await client.notify("t.3") }
            #expect(error?.code == .busy)
            #expect(error?.details["limit"] == "outbox")
            #expect(worker.requests.count == 2)
            for request in requests { worker.answer(request.id, .taken) }
            _ = try await (first, second)
            async let third = client.notify("t.4")
            worker.answer(await worker.requests.reach(3)[2].id, .taken)
            _ = try await third
        }
    }

    @Test("of bytes, also while nobody is there")
    func bytes() async throws {
        try await client(of: Place(), limits: ClientLimits(bytes: 10_000)) { client async throws in
            let waiting = Task {
                try await code { try await client.notify("t", body: .string(String(repeating: "x", count: 9_000))) }
            }
            while await client.outstanding == 0 { await Task.yield() }
            let body = JSONValue.string(String(repeating: "x", count: 2_000))
            #expect(try await code { try await client.notify("t", body: body) } == .busy)
            waiting.cancel()
            #expect(try await waiting.value == .cancelled)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("and sends no frame that would cost it the connection")
    func tooLarge() async throws {
        try await scripted { _, _ in
            [.taken]
        } _: { worker, client async throws in
            let body = JSONValue.string(String(repeating: "x", count: 1 << 20))
            #expect(try await code { try await client.notify("t", body: body) } == .tooLarge)
            try await client.notify("t")
            #expect(worker.requests.count == 1)
        }
    }

    @Test("for tasks that were cancelled, whatever they waited for")
    func cancelled() async throws {
        try await scripted { _, request in
            if case .run(let run) = request.command, run.pipeline == "begun" { [.begun()] } else { [] }
        } _: { worker, client async throws in
            let tasks = [
                Task { try await code { _ = try await client.run("begun") } },
                Task { try await code { _ = try await client.run("p") } },
                Task { try await code { _ = try await client.start("p") } },
                Task { try await code { _ = try await client.attach("run-1") } },
                Task { try await code { _ = try await client.notifyAndWait("t") } },
                Task { try await code { _ = try await client.start("begun").result } },
            ]
            await worker.requests.reach(6)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(try await task.value == .cancelled) }
            while await client.outstanding > 0 { try Task.checkCancellation() }
        }
    }
}
