import ForgeBusClient
import ForgeBusProtocol
import Testing

@Suite("A request of its own durability and patience", .timeLimit(.minutes(30)))
struct RequestOptionTests {
    @Test("says so to the worker, whatever it asks for")
    func durability() async throws {
        try await scripted { _, request in
            switch request.command {
            case .notify(let change):
                change.wantsEvaluation ? [.taken, .evaluated(Evaluation(monitors: []))] : [.taken]
            case .run(let run): run.isDetached ? [.begun()] : [.begun(), .completed()]
            case .decide: [.verdict(.init(signal: "s", verdict: .delivered, durability: .fsynced, retention: .zero))]
            default: [.ok(StateReport(.done))]
            }
        } _: { worker, client async throws in
            _ = try await client.run("p", durability: .fsynced)
            _ = try await client.start("p", durability: .fsynced).result
            _ = try await client.submit("p", durability: .fsynced)
            try await client.notify("t", durability: .fsynced)
            _ = try await client.notifyAndWait("t", durability: .fsynced)
            try await client.complete("s", durability: .fsynced)
            try await client.reject("s", durability: .fsynced)
            try await client.cancel("run-1", durability: .fsynced)
            try await client.redrive("run-1", durability: .fsynced)
            try await client.withdraw("s", durability: .fsynced)
            #expect(worker.requests.values.map { $0.command.durability } == Array(repeating: .fsynced, count: 10))
        }
    }

    @Test("says a time in whole milliseconds, and a part of one is not left out")
    func parts() async throws {
        try await scripted { _, _ in
            [.begun()]
        } _: { worker, client async throws in
            for microseconds in [1, 1_000, 1_001] {
                _ = try await client.submit("p", deadline: .microseconds(microseconds))
            }
            let deadlines = worker.requests.values.map { request -> Duration? in
                if case .run(let run) = request.command { run.deadline } else { nil }
            }
            #expect(deadlines == [.milliseconds(1), .milliseconds(1), .milliseconds(2)])
        }
    }

    @Test("is given up when its own patience ends, and others wait on")
    func patience() async throws {
        try await scripted { worker, client async throws in
            async let long = client.notify("long")
            await worker.requests.reach(1)
            let ends: [@Sendable () async throws -> Void] = [
                { _ = try await client.run("p", patience: .milliseconds(20)) },
                { _ = try await client.start("p", patience: .milliseconds(20)) },
                { _ = try await client.submit("p", patience: .milliseconds(20)) },
                { try await client.notify("t", patience: .milliseconds(20)) },
                { _ = try await client.notifyAndWait("t", patience: .milliseconds(20)) },
                { try await client.complete("s", patience: .milliseconds(20)) },
                { try await client.reject("s", patience: .milliseconds(20)) },
                { try await client.cancel("run-1", patience: .milliseconds(20)) },
                { try await client.redrive("run-1", patience: .milliseconds(20)) },
                { try await client.setMode(nil, for: .seconds(1), patience: .milliseconds(20)) },
                { try await client.admin("stats", patience: .milliseconds(20)) },
                { _ = try await client.hello(patience: .milliseconds(20)) },
            ]
            for end in ends { #expect(try await code { try await end() } == .timeout) }
            let first = try #require(worker.requests.values.first)
            worker.answer(first.id, .taken)
            _ = try await long
        }
    }
}

extension Request.Command {
    /// The durability it asks for.
    fileprivate var durability: Durability? {
        switch self {
        case .notify(let change): change.durability
        case .run(let request): request.durability
        case .cancel(let request): request.durability
        case .redrive(let request): request.durability
        case .steer(let request): request.durability
        case .decide(let decision): decision.durability
        case .withdraw(let request): request.durability
        case _: nil
        }
    }
}
