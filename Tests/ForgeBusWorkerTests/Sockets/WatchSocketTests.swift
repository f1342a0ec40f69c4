import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Testing

@Suite("Watches over sockets", .timeLimit(.minutes(30)))
struct WatchSocketTests {
    private static let hosted = HostedPipeline("p", pipeline(Stage("work") { _ in .completed }))

    @Test("end with their connections, though nothing ever happened: their room is there again, and others go on")
    func gone() async throws {
        try await serving(pipelines: [Self.hosted], configure: { $0.limits.watches = 3 }) { serving in
            let living = try await RawDealer(serving.endpoint)
            try await living.watch("run.>", id: "living")
            for _ in 0..<2 {
                let dealer = try await RawDealer(serving.endpoint)
                try await dealer.watch("signal.nobody", id: "w")
                await dealer.close()
            }
            let newcomer = try await RawDealer(serving.endpoint)
            // That a connection is closed has to get around first.
            while try await !newcomer.watch("run.>", id: "newcomer") { try Task.checkCancellation() }
            _ = try await serving.client().run("p")
            for (dealer, id) in [(living, "living"), (newcomer, "newcomer")] {
                let told = await dealer.answers { $0.filter(\.isEvent).count == 3 }.filter(\.isEvent)
                #expect(told.map { $0[1] } == [id, id, id])
                await dealer.close()
            }
        }
    }
}

extension RawDealer {
    /// Watches.
    ///
    /// - Returns: Whether there is room for it.
    @discardableResult
    fileprivate func watch(_ pattern: String, id: String) async throws -> Bool {
        let before = received.count
        try await send("FORGE/1 WATCH", id, pattern, #"{"credit":10}"#, "")
        try await send("FORGE/1 PING", "begun", "", "", "")
        let answers = await answers { $0.dropFirst(before).contains { $0[1] == "begun" } }
        return !answers.dropFirst(before).contains { $0[0] == "FORGE/1 ERROR" }
    }

    /// Waits until enough has come, and reads all that has.
    fileprivate func answers(_ isEnough: ([[String]]) -> Bool) async -> [[String]] {
        var answers = received.values
        while !isEnough(answers) { answers = await received.reach(answers.count + 1) }
        return answers
    }
}

extension [String] {
    fileprivate var isEvent: Bool { first == "FORGE/1 EVENT" }
}
