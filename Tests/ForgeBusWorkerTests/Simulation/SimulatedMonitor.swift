import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A monitor: its cycles take time, and a screen it excludes may be showing.
struct SimulatedMonitor {
    enum Cycle {
        /// An excluded screen is showing: it begins when that is over.
        case heldBack
        case running
    }

    static let excludedScreen = "editor"

    var cycle: Cycle?
    /// Whether a screen that it excludes is showing.
    private var isScreenExcluded = false
    private(set) var isPaused = false
    /// Whether the worker knows how the monitor stands.
    var isReported = true
    var isCutShort = false
    /// How many cycles were ordered.
    var cycles = 0

    var isIdle: Bool { cycle == nil && !isExcluded && isReported }

    /// Whether it begins no cycle now.
    var isExcluded: Bool { isScreenExcluded || isPaused }

    mutating func exclude(_ isExcluded: Bool) { change { $0.isScreenExcluded = isExcluded } }

    mutating func pause(_ isPaused: Bool) { change { $0.isPaused = isPaused } }

    private mutating func change(_ change: (inout Self) -> Void) {
        let before = isExcluded
        change(&self)
        guard isExcluded != before else { return }
        isReported = false
        if !isExcluded, case .heldBack = cycle { cycle = .running }
    }

    /// How it stands now.
    var standing: MonitorStanding {
        var holdsBack = false
        if case .heldBack = cycle { holdsBack = true }
        return MonitorStanding(isExcluded: isExcluded, holdsBack: holdsBack)
    }
}

// How monitors go on.
extension SimulatedBus {
    mutating func beginCycle(of index: Int) {
        if monitors[index].cycle != nil { rules.violate("two cycles of monitor \(index) at once") }
        monitors[index].cycles += 1
        monitors[index].isCutShort = false
        monitors[index].cycle = monitors[index].isExcluded ? .heldBack : .running
        // Told anew, because the exclusion may have begun after the cycle was ordered.
        if monitors[index].isExcluded { monitors[index].isReported = false }
    }

    mutating func progressMonitor() {
        let index = generator.below(monitors.count)
        switch generator.below(10) {
        // An exclusion lasts longer than the time between two, so that cycles are held back often enough.
        case 0:
            let isExcluded = monitors[index].isExcluded
            if !isExcluded || generator.oneIn(2) { monitors[index].exclude(!isExcluded) }
        case 1...4: report(index)
        // A cycle that takes too long mostly goes on for a while after it was cancelled.
        default: if !monitors[index].isCutShort || generator.oneIn(4) { endCycle(of: index) }
        }
    }

    private mutating func report(_ index: Int) {
        guard !monitors[index].isReported || generator.oneIn(10) else { return }
        monitors[index].isReported = true
        step(.standingChanged(monitor: index, monitors[index].standing))
    }

    private mutating func endCycle(of index: Int) {
        guard case .running = monitors[index].cycle else { return }
        // It began before it can end: the worker hears of that first.
        if !monitors[index].isReported { report(index) }
        monitors[index].cycle = nil
        let actions = PipelineReport.test(failing: generator.oneIn(4) ? "no" : nil).actions
        let outcome: MonitorOutcome =
            generator.oneIn(12) ? .stopped : .ran(MonitorCycle(number: monitors[index].cycles, actions: actions))
        step(.cycleEnded(monitor: index, outcome))
    }

    /// A process publishes something, or may have.
    mutating func publish() {
        if generator.oneIn(5) { return step(.publicationsMayBeLost) }
        let client = generator.below(clients.count)
        // Nobody publishes for others.
        guard clients[client].principal.via == nil, rules.regime.stands(client: client), let id = try? RequestID("p")
        else { return }
        let topic = BusSetting.topics[generator.below(BusSetting.topics.count)]
        let publication = Publication(topic: topic, id: id)
        step(.published(publication, by: clients[client].principal, othersMayBeLost: generator.oneIn(5)))
    }

    /// A mode shows a screen.
    mutating func show(_ screen: String?, to index: Int) {
        monitors[index].exclude(screen == SimulatedMonitor.excludedScreen)
    }

    mutating func liftExclusions() {
        for index in monitors.indices {
            monitors[index].exclude(false)
            if !monitors[index].isReported { report(index) }
        }
    }

    mutating func endCycles() {
        for index in monitors.indices { endCycle(of: index) }
    }
}
