import ForgeBusProtocol
import ForgeOrchestrator

/// Decides when the cycles of one monitor begin and end, and which callers wait for which cycle.
///
/// Pure: the caller runs the cycles and passes the time.
///
/// The library's `MonitorDebt` decides whether a cycle is due. The lane adds when that cycle begins (gap, debounce,
/// backoff, exclusion), how long it may take, and which callers it answers.
struct MonitorLane {
    /// What the caller has to do.
    enum Action: Equatable {
        /// Begin a cycle for these causes, and report how it ended.
        case begin(MonitorCauses)
        /// The cycle's time is over: cancel its task. The cycle ends only when the task returns.
        case cancel
        /// Answer these evaluations now with the cycle's state; they get no other answer.
        case tell([EvaluationID], Ending)
        /// The mode's time is over: the monitor shows no screen any more.
        case endMode
    }

    /// The state of a cycle for callers that get an answer before it ends.
    enum Ending: Equatable {
        /// The cycle has not ended within its time.
        case overdue
        /// An excluded screen holds the cycle back.
        case excluded
    }

    /// The cycle that runs.
    private struct Running {
        var told: [EvaluationID]
        let causes: MonitorCauses
        /// When the cycle's waiters get `overdue`; nil while the monitor holds the cycle back.
        var limit: Moment?
        var isOverdue = false
    }

    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(300))

    let name: Name
    let topics: [NamePattern]
    private let timing: CycleTiming
    private var jitter: Jitter
    /// How many cycles in a row have failed.
    private var failures = 0
    private var debt = MonitorDebt()
    private var lastStart: Moment?
    private var running: Running?
    private var owed = OwedCycle()
    /// When the mode ends.
    private var modeEnd: Moment?
    private var isDraining = false
    /// The next wake-up, and its number.
    private var wake: (moment: Moment, number: Int)?
    private var wakes = 0
    /// Whether the monitor itself holds the begun cycle back, because an excluded screen is showing.
    private(set) var isHeldBack = false
    /// The causes of the running cycle; empty if none runs.
    var runningCauses: MonitorCauses { running?.causes ?? MonitorCauses() }
    /// How many cycles have ended.
    private(set) var cycles = 0
    /// The durable notifications that no cycle has covered yet.
    private(set) var kept = KeptDebt()

    init(name: Name, topics: [NamePattern], timing: CycleTiming = CycleTiming(), seed: String = "") {
        self.name = name
        self.topics = topics
        self.timing = timing
        jitter = Jitter(of: "\(seed)/\(name)")
    }
}

extension MonitorLane {
    /// The names of a lane's states in pages and events.
    enum StateName: String, CaseIterable {
        case idle
        case owed
        case running
        case overdue
        case runningAndOwed = "running, owed"
        case overdueAndOwed = "overdue, owed"
        case excluded
    }

    /// The name of the lane's state in pages.
    var stateName: String { standing.rawValue }
    var isRunning: Bool { running != nil }

    private var standing: StateName {
        if isExcluded { return .excluded }
        return switch debt.phase {
        case .idle: .idle
        case .kept, .ordered: .owed
        case .running: running?.isOverdue == true ? .overdue : .running
        case .runningAndOwed: running?.isOverdue == true ? .overdueAndOwed : .runningAndOwed
        }
    }

    /// Whether no cycle runs and none is due, or an exclusion holds the cycle back, perhaps for ever.
    var isSettled: Bool {
        switch debt.phase {
        case .idle, .kept: true
        case .ordered: false
        case .running, .runningAndOwed: isHeldBack
        }
    }

    /// Whether a cycle requested now would be held back.
    private var isExcluded: Bool { debt.isExcluded || isHeldBack }
}

// What happens to it.
extension MonitorLane {
    /// The worker starts: the monitor is evaluated once, within `spread` from now.
    mutating func evaluateAtStart(within spread: Duration, at now: Moment) -> [Action] {
        owed.evaluatesStart(from: now.advanced(by: jitter.duration(below: spread)))
        _ = debt.owed()
        return beginIfDue(at: now)
    }

    /// Publications may have been lost: the monitor is evaluated once, as at the start.
    mutating func missed(at now: Moment) -> [Action] { evaluateAtStart(within: .zero, at: now) }

    /// Restores notifications that no cycle of an earlier worker covered; the evaluation at the start covers them.
    mutating func restore(_ causes: MonitorCauses) {
        owed.add(causes)
        kept.add(causes)
    }

    /// A notification requires a cycle that starts after now.
    ///
    /// If `isKept`, the notification survives the worker until a cycle covers it.
    mutating func notified(
        _ notice: Notice,
        isKept: Bool = false,
        telling evaluation: EvaluationID?,
        at now: Moment
    ) -> [Action] {
        owed.add(notice, at: now)
        if isKept { kept.add(notice) }
        _ = debt.owed()
        if let evaluation {
            if isExcluded { return tell([evaluation], .excluded) }
            owed.told.append(evaluation)
        }
        return beginIfDue(at: now)
    }

    /// The cycle has ended.
    ///
    /// A failed cycle is repeated after a backoff, and so is an overdue one, because it was cut short.
    ///
    /// - Returns: The evaluations to answer, the next actions, and whether the store must keep less than before.
    mutating func cycleEnded(
        isFailed: Bool,
        at now: Moment
    ) -> (told: [EvaluationID], next: [Action], keepsLess: Bool) {
        guard let ended = running else { return ([], [], false) }
        let keepsLess = kept.cycleEnded(isCovered: !isFailed && !ended.isOverdue)
        running = nil
        isHeldBack = false
        cycles += 1
        _ = debt.cycleFinished()
        if !isFailed, !ended.isOverdue {
            failures = 0
        } else if !isDraining {
            // Partly random, so that lanes that failed together do not retry together.
            let pause = Self.backoff.pause(after: failures)
            failures += 1
            owed.repeats(ended.causes, from: now.advanced(by: pause / 2 + jitter.duration(below: pause / 2)))
            _ = debt.owed()
        }
        return (ended.told, beginIfDue(at: now), keepsLess)
    }

    /// The monitor's exclusion began or ended, or the monitor began or ceased to hold back a cycle.
    ///
    /// A running cycle continues; one that is due waits until the exclusion ends. Callers that wait for a held-back
    /// cycle get `excluded` now.
    mutating func standingChanged(_ standing: MonitorStanding, at now: Moment) -> [Action] {
        if standing.isExcluded, !debt.isExcluded {
            _ = debt.excluded()
            // A cycle that was ordered and has not begun is kept.
            _ = debt.cycleStarted()
        } else if !standing.isExcluded, debt.isExcluded {
            _ = debt.lifted()
        }
        holdBack(standing.holdsBack, at: now)
        let told = (isHeldBack ? takeCovered() : []) + (isExcluded ? takeOwed() : [])
        return tell(told, .excluded) + beginIfDue(at: now)
    }

    /// The monitor holds the begun cycle back, or starts it now; the cycle's time counts from its start.
    private mutating func holdBack(_ holdsBack: Bool, at now: Moment) {
        guard running != nil, holdsBack != isHeldBack else { return }
        isHeldBack = holdsBack
        running?.isOverdue = false
        running?.limit = holdsBack ? nil : now.advanced(by: timing.timeLimit)
    }

    /// A mode shows a screen for `time` from now; nil ends the current mode.
    mutating func showScreen(for time: Duration?, at now: Moment) { modeEnd = time.map { now.advanced(by: $0) } }

    /// The worker stops: cycles for notifications begin as soon as the gap allows; others are dropped.
    mutating func drain(at now: Moment) -> [Action] {
        isDraining = true
        owed.hurry()
        if !owed.isNotified {
            _ = debt.emptied()
            owed = OwedCycle()
        }
        return beginIfDue(at: now)
    }

    /// Forgets a caller that gave up waiting.
    mutating func forget(_ evaluation: EvaluationID) {
        running?.told.removeAll { $0 == evaluation }
        owed.told.removeAll { $0 == evaluation }
    }
}

// What time does to it.
extension MonitorLane {
    /// The lane's next wake-up; nil if the caller knows it already, or there is nothing to wait for.
    ///
    /// A lane that wakes too early asks again. So a moment that moves many times costs one wake-up, not one each time.
    mutating func nextWake() -> (moment: Moment, number: Int)? {
        let begin = debt.phase == .ordered ? owed.due(timing, after: lastStart) : nil
        guard let next = Moment.earliest(begin, .earliest(running?.limit, modeEnd)) else { return nil }
        if let wake, wake.moment <= next { return nil }
        wakes += 1
        wake = (next, wakes)
        return wake
    }

    /// Whether the lane still waits for that wake-up; false once another one has replaced it.
    func awaits(wake number: Int) -> Bool { wake?.number == number }

    /// The wake-up is due.
    mutating func woken(_ number: Int, at now: Moment) -> [Action] {
        guard awaits(wake: number) else { return [] }
        wake = nil
        return endModeIfDue(at: now) + endTimeIfDue(at: now) + beginIfDue(at: now)
    }

    private mutating func beginIfDue(at now: Moment) -> [Action] {
        guard debt.phase == .ordered, let due = owed.due(timing, after: lastStart), due <= now,
            debt.cycleStarted() == .runCycle
        else { return [] }
        lastStart = now
        running = Running(told: owed.told, causes: owed.causes, limit: now.advanced(by: timing.timeLimit))
        owed = OwedCycle()
        kept.cycleBegan()
        return [.begin(running?.causes ?? MonitorCauses())]
    }

    /// Cancels the cycle if its time is over, and answers its callers; may happen several times for one cycle.
    ///
    /// A cycle that ignores the cancellation delays the next cycle. So the callers that wait for the next cycle get
    /// `overdue`, too, when the same time has passed again.
    private mutating func endTimeIfDue(at now: Moment) -> [Action] {
        guard let limit = running?.limit, limit <= now else { return [] }
        running?.limit = now.advanced(by: timing.timeLimit)
        let told = running?.isOverdue == true ? takeOwed() : takeCovered()
        running?.isOverdue = true
        // Each time, because a cycle that waited for the monitor's own had not begun at the first cancellation.
        return [.cancel] + tell(told, .overdue)
    }

    private mutating func endModeIfDue(at now: Moment) -> [Action] {
        guard let end = modeEnd, end <= now else { return [] }
        modeEnd = nil
        return [.endMode]
    }

    private mutating func takeCovered() -> [EvaluationID] {
        defer { running?.told = [] }
        return running?.told ?? []
    }

    private mutating func takeOwed() -> [EvaluationID] {
        defer { owed.told = [] }
        return owed.told
    }

    private func tell(_ evaluations: [EvaluationID], _ ending: Ending) -> [Action] {
        evaluations.isEmpty ? [] : [.tell(evaluations, ending)]
    }
}
