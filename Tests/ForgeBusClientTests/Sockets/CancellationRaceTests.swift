import ForgeBusClient
import ForgeBusProtocol
import Scorecard
import Testing

/// Each call has one continuation: resumed twice, it ends the process; never resumed, the test ends by its time limit.
@Suite("A call that is cancelled while its answer comes", .timeLimit(.minutes(30)))
struct CancellationRaceTests {
    @Test("ends once, with the answer or with the cancellation, ten thousand times", .scorecard(8))
    func races() async throws {
        try await scripted { _, request in
            switch request.command {
            case .notify: [.taken]
            default: [.begun(), .change(1), .completed()]
            }
        } _: { _, client async throws in
            var ends: [ErrorCode?: Int] = [:]
            for round in 0..<100 {
                let tasks = (0..<100).map { number in
                    Task {
                        try await code {
                            switch number % 4 {
                            case 0: try await client.notify("t")
                            case 1: _ = try await client.run("p") { _ in }
                            case 2: _ = try await client.start("p").result
                            default: _ = try await client.submit("p")
                            }
                        }
                    }
                }
                // From before the first is sent to after the last is answered.
                for _ in 0..<(round % 20) { await Task.yield() }
                for task in tasks { task.cancel() }
                for task in tasks { ends[try await task.value, default: 0] += 1 }
            }
            #expect(ends.values.reduce(0, +) == 10_000)
            #expect(Set(ends.keys).isSubset(of: [nil, .cancelled]), "\(ends)")
            while await client.outstanding > 0 { try Task.checkCancellation() }
            Scorecard.count(10_000)
        }
    }
}
