import Foundation
import Testing

@Suite("A fleet whose network loses, whose workers die, and whose clocks go apart")
struct FleetScheduleTests {
    @Test("has converged only if a good cycle began after the change, counts every name, and ends in time")
    func schedules() async throws {
        let schedules = FleetSchedules.asked
        let summary = await schedules.run()
        if let seed = summary.failing {
            Issue.record("\(FleetSchedules.replay(seed))")
            return
        }
        if schedules.isReplay { return schedules.seeds.forEach { print(FleetSchedules.replay($0)) } }
        if schedules.isAsked { print("\(summary.count) schedules, \(summary.events) events: \(summary.seen)") }
        #expect(summary.missing == [])
    }

    @Test("does the same in the same order each time for one seed")
    func replay() {
        for seed: UInt64 in 0..<5 { #expect(FleetSchedules.replay(seed) == FleetSchedules.replay(seed)) }
    }
}

/// Many schedules, each decided by its seed, on all processors at once.
///
/// By default there are as many as an ordinary test run has the time for. `FORGE_SCHEDULES=100000` runs so many, and
/// `FORGE_SEED=4711` replays one and prints what happened in it.
struct FleetSchedules: Sendable {
    struct Summary: Sendable {
        var count = 0
        var events = 0
        var seen: [String: Int] = [:]
        /// The first seed that broke a rule.
        var failing: UInt64?

        /// The states that no worker ended in.
        var missing: [String] {
            let possible = [
                "converged", "ok", "completed", "here", "failed", "overdue", "pending", "not yet", "waived", "excluded",
                "silent", "unknown", "not asked", "refused", "wrong worker",
            ]
            return possible.filter { seen[$0] == nil }
        }

        mutating func merge(_ other: Summary) {
            (count, events) = (count + other.count, events + other.events)
            seen.merge(other.seen, uniquingKeysWith: +)
            failing = [failing, other.failing].compactMap { $0 }.min()
        }
    }

    private static let lines = ProcessInfo.processInfo.environment["FORGE_SEED"] == nil ? 400 : 100_000
    let seeds: [UInt64]
    var isReplay = false
    var isAsked = false

    static var asked: FleetSchedules {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FORGE_SEED"].flatMap(UInt64.init) {
            return FleetSchedules(seeds: [seed], isReplay: true)
        }
        let count = environment["FORGE_SCHEDULES"].flatMap(UInt64.init)
        return FleetSchedules(seeds: Array(0..<(count ?? 300)), isAsked: count != nil)
    }

    func run() async -> Summary {
        let width = ProcessInfo.processInfo.activeProcessorCount
        return await withTaskGroup(of: Summary.self) { group in
            for first in 0..<width { group.addTask { await run(from: first, by: width) } }
            return await group.reduce(into: Summary()) { $0.merge($1) }
        }
    }

    private func run(from first: Int, by stride: Int) async -> Summary {
        var summary = Summary()
        for index in Swift.stride(from: first, to: seeds.count, by: stride) where summary.failing == nil {
            var fleet = SimulatedFleet(seed: seeds[index])
            fleet.run()
            (summary.count, summary.events) = (summary.count + 1, summary.events + fleet.events)
            summary.seen.merge(fleet.rules.seen, uniquingKeysWith: +)
            if !fleet.rules.violations.isEmpty { summary.failing = seeds[index] }
            // Other tests want the pool's threads, too.
            await Task.yield()
        }
        return summary
    }

    /// What happened in a schedule, and which rules it broke.
    static func replay(_ seed: UInt64) -> String {
        var fleet = SimulatedFleet(seed: seed, isTraced: true)
        fleet.run()
        let head = "seed \(seed), replayed by FORGE_SEED=\(seed): \(fleet.rules.violations)"
        return ([head] + (fleet.trace ?? []).suffix(Self.lines)).joined(separator: "\n")
    }
}
