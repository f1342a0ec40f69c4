import Scorecard
import Testing

@testable import ForgeBusWorker

@Suite("A monitor lane, in twenty thousand schedules")
struct MonitorLaneSimulationTests {
    @Test(
        "covers every notification by a cycle that starts after it, and tells each who asked exactly once",
        .scorecard(18)
    )
    func schedules() throws {
        var seen: [LaneWorld.Sight: Int] = [:]
        Scorecard.count(20_000)
        for seed in 0..<20_000 {
            var world = LaneWorld(seed: UInt64(seed))
            world.run(steps: 40)
            try #require(world.violations.isEmpty, "seed \(seed): \(world.violations)")
            seen.merge(world.seen, uniquingKeysWith: +)
        }
        // What the schedules are worth: each of these happened often.
        for sight in LaneWorld.Sight.allCases { #expect(seen[sight, default: 0] >= 2_000, "of \(sight)") }
    }
}
