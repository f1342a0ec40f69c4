import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport

@testable import ForgeBusWorker

/// A lane beside a monitor, senders and a clock, in which everything happens in an order that a seed decides: cycles
/// take as long as they like, fail or hang, and screens are excluded before the lane hears of it.
struct LaneWorld {
    /// What a schedule is worth.
    enum Sight: CaseIterable {
        case cycle, shared, failure, repetition, overdue, stuck, excluded, heldBack, mode, drained, tick, stopped,
            release
    }

    /// How the monitor stands with the cycle that the lane began.
    private enum Cycle {
        case runs(since: Moment)
        case heldBack
    }

    private let timing: CycleTiming
    private var lane: MonitorLane
    private var generator: SeededGenerator
    /// Decides which cycles evaluate nothing.
    private var stops: SeededGenerator
    private var now = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private var wake: (moment: Moment, number: Int)?
    private var cycle: Cycle?
    private var isExcluded = false
    /// What the monitor has done and the lane has not heard of.
    private var isReported = true
    private var lastReport = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private var lastStart: Moment?
    /// When the evaluation at the start is due; the interval counts from then.
    private var firstEvaluation = Moment(nanoseconds: 0, unixMilliseconds: 0)
    /// Since when the lane can begin cycles; nil while one runs or, as far as the lane knows, an exclusion lasts.
    private var freeSince: Moment?
    private var modeEnd: Moment?
    private var isDraining = false
    /// When notifications came that no cycle has started after.
    private var uncovered: [Moment] = []
    /// From when to when a cycle is owed for one that failed or for the start.
    private var owed: (from: Moment, to: Moment)?
    private var isCutShort = false
    /// Who asked: true once a cycle that covers them has begun.
    private var waiting: [EvaluationID: Bool] = [:]
    private var lastEvaluation: UInt64 = 0
    private(set) var seen: [Sight: Int] = [:]
    private(set) var violations: [String] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        stops = SeededGenerator(seed: ~seed)
        let debounce = HostedMonitor.Debounce(quiet: .milliseconds(150), maximumWait: .milliseconds(500))
        timing = CycleTiming(
            minimumGap: .milliseconds(100),
            debounce: generator.oneIn(2) ? debounce : nil,
            timeLimit: .milliseconds(700),
            interval: generator.oneIn(2) ? .milliseconds(500) : nil
        )
        lane = MonitorLane(name: "m", topics: [">"], timing: timing, seed: "\(seed)")
    }

    mutating func run(steps: Int) {
        owed = (now, now.advanced(by: .seconds(1)))
        freeSince = now
        let actions = lane.open(within: .seconds(1), at: now)
        firstEvaluation = lane.nextCycle ?? now
        follow(actions)
        for _ in 0..<steps { act() }
        settle()
    }

    private mutating func act() {
        pass(.milliseconds(generator.oneIn(10) ? generator.below(2_000) : generator.below(60)))
        switch generator.below(14) {
        case 0...5: notify()
        case 6...8: end()
        case 9: forget()
        case 10: exclude(!isExcluded)
        case 11: if generator.oneIn(3) { showScreen() }
        default: report()
        }
    }

    /// Lets everything come to its end, with nothing new from outside.
    private mutating func settle() {
        // An interval would go on for ever.
        if timing.interval != nil || generator.oneIn(2) { drain() }
        exclude(false)
        report()
        let before = (cycles: seen[.cycle, default: 0], owes: !uncovered.isEmpty || owed != nil)
        let isCutShort = isCutShort
        while cycle != nil || wake != nil {
            if cycle != nil { end(failing: false) } else if let wake { pass(wake.moment.since(now)) }
        }
        let last = seen[.cycle, default: 0] - before.cycles
        let expected = before.owes || (isCutShort && !isDraining) ? 1 : 0
        if last != expected { violate("\(last) cycles for what was owed") }
        if !uncovered.isEmpty { violate("\(uncovered.count) notifications lost") }
        if !waiting.isEmpty { violate("\(waiting.count) were never told") }
        if lane.state != .idle { violate("not idle at the end: \(lane.state)") }
    }

    private mutating func drain() {
        isDraining = true
        owed = nil
        saw(.drained)
        follow(lane.drain(at: now))
        if uncovered.isEmpty, cycle == nil, !lane.isSettled { violate("drains, and owes nothing, and is not settled") }
    }
}

// What happens to the lane.
extension LaneWorld {
    private mutating func notify() {
        uncovered.append(now)
        if uncovered.count > 1 { saw(.shared) }
        var evaluation: EvaluationID?
        if generator.oneIn(2) {
            lastEvaluation += 1
            let id = EvaluationID(number: lastEvaluation)
            evaluation = id
            waiting[id] = false
        }
        follow(lane.notified(Notice("t", by: "a", at: 0), telling: evaluation, at: now))
    }

    private mutating func forget() {
        guard let id = waiting.keys.min(by: { $0.number < $1.number }) else { return }
        lane.forget(id)
        waiting[id] = nil
    }

    private mutating func end() { end(failing: generator.oneIn(4)) }

    private mutating func end(failing: Bool) {
        guard case .runs(let since) = cycle else { return }
        cycle = nil
        let isStopped = !failing && stops.oneIn(6)
        if isStopped { saw(.stopped) }
        if lastStart.map({ $0 < since }) == true { saw(.release) }
        let (before, isLate) = (lane.last, isCutShort)
        if failing { saw(.failure) }
        if (failing || isCutShort) && !isDraining {
            owed = (now.advanced(by: .milliseconds(500)), now.advanced(by: .seconds(300)))
        }
        isCutShort = false
        let (told, next, _) = lane.cycleEnded(isStopped ? .stopped : failing ? .failed("no") : .ran, at: now)
        let state: LastCycle.State = isLate ? .overdue : failing ? .failed : .ran
        if isStopped {
            if lane.last != before { violate("a cycle that evaluated nothing counts") }
        } else if let last = lane.last, last.state == state {
            if last.ordered > since { violate("a cycle looks younger than it is") }
            if last.ordered != lastStart { violate("another cycle's age") }
            if last.took > now.since(last.ordered) { violate("it took longer than it is old") }
        } else {
            violate("the latest cycle is not \(state)")
        }
        noteFreedom()
        for id in told {
            if waiting[id] != true { violate("\(id.number) was told of a cycle that began before") }
            waiting[id] = nil
        }
        if waiting.values.contains(true) { violate("somebody who was covered was not told") }
        follow(next)
    }

    /// The monitor excludes a screen or no longer; the lane hears of it now or later.
    private mutating func exclude(_ isExcluded: Bool) {
        guard isExcluded != self.isExcluded else { return }
        self.isExcluded = isExcluded
        isReported = false
        if !isExcluded, case .heldBack = cycle {
            // The monitor begins it now: this covers what came before.
            cycle = .runs(since: now)
        }
        if generator.oneIn(2) { report() }
    }

    private mutating func report() {
        guard !isReported else { return }
        tellStanding()
        if isExcluded, waiting.values.contains(false) { violate("excluded, and somebody waits") }
    }

    private mutating func tellStanding() {
        isReported = true
        lastReport = now
        if isExcluded { saw(.excluded) }
        var holdsBack = false
        if case .heldBack = cycle { holdsBack = true }
        let wasExcluded = lane.state == .excluded
        // Its time is counted anew.
        if holdsBack != lane.isHeldBack { isCutShort = false }
        follow(lane.standingChanged(MonitorStanding(isExcluded: isExcluded, holdsBack: holdsBack), at: now))
        // An exclusion that the lane never heard of has kept nothing from beginning.
        if cycle == nil, wasExcluded || isExcluded { noteFreedom() }
        guard holdsBack else { return }
        saw(.heldBack)
        if !waiting.isEmpty { violate("held back, and somebody waits") }
    }

    private mutating func noteFreedom() { freeSince = lane.state == .excluded ? nil : now }

    private mutating func showScreen() {
        let time: Duration = .milliseconds(generator.below(800))
        lane.showScreen(for: time, at: now)
        modeEnd = now.advanced(by: time)
        follow([])
        exclude(true)
    }

    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let next = wake, next.moment <= end {
            now = max(now, next.moment)
            wake = nil
            follow(lane.woken(next.number, at: now))
        }
        now = end
        checkTime()
    }
}

// What the lane wants, and what must hold of it.
extension LaneWorld {
    private mutating func follow(_ actions: [MonitorLane.Action]) {
        for action in actions {
            switch action {
            case .begin: begin()
            case .cancel: cancel()
            case .tell(let told, let ending):
                for id in told where waiting.removeValue(forKey: id) == nil { violate("\(id.number) told twice") }
                if ending == .overdue, cycle == nil { violate("overdue, and nothing runs") }
            case .endMode:
                if modeEnd.map({ $0 > now }) ?? true { violate("a mode ended before its time") }
                modeEnd = nil
                saw(.mode)
                exclude(false)
            }
        }
        if let next = lane.nextWake() { wake = next }
        if lane.nextWake() != nil { violate("asks twice for the same waking") }
    }

    private mutating func begin() {
        saw(.cycle)
        if cycle != nil { violate("two cycles at once") }
        if let lastStart, now.since(lastStart) < timing.minimumGap { violate("no gap between two cycles") }
        let isOwed = owed.map { $0.from <= now } ?? false
        if uncovered.isEmpty, isOwed { saw(.repetition) }
        if uncovered.isEmpty, !isOwed {
            saw(.tick)
            // A tick may begin what is owed for a failed cycle before its time.
            if lane.isRoutine != (owed == nil) { violate("routine is what nobody asked for, and nothing else") }
            if lastTick == nil { violate("a cycle that nobody asked for") }
        }
        if let first = uncovered.first, let last = uncovered.last, !isOwed, !isDraining, let debounce = timing.debounce,
            now.since(last) < debounce.quiet, now.since(first) < debounce.maximumWait
        {
            violate("no silence before a cycle")
        }
        if isExcluded, isReported { violate("a cycle under an exclusion that the lane knows of") }
        cycle = isExcluded ? .heldBack : .runs(since: now)
        (lastStart, uncovered, owed, freeSince) = (now, [], nil, nil)
        for id in waiting.keys { waiting[id] = true }
        if isExcluded { isReported = false }
    }

    private mutating func cancel() {
        guard let cycle, let lastStart else { return violate("cancelled, and nothing runs") }
        if now.since(lastStart) < timing.timeLimit { violate("cancelled before its time") }
        if case .heldBack = cycle, isReported { violate("cancelled, and the lane knows that it has not begun") }
        saw(isCutShort ? .stuck : .overdue)
        isCutShort = true
    }

    /// The last tick that was not to be dropped; nil if there was none.
    private var lastTick: Moment? {
        guard let interval = timing.interval, !isDraining, let freeSince else { return nil }
        let passed = Int(now.since(firstEvaluation) / interval)
        let tick = firstEvaluation.advanced(by: interval * passed)
        return passed > 0 && tick > freeSince ? tick : nil
    }

    /// Nothing that is due is left undone.
    private mutating func checkTime() {
        if let modeEnd, modeEnd <= now { violate("a mode goes on after its time") }
        if case .runs(let since) = cycle, isReported, !isCutShort, now.since(max(since, lastReport)) > timing.timeLimit
        {
            // Counted from when the lane heard that it is not held back any more.
            violate("nobody cancels what takes too long")
        }
        guard cycle == nil, !isExcluded, isReported else { return }
        let gap = lastStart?.advanced(by: timing.minimumGap) ?? now
        let wait = timing.debounce?.maximumWait ?? .zero
        if let first = uncovered.first, max(first.advanced(by: wait), gap) < now { violate("a notification is late") }
        if let owed, max(owed.to, gap) < now { violate("what failed is not tried again") }
        if let lastTick, uncovered.isEmpty, max(lastTick, gap) < now { violate("a tick is left out") }
    }

    private mutating func saw(_ sight: Sight) { seen[sight, default: 0] += 1 }
    private mutating func violate(_ what: String) { violations.append(what) }
}
