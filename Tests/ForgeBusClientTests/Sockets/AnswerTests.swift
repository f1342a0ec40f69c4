import ForgeBusClient
import ForgeBusProtocol
import TestSupport
import Testing

@Suite("A client's answers", .timeLimit(.minutes(30)))
struct AnswerTests {
    @Test("find who asked, in whatever order a thousand of them come on one connection")
    func anyOrder() async throws {
        try await scripted { _, request in
            request.command == .hello ? [.welcome(outstanding: 4096)] : []
        } _: { worker, client async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<1_000 {
                    group.addTask {
                        let id = try RequestID("r-\(number)")
                        let result = try await client.run("p", seeds: ["n": .integer(Int64(number))], id: id)
                        return result.run.text == "run-\(number)"
                    }
                }
                let requests = await worker.requests.reach(1_001).filter { $0.command != .hello }
                #expect(await client.outstanding == 1_000)
                for request in requests.shuffled() {
                    let run = RunID("run-" + request.id.text.dropFirst(2))
                    worker.answer(request.id, .begun(run), .completed(run))
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(await client.outstanding == 0)
        }
    }

    @Test("are told once, however often they are said")
    func duplicates() async throws {
        try await scripted { _, _ in
            [
                .begun(), .change(1), .change(1), .change(3), .change(2), .change(3), .completed(), .completed(),
                .change(4), .begun(),
            ]
        } _: { _, client async throws in
            let events = Record<RunEvent>()
            #expect(try await client.run("p", onEvent: events.add).state == .completed)
            _ = try await client.ping()
            let numbers = events.values.map { if case .progress(let change) = $0 { change.sequence } else { 0 } }
            #expect(numbers == [0, 1, 3])
        }
    }

    @Test("to each command are what it returns")
    func commands() async throws {
        try await scripted { _, request in
            switch request.command {
            case .hello:
                [
                    .welcome(
                        Welcome(worker: "w", state: .ready, durability: .memory, retention: .seconds(60), limits: [:])
                    )
                ]
            case .cancel: [.ok(StateReport(.stopping, run: "run-1"))]
            case .redrive: [.refused(.notParked)]
            case .show: [.shown(["run": "run-1"])]
            case .mode: [.ok(StateReport(.set, details: ["monitors": 2]))]
            case .admin: [.ok(StateReport(.done))]
            case .attach(let attach) where attach.patience == .zero: [.ok(StateReport(.parked, run: "run-1"))]
            case .attach: [.change(7), .completed()]
            default: []
            }
        } _: { worker, client async throws in
            #expect(try await client.hello().worker == "w")
            #expect(try await client.cancel("run-1", reason: "wrong version").state == .stopping)
            #expect(try await code { _ = try await client.redrive("run-1") } == .notParked)
            #expect(try await client.show(.run, "run-1")["run"] == "run-1")
            #expect(try await client.setMode("deployment", of: "stock", for: .seconds(60)).details["monitors"] == 2)
            #expect(try await client.admin("store.verify", ["deep": true]).state == .done)
            #expect(try await client.attach("run-1", waiting: .zero) == .unfinished(.parked))
            let changes = Record<RunProgress>()
            guard case .ended(let result) = try await client.attach("run-1", onProgress: changes.add) else {
                Issue.record("The run has not ended.")
                return
            }
            #expect(result.state == .completed)
            #expect(changes.values.map(\.sequence) == [7])
            let commands = worker.requests.values.map(\.command)
            #expect(commands.contains(.cancel(CancelRequest(run: "run-1", reason: "wrong version"))))
            #expect(commands.contains(.mode(ModeRequest("stock", screen: "deployment", for: .seconds(60)))))
            #expect(commands.contains(.admin(AdminRequest("store.verify", arguments: ["deep": true]))))
        }
    }

    @Test("of the wrong kind are bad ones")
    func wrongKind() async throws {
        try await scripted { _, _ in
            [.page(Page(items: []))]
        } _: { _, client async throws in
            func check(_ ask: () async throws -> Void) async throws {
                #expect(try await code(ask) == .badAnswer)
            }
            try await check { _ = try await client.hello() }
            try await check { _ = try await client.cancel("run-1") }
            try await check { _ = try await client.show(.run, "run-1") }
            try await check { _ = try await client.attach("run-1") }
            try await check { _ = try await client.start("p") }
        }
    }
}
