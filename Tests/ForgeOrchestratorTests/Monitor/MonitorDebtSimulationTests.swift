import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

/// A world of one monitor, in which everything happens in an order that a seed decides.
private struct MonitorWorld {
    private var debt = MonitorDebt()
    private var generator: SeededGenerator
    private var time = 0
    /// Orders that were given and have not been carried out; more than one can be on its way.
    private var orders = 0
    private var startOfRunningCycle: Int?
    /// When cycles started.
    private(set) var starts: [Int] = []
    /// When somebody asked for a cycle that has not started yet.
    private(set) var open: [Int] = []
    private(set) var violations: [String] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
        settle()
    }

    private mutating func step() {
        time += 1
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...3: trigger()
        case 4: perform(debt.welcomed())
        case 5: perform(debt.excluded())
        case 6: perform(debt.lifted())
        case 7: if startOfRunningCycle != nil { finish() }
        case 8: if orders > 0 { carryOut() }
        default: if Int.random(in: 0..<4, using: &generator) == 0 { perform(debt.emptied()) }
        }
    }

    /// Lets everything come to its end, with nothing new from outside.
    private mutating func settle() {
        time += 1
        perform(debt.lifted())
        let startsBefore = starts.count
        let lastTrigger = open.last
        while orders > 0 || startOfRunningCycle != nil {
            time += 1
            if startOfRunningCycle != nil { finish() } else { carryOut() }
        }
        let cyclesAfter = starts.count - startsBefore
        if !open.isEmpty { violations.append("\(open.count) triggers lost") }
        if lastTrigger != nil, cyclesAfter != 1 { violations.append("\(cyclesAfter) cycles for what was owed") }
        if lastTrigger == nil, cyclesAfter != 0 { violations.append("a cycle that nobody asked for") }
        if debt != MonitorDebt() { violations.append("not idle at the end: \(debt)") }
    }

    private mutating func trigger() {
        open.append(time)
        perform(debt.owed())
    }

    private mutating func carryOut() {
        orders -= 1
        perform(debt.cycleStarted())
    }

    private mutating func finish() {
        startOfRunningCycle = nil
        perform(debt.cycleFinished())
    }

    private mutating func perform(_ action: MonitorDebt.Action) {
        switch action {
        case .none: return
        case .startCycle: orders += 1
        case .runCycle: start()
        case .stopWaiting: open.removeAll()
        }
    }

    private mutating func start() {
        if startOfRunningCycle != nil { violations.append("two cycles at once") }
        if debt.isExcluded { violations.append("a cycle while excluded") }
        startOfRunningCycle = time
        starts.append(time)
        open.removeAll()
    }
}

@Suite("The debt of a monitor, in ten thousand schedules")
struct MonitorDebtSimulationTests {
    @Test(
        "causes exactly one cycle that starts after the last trigger, and none that overlaps or is excluded",
        .scorecard(18)
    )
    func schedules() {
        var cycles = 0
        Scorecard.count(10_000)
        for seed in 0..<10_000 {
            var world = MonitorWorld(seed: UInt64(seed))
            world.run(steps: 60)
            #expect(world.violations.isEmpty, "seed \(seed): \(world.violations)")
            cycles += world.starts.count
        }
        #expect(cycles > 10_000, "the schedules have to be worth something: \(cycles) cycles")
    }
}
