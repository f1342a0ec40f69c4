import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@Suite("One slot and a thousand requests")
struct OneSlotTests {
    @Test(
        "each is answered with RESULT or BUSY, in bounded room, while other pipelines and monitors go on",
        .scorecard(10)
    )
    func fairness() async throws {
        let hold = Turnstile()
        let cycles = Record<Int>()
        let narrow = HostedPipeline(
            "narrow",
            pipeline(
                Stage("hold") { _ in
                    await hold.pass()
                    return .completed
                }
            ),
            slots: 1
        )
        let wide = HostedPipeline("wide", pipeline(Stage("work")))
        let watch = HostedMonitor(
            "watch",
            monitor(
                Check("check") {
                    cycles.add(1)
                    return .completed
                }
            ),
            topics: ["t"],
            minimumGap: .zero
        )
        try await serving(
            pipelines: [narrow, wide],
            monitors: [watch],
            configure: { $0.limits.queuedRuns = 100 }
        ) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            for number in 0..<1_000 { try await dealer.send("FORGE/1 RUN", "n-\(number)", "narrow", "", "") }
            // One executes, a hundred wait, the rest is told at once; nothing has ended yet.
            let first = try await dealer.answers(1_000)
            #expect(first.count { if case .accepted = $0.content { true } else { false } } == 101)
            #expect(first.count { $0.limit == "queued" } == 899)
            await hold.reach(1)

            let client = try await serving.client()
            for _ in 0..<50 { #expect(try await client.run("wide").state == .completed) }
            for _ in 0..<5 { #expect(try await client.notifyAndWait("t").monitors.map(\.state) == [.ran]) }
            #expect(cycles.count >= 5)
            #expect(hold.arrivals == 1, "the slot is still held")

            Scorecard.count(1_000)
            hold.open()
            let all = try await dealer.answers(1_101)
            #expect(all.count { if case .result = $0.content { true } else { false } } == 101)
            await dealer.close()
        }
    }
}

extension Answer {
    /// The limit that a busy worker names.
    fileprivate var limit: String? {
        guard case .error(let error) = content, error.code == .busy else { return nil }
        return error.details["limit"]?.string
    }
}
