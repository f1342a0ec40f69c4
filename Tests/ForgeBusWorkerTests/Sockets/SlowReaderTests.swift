import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import Testing

@Suite("A connection that does not read for a while")
struct SlowReaderTests {
    @Test(
        "gets all that was said to it, in order, when it reads again; others are served meanwhile",
        .timeLimit(.minutes(10))
    )
    func slowReader() async throws {
        let total = 3_000
        // Together more than the queues and buffers between the two hold.
        let body = String(repeating: "x", count: 16 * 1024)
        try await serving { serving in
            let dealer = try await RawDealer(serving.endpoint)
            await dealer.pause()
            let before = try await serving.worker.counters
            for number in 0..<total { try await dealer.send("FORGE/1 PING", "\(number)", "", "", body) }
            while try await serving.worker.counters.received < before.received + total { try Task.checkCancellation() }
            let after = try await serving.worker.counters
            #expect(after.answersDelayed > 0, "some of it is kept")
            #expect(try await serving.client().ping().worker == "test")
            await dealer.resume()
            let ids = await dealer.received.reach(total).map { $0[1] }
            #expect(ids == (0..<total).map(String.init))
            #expect(try await serving.worker.counters.answersLost == 0)
            await dealer.close()
        }
    }
}
