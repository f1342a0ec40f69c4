import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import Scorecard
import Testing

@Suite("A connection that does not read for a while", .scorecard(10))
struct SlowReaderTests {
    @Test(
        "gets all that was said to it, in order, when it reads again; others are served meanwhile",
        // Beside the whole suite on two slow processors it takes nine minutes; the limit only guards against a hang.
        .timeLimit(.minutes(30))
    )
    func slowReader() async throws {
        try await serving { serving in
            let dealer = try await RawDealer(serving.endpoint)
            await dealer.pause()
            let total = try await serving.delay(100, at: dealer)
            #expect(try await serving.client().ping().worker == "test")
            await dealer.resume()
            let ids = await dealer.received.reach(total).map { $0[1] }
            #expect(ids == (0..<total).map(String.init))
            #expect(try await serving.worker.counters[.answersLost] == 0)
            await dealer.close()
        }
    }
}

extension Serving {
    /// Has a connection that does not read be told more than the queues and buffers between the two hold.
    ///
    /// - Parameters:
    ///   - count: How many answers wait in the worker at least.
    ///   - dealer: The connection.
    /// - Returns: How many answers there are: to PINGs under the ids 0, 1 and so on.
    /// - Throws: What keeps the dealer from sending.
    func delay(_ count: Int, at dealer: RawDealer) async throws -> Int {
        let body = String(repeating: "x", count: 4 * 1024)
        let before = try await worker.counters
        var total = 0
        while try await worker.counters[.answersDelayed] < before[.answersDelayed] + count {
            try await dealer.send("FORGE/1 PING", "\(total)", "", "", body)
            total += 1
            // A worker with a lease answers only after its next renewal. Many answers that come at once could fill the
            // queue for a moment, though the connection has room.
            while try await worker.counters.handled < before.handled + total { try Task.checkCancellation() }
        }
        return total
    }
}

extension WorkerCounters {
    /// How many answers were told, wait in a line, were refused or lost.
    var handled: Int { self[.answered] + self[.refusedOutstanding] + self[.answersLost] }
}
