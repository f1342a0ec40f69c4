import Foundation
import Scorecard
import Testing

@testable import ForgeBusWorker

@Suite("A core among clients that resend, a network that loses, and actions that do as they like")
struct WholeCoreTests {
    @Test(
        "answers once, never changes a decision, covers every notification and lets nothing out early",
        .scorecard(7, 18, 21, 24)
    )
    func schedules() async throws {
        let schedules = Schedules.asked
        let summary = await schedules.run()
        Scorecard.count(summary.events.count)
        if let seed = summary.failing {
            Issue.record("\(Schedules.replay(seed))")
            return
        }
        if schedules.isReplay { return schedules.seeds.forEach { print(Schedules.replay($0)) } }
        let coverage = try #require(summary.coverage)
        if schedules.isAsked { print("\(summary.line)\n\(coverage.table(of: summary.seen))") }
        #expect(summary.median >= 50)
        #expect(coverage.surprises == [])
        let unknown = summary.seen.keys.filter { !(Happenings.all + Happenings.rare).contains($0) }
        #expect(unknown == [], "no row of the table says that they happened")
        if schedules.areAll { #expect(coverage.gaps(in: summary.seen, below: 100) == []) }
    }

    @Test("does the same in the same order each time for one seed, so that what failed can be seen again")
    func replay() {
        for seed: UInt64 in 0..<5 { #expect(Schedules.replay(seed) == Schedules.replay(seed)) }
    }
}
