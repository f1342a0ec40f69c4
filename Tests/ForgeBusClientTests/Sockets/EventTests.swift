import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("What happens, as a client watches it", .timeLimit(.minutes(30)))
struct EventTests {
    private func credits(_ worker: ScriptedWorker) -> [Int] {
        worker.requests.values.compactMap { if case .watch(let watch) = $0.command { watch.credit } else { nil } }
    }

    private func isEnded(_ worker: ScriptedWorker) async {
        while worker.requests.values.last?.command != .unwatch { await Task.yield() }
    }

    @Test("comes as fast as it is read: credit is given anew whenever half of the room is free")
    func credit() async throws {
        try await scripted { worker, client async throws in
            let events = try await client.events(matching: "run.>", buffering: 4)
            let id = await worker.requests.reach(1)[0].id
            #expect(credits(worker) == [4])
            worker.answer(id, .event(1), .event(4, lost: 2), .event(5), .event(6))
            var iterator = events.makeAsyncIterator()
            #expect(try await iterator.next()?.sequence == 1)
            let second = try await iterator.next()
            #expect(second?.sequence == 4)
            #expect(second?.lost == 2)
            #expect(second?.subject == .run("run-1", of: "p"))
            await worker.requests.reach(2)
            #expect(credits(worker) == [4, 2])
            #expect(Set(worker.requests.values.map(\.id)) == [id])
            #expect(try await iterator.next()?.sequence == 5)
            #expect(try await iterator.next()?.sequence == 6)
            worker.answer(id, .event(7))
            #expect(try await iterator.next()?.sequence == 7)
        }
    }

    @Test("goes on after the credit has ended, with one event said to be lost")
    func creditEnded() async throws {
        try await scripted { worker, client async throws in
            let events = try await client.events(matching: "run.>", buffering: 2)
            let id = await worker.requests.reach(1)[0].id
            worker.answer(id, .event(1), .event(2), .ok(StateReport(.creditEnded)))
            var iterator = events.makeAsyncIterator()
            _ = try await iterator.next()
            _ = try await iterator.next()
            await worker.requests.reach(2)
            worker.answer(id, .event(1))
            let event = try await iterator.next()
            #expect(event?.sequence == 4)
            #expect(event?.lost == 1)
        }
    }

    @Test("goes on after the connection was lost, with one event said to be lost")
    func reconnected() async throws {
        let place = try Place()
        let first = try await ScriptedWorker(at: place.endpoint)
        try await client(of: place) { client async throws in
            let events = try await client.events(matching: "run.>", buffering: 4)
            let id = await first.requests.reach(1)[0].id
            first.answer(id, .event(1))
            var iterator = events.makeAsyncIterator()
            #expect(try await iterator.next()?.sequence == 1)
            await first.die()
            let second = try await ScriptedWorker(at: place.endpoint) { _, _ in [.event(1)] }
            let event = try await iterator.next()
            #expect(event?.sequence == 3)
            #expect(event?.lost == 1)
            #expect(credits(second) == [4])
            await second.die()
        }
    }

    @Test("is asked for again when the worker has no room for a watch now")
    func busy() async throws {
        try await scripted { number, _ in
            number < 3 ? [.refused(.busy)] : [.event(1)]
        } _: { worker, client async throws in
            var iterator = try await client.events(matching: "run.>").makeAsyncIterator()
            let event = try await iterator.next()
            #expect(event?.sequence == 2)
            #expect(event?.lost == 1, "What happened meanwhile is lost, and not kept secret.")
        }
    }

    @Test("ends with an error when the worker has no room for it for longer than the client's patience")
    func crowded() async throws {
        try await scripted { _, _ in
            [.refused(.busy, after: .seconds(3_600))]
        } _: { _, client async throws in
            let refusal = try await code {
                var iterator = try await client.events(matching: "run.>").makeAsyncIterator()
                _ = try await iterator.next()
            }
            #expect(refusal == .busy)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("is refused at once to who may not know")
    func forbidden() async throws {
        try await scripted { _, _ in
            [.refused(.forbidden)]
        } _: { _, client async throws in
            let refusal = try await code { _ = try await client.events(matching: ">") }
            #expect(refusal == .forbidden)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("is no longer told when nobody reads it, or its reader is cancelled")
    func unwatched() async throws {
        try await scripted { worker, client async throws in
            var events: BusEvents? = try await client.events(matching: "run.>")
            #expect(await client.outstanding == 1)
            _ = events
            events = nil
            await isEnded(worker)
            #expect(await client.outstanding == 0)
            let reader = Task {
                for try await _ in try await client.events(matching: "signal.>") {}
            }
            await worker.requests.reach(3)
            reader.cancel()
            _ = await reader.result
            await isEnded(worker)
            #expect(await client.outstanding == 0)
        }
    }

    @Test("ends with the client")
    func closed() async throws {
        try await scripted { _, client async throws in
            let events = try await client.events(matching: ">")
            await client.close()
            let error = await #expect(throws: BusError.self) { for try await _ in events {} }
            // A watch changes nothing, so no outcome is unknown.
            let id = try RequestID(#require(error?.details["request"]?.string))
            #expect(error?.message == Errors.closedWatch(id).message)
        }
    }
}
