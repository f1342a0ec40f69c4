import ForgeBusProtocol
import Logging
import ServiceLifecycle
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("The life of a client", .timeLimit(.minutes(30)))
struct ClientLifetimeTests {
    @Test("tells each reader its state and every change, until it is closed")
    func states() async throws {
        let place = try Place()
        let client = BusClient(place.endpoint, logger: .silent)
        var first = client.connection.makeAsyncIterator()
        #expect(await first.next() == .connecting(place.endpoint))
        let worker = try await ScriptedWorker(at: place.endpoint)
        let connected = try #require(await first.next())
        guard case .connected(let peer) = connected else { throw Missing("connected in \(connected)") }
        #expect(peer.endpoint == place.endpoint)
        var second = client.connection.makeAsyncIterator()
        #expect(await second.next() == connected)
        await worker.die()
        let lost = try #require(await first.next())
        guard case .lost(place.endpoint, _) = lost else { throw Missing("lost in \(lost)") }
        let again = try await ScriptedWorker(at: place.endpoint)
        #expect(await first.next() == connected)
        await client.close()
        #expect(await first.next() == .closed)
        #expect(await first.next() == nil)
        let rest = await [second.next(), second.next(), second.next(), second.next()]
        #expect(rest == [lost, connected, .closed, nil])
        var late = client.connection.makeAsyncIterator()
        let last = await [late.next(), late.next()]
        #expect(last == [.closed, nil])
        await again.die()
    }

    @Test("has no thread before its first request, and none after its close, whatever came of it")
    func unopened() async throws {
        let client = try BusClient(Endpoint("tcp://127.0.0.1:1"), logger: .silent)
        #expect(await client.outstanding == 0)
        await client.close()
        #expect(try await code { _ = try await client.ping() } == .closed)
        #expect(try await code { _ = try await client.start("p") } == .closed)
        #expect(try await code { _ = try await client.events(matching: ">") } == .closed)
    }

    @Test("closes its connection with the last reference to it or to one of its runs")
    func forgotten() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint) { _, _ in [.begun()] }
        var client: BusClient? = BusClient(place.endpoint, logger: .silent)
        var run: BusRun? = try await client?.start("p")
        weak let reactor = try #require(client?.link.openLoop?.reactor)
        client = nil
        // The run is waited for all the same.
        worker.answer(try #require(run?.request), .completed())
        #expect(try await run?.result.state == .completed)
        run = nil
        while reactor != nil { await Task.yield() }
        await worker.die()
    }

    @Test("is over after its scope, whether that returns or throws")
    func scoped() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint)
        var kept: [BusClient] = []
        let answer = try await withBusClient(place.endpoint, logger: .silent) { client in
            kept.append(client)
            return try await client.ping().worker
        }
        #expect(answer == "s")
        await #expect(throws: Missing.self) {
            try await withBusClient(place.endpoint, logger: .silent) { client in
                kept.append(client)
                throw Missing("what it wanted")
            }
        }
        for client in kept { #expect(try await code { _ = try await client.ping() } == .closed) }
        await worker.die()
    }

    @Test("as a service connects at once, and ends with the program, as do those who wait")
    func service() async throws {
        let place = try Place()
        let worker = try await ScriptedWorker(at: place.endpoint)
        let client = BusClient(place.endpoint, logger: .silent)
        let group = ServiceGroup(services: [client], logger: .silent)
        let serving = Task { try await group.run() }
        var states = client.connection.makeAsyncIterator()
        while let state = await states.next() { if case .connected = state { break } }
        let waiting = Task { try await code { _ = try await client.run("p") } }
        await worker.requests.reach(1)
        await group.triggerGracefulShutdown()
        try await serving.value
        #expect(try await waiting.value == .closed)
        #expect(try await code { _ = try await client.ping() } == .closed)
        await worker.die()
    }

    @Test("as a service ends when it is cancelled, and when somebody closes it")
    func ended() async throws {
        let place = try Place()
        let cancelled = BusClient(place.endpoint, logger: .silent)
        let first = Task { try await cancelled.run() }
        first.cancel()
        try await first.value
        #expect(try await code { _ = try await cancelled.ping() } == .closed)
        let closed = BusClient(place.endpoint, logger: .silent)
        let second = Task { try await closed.run() }
        await closed.close()
        try await second.value
    }

    @Test("says why where no connection can be made at all")
    func unreachable() async throws {
        let client = try BusClient(Endpoint("tcp://127.0.0.1:*"), logger: .silent)
        #expect(try await code { _ = try await client.ping() } == .unreachable)
        #expect(try await code { _ = try await client.start("p") } == .unreachable)
        #expect(try await code { _ = try await client.events(matching: ">") } == .unreachable)
        await client.close()
    }
}
