import Dispatch
import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("A client of several endpoints", .timeLimit(.minutes(30)))
struct SeveralEndpointsTests {
    /// A client of both places, which takes no silence for a reason to send again.
    private func client(_ first: Place, _ second: Place, _ body: (BusClient) async throws -> Void) async throws {
        try await withBusClient(
            first.endpoint,
            orAt: [second.endpoint],
            patience: .seconds(300),
            resendsAfter: nil,
            logger: .silent,
            body
        )
    }

    private static let taking: ScriptedWorker.Script = { _, _ in [.taken] }

    @Test("goes to the next when one is not there, and tells whom it reached")
    func absent() async throws {
        let (first, second) = (try Place(), try Place())
        let worker = try await ScriptedWorker(at: second.endpoint, store: "a", Self.taking)
        try await client(first, second) { client async throws in
            try await client.notify("t")
            var states = client.connection.makeAsyncIterator()
            guard case .connected(let reached) = await states.next() else { throw Missing("connected") }
            #expect(reached.endpoint == second.endpoint && reached.welcome?.store == "a")
        }
        await worker.die()
    }

    @Test("sends a request again, under its id, to the worker that has the store at the next endpoint")
    func sameStore() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a") { _, _ in [.begun()] }
        let other = try await ScriptedWorker(at: second.endpoint, store: "a") { _, _ in [.begun(), .completed()] }
        try await client(first, second) { client async throws in
            async let result = client.run("p")
            let request = await one.requests.reach(1)[0]
            await one.die()
            #expect(try await result.state == .completed)
            #expect(other.requests.values.map(\.id) == [request.id])
        }
        await other.die()
    }

    @Test("never sends an id that one store may have to another, and says so; what is new goes there")
    func otherStore() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a")
        let other = try await ScriptedWorker(at: second.endpoint, store: "b", Self.taking)
        try await client(first, second) { client async throws in
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await client.run("p") }, { _ = try await client.start("p") },
                { try await client.notify("t") }, { try await client.complete("s") },
                { _ = try await client.attach("run-1") },
            ]
            let waiting = calls.map { call in Task { try await code { try await call() } } }
            await one.requests.reach(5)
            await one.die()
            for task in waiting { #expect(try await task.value == .otherStore) }
            try await client.notify("t")
            #expect(other.requests.count == 1)
            #expect(!one.requests.values.map(\.id).contains(other.requests.values[0].id))
        }
        await other.die()
    }

    @Test("remembers which store may have an id that is asked for once more, and never sends it to another")
    func remembered() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a")
        let other = try await ScriptedWorker(at: second.endpoint, store: "b") { _, _ in [.begun(), .completed()] }
        try await client(first, second) { client async throws in
            let id = try RequestID("mine")
            let waiting = Task {
                await #expect(throws: BusError.self) { try await client.run("p", id: id) }
            }
            await one.requests.reach(1)
            waiting.cancel()
            let error = await waiting.value
            #expect(error?.code == .cancelled)
            #expect(error?.details == ["request": "mine", "store": "a"])
            await one.die()
            #expect(try await code { _ = try await client.run("p", id: id) } == .otherStore)
            #expect(try await client.run("p").state == .completed)
            // Now that the other one is reached already.
            #expect(try await code { _ = try await client.run("p", id: id) } == .otherStore)
            #expect(other.requests.count == 1)
        }
        await other.die()
    }

    @Test("asks another store what only asks, and goes on watching there")
    func reads() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a") { _, request in
            if case .watch = request.command { [.event(1)] } else { [] }
        }
        let other = try await ScriptedWorker(at: second.endpoint, store: "b") { _, request in
            if case .watch = request.command { [.event(1)] } else { [.shown(["run": "run-1"])] }
        }
        try await client(first, second) { client async throws in
            var events = try await client.events(matching: ">").makeAsyncIterator()
            #expect(try await events.next()?.sequence == 1)
            async let item = client.show(.run, "run-1")
            await one.requests.reach(2)
            await one.die()
            #expect(try await item["run"] == "run-1")
            #expect(try await events.next()?.lost == 1)
        }
        await other.die()
    }

    @Test("sends to another store what the first one refused each time")
    func refused() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a") { _, _ in
            [.refused(.draining, after: .seconds(3))]
        }
        let other = try await ScriptedWorker(at: second.endpoint, store: "b", Self.taking)
        try await client(first, second) { client async throws in
            async let acceptance = client.notify("t")
            await one.requests.reach(1)
            // The refusal was heard before this answer.
            _ = try await client.ping()
            await one.die()
            #expect(try await acceptance.monitors == 1)
            // The first may have been asked more than once before it died.
            #expect(other.requests.values.map(\.id) == one.requests.values.prefix(1).map(\.id))
        }
        await other.die()
    }

    @Test("hears what had come before its connection ended, however much that was")
    func arrived() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint, store: "a") { number, _ in
            number > 6 ? [.begun()] : []
        }
        let other = try await ScriptedWorker(at: second.endpoint, store: "b")
        let large = JSONValue.string(String(repeating: "x", count: 600_000))
        try await client(first, second) { client async throws in
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await client.run("p").outputs["large"] } }
                let requests = await one.requests.reach(6)
                // The client's thread is held up, so that everything has come before it hears the first word.
                let held = DispatchSemaphore(value: 0)
                let last = Task { try await client.run("p") { _ in held.wait() } }
                let id = await one.requests.reach(7)[6].id
                let end = Answer.Content.result(
                    RunResult(run: "run-1", state: .completed, actions: [], outputs: ["large": large])
                )
                for request in requests { one.answer(request.id, .begun(), end) }
                // libzmq may lose the last message of a peer that closes; nobody asks for this one.
                one.answer(id, end)
                await one.die()
                held.signal()
                _ = await last.result
                for try await output in group { #expect(output == large) }
            }
        }
        await other.die()
    }

    @Test("takes a worker that does not say which store it has for another one each time")
    func silentAboutStore() async throws {
        let (first, second) = (try Place(), try Place())
        let one = try await ScriptedWorker(at: first.endpoint) { _, request in
            request.command == .hello ? [.welcome(outstanding: nil)] : []
        }
        try await client(first, second) { client async throws in
            let waiting = Task { try await code { _ = try await client.run("p") } }
            await one.requests.reach(2)
            await one.die()
            let again = try await ScriptedWorker(at: first.endpoint) { _, request in
                request.command == .hello ? [.welcome(outstanding: nil)] : [.taken]
            }
            #expect(try await waiting.value == .otherStore)
            try await client.notify("t")
            await again.die()
        }
    }

    @Test("leaves one that answers nothing, be it from the start")
    func dumb() async throws {
        let (first, second) = (try Place(), try Place())
        let dumb = try await ScriptedWorker(at: first.endpoint, answersPings: false)
        let worker = try await ScriptedWorker(at: second.endpoint, store: "a", Self.taking)
        try await client(first, second) { client async throws in try await client.notify("t") }
        await dumb.die()
        await worker.die()
    }

    @Test("leaves one that falls silent, and takes with it what waits there")
    func silent() async throws {
        let (first, second) = (try Place(), try Place())
        let silent = try await ScriptedWorker(at: first.endpoint, answersPings: false, store: "a")
        let worker = try await ScriptedWorker(at: second.endpoint, store: "a") { _, _ in [.begun(), .completed()] }
        try await client(first, second) { client async throws in
            // It is pinged after two seconds of silence, and left after four.
            #expect(try await client.run("p").state == .completed)
        }
        #expect(silent.requests.count == 1)
        await silent.die()
        await worker.die()
    }

    @Test("leaves one that falls silent also when nothing but its events is read")
    func silentWatch() async throws {
        let (first, second) = (try Place(), try Place())
        let silent = try await ScriptedWorker(at: first.endpoint, answersPings: false, store: "a")
        let worker = try await ScriptedWorker(at: second.endpoint, store: "a") { _, _ in [.event(1)] }
        try await client(first, second) { client async throws in
            let feed = Feed<BusEvent>(capacity: 4)
            let watch = WatchCall(
                id: .random(),
                pattern: ">",
                source: nil,
                principal: nil,
                watch: Watch(capacity: 4),
                feed: feed
            )
            let loop = try client.link.loop(for: watch.id)
            loop.submit { reactor, loop in loop.begin(watch, reactor) }
            #expect(try await feed.next()?.lost == 1)
        }
        #expect(silent.requests.count == 1)
        await silent.die()
        await worker.die()
    }

    @Test("comes back to the first when the second is lost")
    func back() async throws {
        let (first, second) = (try Place(), try Place())
        var workers = [try await ScriptedWorker(at: first.endpoint, store: "a", Self.taking)]
        try await client(first, second) { client async throws in
            try await client.notify("t")
            for place in [second, first, second] {
                let next = try await ScriptedWorker(at: place.endpoint, store: "a", Self.taking)
                await workers.removeLast().die()
                try await client.notify("t")
                #expect(next.requests.count == 1)
                workers.append(next)
            }
        }
        await workers[0].die()
    }
}
