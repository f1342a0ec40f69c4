import Foundation

@testable import ForgeBusWorker

/// Many schedules, each decided by its seed, on all processors at once.
///
/// By default there are as many as an ordinary test run has the time for. The environment may ask for others:
///
/// - `FORGE_SCHEDULES=100000` runs so many, and prints how often each event met each state: every pair that can meet
///   does so a hundred times.
/// - `FORGE_SEED=4711` replays one, and prints what happened in it, a line each.
struct Schedules: Sendable {
    /// What came of some of them.
    struct Summary: Sendable {
        var coverage: BusCoverage?
        var seen: [String: Int] = [:]
        /// How many events each had.
        var events: [Int] = []
        /// The first seed that broke a rule.
        var failing: UInt64?

        mutating func add(_ bus: SimulatedBus, seed: UInt64) {
            if coverage == nil { coverage = bus.coverage } else { coverage?.merge(bus.coverage) }
            seen.merge(bus.rules.seen, uniquingKeysWith: +)
            events.append(bus.events)
            if !bus.rules.violations.isEmpty { failing = min(seed, failing ?? .max) }
        }

        mutating func merge(_ other: Summary) {
            if let more = other.coverage { if coverage == nil { coverage = more } else { coverage?.merge(more) } }
            seen.merge(other.seen, uniquingKeysWith: +)
            events += other.events
            failing = [failing, other.failing].compactMap { $0 }.min()
        }

        /// How many there were and how long they were, in a line.
        var line: String { "\(events.count) schedules, \(events.reduce(0, +)) events, half of them \(median) or more" }

        /// How many events half of them had at least.
        var median: Int { events.isEmpty ? 0 : events.sorted()[events.count / 2] }
    }

    let seeds: [UInt64]
    /// Whether the environment asks for one of them, to be seen.
    var isReplay = false
    /// Whether the environment says how many there are.
    var isAsked = false

    /// Whether there are as many as the promise is about.
    var areAll: Bool { seeds.count >= 100_000 }

    /// Those that the environment asks for.
    static var asked: Schedules {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FORGE_SEED"].flatMap(UInt64.init) { return Schedules(seeds: [seed], isReplay: true) }
        let count = environment["FORGE_SCHEDULES"].flatMap(UInt64.init)
        return Schedules(seeds: Array(0..<(count ?? 150)), isAsked: count != nil)
    }

    /// Runs them all, or until one breaks a rule.
    func run() async -> Summary {
        let width = ProcessInfo.processInfo.activeProcessorCount
        return await withTaskGroup(of: Summary.self) { group in
            for first in 0..<width {
                group.addTask { await run(from: first, by: width) }
            }
            return await group.reduce(into: Summary()) { $0.merge($1) }
        }
    }

    private func run(from first: Int, by stride: Int) async -> Summary {
        var summary = Summary()
        for index in Swift.stride(from: first, to: seeds.count, by: stride) where summary.failing == nil {
            var bus = SimulatedBus(seed: seeds[index])
            bus.run()
            summary.add(bus, seed: seeds[index])
            // Other tests want the pool's threads, too.
            await Task.yield()
        }
        return summary
    }

    /// What happened in a schedule, and which rules it broke.
    static func replay(_ seed: UInt64) -> String {
        var bus = SimulatedBus(seed: seed, isTraced: true)
        bus.run()
        let head = "seed \(seed), replayed by FORGE_SEED=\(seed): \(bus.rules.violations)"
        return ([head] + (bus.trace ?? []).suffix(400)).joined(separator: "\n")
    }
}
