import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import Logging
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("A client with 20,000 requests at once")
struct OutstandingSocketTests {
    @Test("keeps to what the worker takes, and gets all its answers", .scorecard(22), .timeLimit(.minutes(30)))
    func burst() async throws {
        var configuration = WorkerConfiguration(name: "test", endpoints: [try Endpoint("tcp://127.0.0.1:*")])
        configuration.limits.outstanding = 300
        // On a machine that is busy with other tests a connection may be silent for long.
        configuration.heartbeats = nil
        let worker = try BusWorker(configuration, logger: .silent)
        let serving = Task { try await worker.run() }
        defer { serving.cancel() }
        let endpoint = try #require(try await worker.endpoints.first)
        let client = BusClient(
            endpoint,
            patience: .seconds(300),
            resendsAfter: nil,
            limits: ClientLimits(requests: 20_000),
            logger: .silent
        )
        let answered = try await withThrowingTaskGroup { group in
            for number in 0..<20_000 {
                group.addTask { try await client.ask(number) }
            }
            return try await group.reduce(0) { count, _ in count + 1 }
        }
        Scorecard.count(20_000)
        #expect(answered == 20_000)
        let counters = try await worker.counters
        #expect(counters[.refusedOutstanding] == 0)
        #expect(counters[.answersLost] == 0)
        await client.close()
        serving.cancel()
        _ = await serving.result
    }
}

extension BusClient {
    /// Asks one thing or another, each answered at once.
    fileprivate func ask(_ number: Int) async throws {
        switch number % 3 {
        case 0: try await notify("t")
        case 1: _ = try await ping()
        default: #expect(try await code { _ = try await show(.run, "nobody") } == .unknownRun)
        }
    }
}
