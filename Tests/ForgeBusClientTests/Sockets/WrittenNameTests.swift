import ForgeBusClient
import ForgeBusProtocol
import Testing

@Suite("A name that a program writes", .timeLimit(.minutes(30)))
struct WrittenNameTests {
    @Test("is as easily a literal as an interpolation or a variable")
    func written() async throws {
        try await scripted { _, request in
            guard case .decide(let decision) = request.command else { return [.taken] }
            let signal = SignalID(decision.signal)
            return [.verdict(.init(signal: signal, verdict: .delivered, durability: .memory, retention: .zero))]
        } _: { worker, client async throws in
            let (version, topic) = (42, "stock.apples")
            try await client.complete("deploy.42.approve")
            try await client.complete("deploy.\(version).approve")
            try await client.notify(Topic(topic))
            #expect(
                worker.frames.values.map { String(decoding: $0[2], as: UTF8.self) } == [
                    "deploy.42.approve", "deploy.42.approve", "stock.apples",
                ]
            )
        }
    }

    @Test("and that is malformed throws, sends nothing and ends no process")
    func malformed() async throws {
        try await scripted { worker, client async throws in
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await client.run("de ploy") },
                { _ = try await client.start("de..ploy") },
                { _ = try await client.submit("") },
                { try await client.notify("stock.") },
                { _ = try await client.notifyAndWait("stock/apples") },
                { try await client.complete("deploy.\("1.2 3").approve") },
                { try await client.reject(SignalID(String(repeating: "x", count: 257))) },
                { _ = try await client.attach("run 1") },
                { try await client.cancel("run\n1") },
                { try await client.redrive("ünö") },
                { _ = try await client.show(.run, "run 1") },
                { try await client.admin("store verify") },
            ]
            for call in calls { #expect(try await code { try await call() } == .badName) }
            let publisher = try await BusPublisher(connect: [])
            #expect(try await code { try publisher.publish("a b") } == .badName)
            #expect(try await code { try await publisher.awaitFollowers(of: "a b", within: .zero) } == .badName)
            await publisher.close()
            #expect(worker.requests.count == 0)
        }
    }
}
