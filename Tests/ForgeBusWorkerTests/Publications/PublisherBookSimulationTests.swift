import Testing

@testable import ForgeBusWorker

@Suite("The book of publishers, in ten thousand schedules of loss, repetition and overtaking")
struct PublisherBookSimulationTests {
    @Test("owes a cycle for whatever was lost as soon as a later one of its topic, another life or a connection comes")
    func schedules() throws {
        var seen: [PublisherWorld.Sight: Int] = [:]
        for seed in 0..<10_000 {
            var world = PublisherWorld(seed: UInt64(seed))
            world.run(steps: 80)
            try #require(world.violations.isEmpty, "seed \(seed): \(world.violations)")
            seen.merge(world.seen, uniquingKeysWith: +)
        }
        // What the schedules are worth: each of these happened often.
        for sight in PublisherWorld.Sight.allCases { #expect(seen[sight, default: 0] >= 5_000, "of \(sight)") }
    }
}
