import Testing

@testable import ForgeBusWorker

/// A lane in a world in which everything happens in an order that a seed decides.
private struct LaneWorld {
    private static let gap: Duration = .milliseconds(100)
    private var lane = MonitorLane(name: "m", topics: [">"], minimumGap: gap)
    private var generator: SeededGenerator
    private var now = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private var wait: Moment?
    private var runs = false
    private var lastStart: Moment?
    /// Notifications that no cycle has started after.
    private var uncovered = 0
    /// Who asked and is covered by the cycle that runs, or by none yet.
    private var covered: [EvaluationID] = []
    private var waiting: [EvaluationID] = []
    private var lastEvaluation: UInt64 = 0
    private(set) var cycles = 0
    private(set) var shared = 0
    private(set) var violations: [String] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        settle()
    }

    private mutating func step() {
        now = now.advanced(by: .milliseconds(generator.below(40)))
        if let wait, wait <= now { endGap() }
        switch generator.below(10) {
        case 0...4: notify()
        case 5...7: if runs { end() }
        case 8: if generator.oneIn(3), runs, !lane.isHeldBack { holdBack() }
        default: forget()
        }
    }

    /// Lets everything come to its end, with nothing new from outside.
    private mutating func settle() {
        let owed = uncovered > 0
        let before = cycles
        while runs || wait != nil {
            now = now.advanced(by: .milliseconds(150))
            if runs { end() } else { endGap() }
        }
        if cycles - before != (owed ? 1 : 0) { violations.append("\(cycles - before) cycles for what was owed") }
        if uncovered > 0 { violations.append("\(uncovered) notifications lost") }
        if !waiting.isEmpty || !covered.isEmpty { violations.append("somebody was never told") }
        if !lane.isSettled || lane.stateName != "idle" { violations.append("not idle at the end: \(lane.stateName)") }
    }

    private mutating func notify() {
        uncovered += 1
        if uncovered > 1 { shared += 1 }
        var evaluation: EvaluationID?
        if generator.oneIn(2), !lane.isHeldBack {
            lastEvaluation += 1
            let id = EvaluationID(number: lastEvaluation)
            evaluation = id
            waiting.append(id)
        }
        follow(lane.notified(telling: evaluation, at: now))
    }

    private mutating func endGap() {
        wait = nil
        follow(lane.gapEnded(at: now))
    }

    private mutating func end() {
        runs = false
        let (told, next) = lane.cycleEnded(at: now)
        if told != covered { violations.append("told \(told), covered \(covered)") }
        covered = []
        follow(next)
    }

    private mutating func holdBack() {
        let told = lane.heldBack()
        if Set(told) != Set(covered + waiting) { violations.append("held back, told \(told)") }
        covered = []
        waiting = []
    }

    private mutating func forget() {
        guard let id = (covered + waiting).randomElement(using: &generator) else { return }
        lane.forget(id)
        covered.removeAll { $0 == id }
        waiting.removeAll { $0 == id }
    }

    private mutating func follow(_ action: MonitorLane.Action) {
        switch action {
        case .none: return
        case .wait(let moment):
            if wait != nil { violations.append("two gaps at once") }
            wait = moment
        case .run: start()
        }
    }

    private mutating func start() {
        if runs { violations.append("two cycles at once") }
        if uncovered == 0 { violations.append("a cycle that nobody asked for") }
        if let lastStart, now.since(lastStart) < Self.gap { violations.append("no gap between two cycles") }
        (runs, lastStart, uncovered) = (true, now, 0)
        cycles += 1
        (covered, waiting) = (waiting, [])
    }
}

@Suite("A monitor lane, in ten thousand schedules")
struct MonitorLaneSimulationTests {
    @Test("covers every notification by exactly one cycle that starts after it, and tells each who asked once")
    func schedules() throws {
        var cycles = 0
        var shared = 0
        for seed in 0..<10_000 {
            var world = LaneWorld(seed: UInt64(seed))
            world.run(steps: 60)
            try #require(world.violations.isEmpty, "seed \(seed): \(world.violations)")
            cycles += world.cycles
            shared += world.shared
        }
        #expect(cycles > 50_000, "the schedules have to be worth something")
        #expect(shared > 50_000, "notifications have to share cycles")
    }
}
