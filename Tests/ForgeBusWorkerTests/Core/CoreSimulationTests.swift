import Testing

@testable import ForgeBusWorker

@Suite("A core, in five thousand schedules")
struct CoreSimulationTests {
    @Test("answers each request once, never changes a decision, loses no waiter and leaves nothing behind")
    func schedules() throws {
        var seen: [String: Int] = [:]
        for seed in 0..<5_000 {
            var world = CoreWorld(seed: UInt64(seed))
            world.run(steps: 80)
            try #require(world.rules.violations.isEmpty, "seed \(seed): \(world.rules.violations)")
            seen.merge(world.rules.seen, uniquingKeysWith: +)
        }
        // What the schedules are worth: each of these happened often.
        for what in [
            "completed", "failed", "timed_out", "lost", "delivered", "buffered", "duplicate", "conflict", "expired",
            "closed",
            "unknown", "unfinished", "queued", "early", "evaluations", "not_rejectable", "id_conflict", "draining",
            "refused wait", "closed wait", "decided wait", "evaluated", "pending",
        ] {
            #expect(seen[what, default: 0] >= 50, "of \(what)")
        }
    }
}
