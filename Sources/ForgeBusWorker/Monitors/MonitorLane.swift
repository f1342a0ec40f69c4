import ForgeBusProtocol
import ForgeOrchestrator

/// What one monitor of the worker does next, and who waits for which of its cycles.
///
/// Pure: the caller runs the cycles and tells the time.
///
/// Whether a cycle is owed is the library's ``MonitorDebt``. The lane adds when it begins (gap, debounce, backoff,
/// exclusion), how long it may take, and whom it covers.
struct MonitorLane {
    /// What the caller has to do.
    enum Action: Equatable {
        /// Begin a cycle for these causes, and say how it ended.
        case begin(MonitorCauses)
        /// The cycle has had its time: cancel its task. It is over when it has returned, not before.
        case cancel
        /// Tell them how their cycle stands; they are not told again.
        case tell([EvaluationID], Ending)
        /// The mode's time is over: no screen is showing any more.
        case endMode
    }

    /// How a cycle stands for somebody who is told before it is over.
    enum Ending: Equatable {
        /// It has not ended within its time.
        case overdue
        /// An excluded screen holds it back.
        case excluded
    }

    /// The cycle that runs.
    private struct Running {
        var told: [EvaluationID]
        let causes: MonitorCauses
        /// When whoever waits is told that it takes too long; nil while it is held back.
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
    /// When the screen that was shown by a mode stops showing.
    private var modeEnd: Moment?
    private var isDraining = false
    /// When the lane wants to be woken, and the number of that waking.
    private var wake: (moment: Moment, number: Int)?
    private var wakes = 0
    /// Whether the monitor itself holds back the cycle that was begun: an excluded screen is showing.
    private(set) var isHeldBack = false
    /// What the cycle that runs is for; empty where none runs.
    var runningCauses: MonitorCauses { running?.causes ?? MonitorCauses() }
    /// How many cycles have ended.
    private(set) var cycles = 0
    /// The notifications that are to survive the worker until they are covered.
    private(set) var kept = KeptDebt()

    init(name: Name, topics: [NamePattern], timing: CycleTiming = CycleTiming(), seed: String = "") {
        self.name = name
        self.topics = topics
        self.timing = timing
        jitter = Jitter(of: "\(seed)/\(name)")
    }
}

extension MonitorLane {
    /// What pages and events say of its state.
    enum StateName: String, CaseIterable {
        case idle
        case owed
        case running
        case overdue
        case runningAndOwed = "running, owed"
        case overdueAndOwed = "overdue, owed"
        case excluded
    }

    /// What a page says of its state.
    var stateName: String { standing.rawValue }

    private var standing: StateName {
        if isExcluded { return .excluded }
        return switch debt.phase {
        case .idle: .idle
        case .kept, .ordered: .owed
        case .running: running?.isOverdue == true ? .overdue : .running
        case .runningAndOwed: running?.isOverdue == true ? .overdueAndOwed : .runningAndOwed
        }
    }

    /// Whether nothing runs and nothing is owed, or what is owed is held back and may be for ever.
    var isSettled: Bool {
        switch debt.phase {
        case .idle, .kept: true
        case .ordered: false
        case .running, .runningAndOwed: isHeldBack
        }
    }

    /// Whether a cycle that is asked for now would be held back.
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

    /// Something may have been said that never came: the monitor is evaluated once, as at the start.
    mutating func missed(at now: Moment) -> [Action] { evaluateAtStart(within: .zero, at: now) }

    /// An earlier worker owed a cycle for these; the evaluation at the start covers them.
    mutating func restore(_ causes: MonitorCauses) {
        owed.add(causes)
        kept.add(causes)
    }

    /// A notification asks for a cycle that starts after now.
    ///
    /// One that is kept survives the worker until it is covered.
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

    /// The cycle is over.
    ///
    /// One that failed is owed again after a backoff, and so is one that was overdue, because it was cut short.
    ///
    /// - Returns: Whom it covered and who was not told yet, what is next, and whether less is to be kept than before.
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
            // Partly random, so that lanes that failed together do not come back together.
            let pause = Self.backoff.pause(after: failures)
            failures += 1
            owed.repeats(ended.causes, from: now.advanced(by: pause / 2 + jitter.duration(below: pause / 2)))
            _ = debt.owed()
        }
        return (ended.told, beginIfDue(at: now), keepsLess)
    }

    /// An excluded screen shows to the monitor or no longer, and it holds back the cycle that was begun or does not.
    ///
    /// A cycle that runs goes on; what is owed waits until the exclusion lifts. Whoever waits for what is held back is
    /// told now.
    mutating func standingChanged(_ standing: MonitorStanding, at now: Moment) -> [Action] {
        if standing.isExcluded, !debt.isExcluded {
            _ = debt.excluded()
            // What was ordered and has not begun is kept.
            _ = debt.cycleStarted()
        } else if !standing.isExcluded, debt.isExcluded {
            _ = debt.lifted()
        }
        holdBack(standing.holdsBack, at: now)
        let told = (isHeldBack ? takeCovered() : []) + (isExcluded ? takeOwed() : [])
        return tell(told, .excluded) + beginIfDue(at: now)
    }

    /// The monitor holds back the cycle that was begun, or begins it now: its time is counted from then.
    private mutating func holdBack(_ holdsBack: Bool, at now: Moment) {
        guard running != nil, holdsBack != isHeldBack else { return }
        isHeldBack = holdsBack
        running?.isOverdue = false
        running?.limit = holdsBack ? nil : now.advanced(by: timing.timeLimit)
    }

    /// A mode shows a screen for `time` from now; nil ends the mode that is on.
    mutating func showScreen(for time: Duration?, at now: Moment) { modeEnd = time.map { now.advanced(by: $0) } }

    /// The worker stops: what notifications owe begins as soon as the gap allows, and nothing is evaluated again that
    /// nobody asked for.
    mutating func drain(at now: Moment) -> [Action] {
        isDraining = true
        owed.hurry()
        if !owed.isNotified {
            _ = debt.emptied()
            owed = OwedCycle()
        }
        return beginIfDue(at: now)
    }

    /// Whoever gave up waiting is not told any more.
    mutating func forget(_ evaluation: EvaluationID) {
        running?.told.removeAll { $0 == evaluation }
        owed.told.removeAll { $0 == evaluation }
    }
}

// What time does to it.
extension MonitorLane {
    /// When the lane wants to be woken; nil if the caller knows already, or there is nothing to wait for.
    ///
    /// Woken too early it asks again, so that a moment which moves on and on costs one waking and not one each time.
    mutating func nextWake() -> (moment: Moment, number: Int)? {
        let begin = debt.phase == .ordered ? owed.due(timing, after: lastStart) : nil
        guard let next = Moment.earliest(begin, .earliest(running?.limit, modeEnd)) else { return nil }
        if let wake, wake.moment <= next { return nil }
        wakes += 1
        wake = (next, wakes)
        return wake
    }

    /// Whether the lane still waits for that waking, or another took its place.
    func awaits(wake number: Int) -> Bool { wake?.number == number }

    /// The moment has come.
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

    /// The cycle's time is over, perhaps not for the first time.
    ///
    /// One that does not heed the cancellation keeps the next one waiting: whoever waits for that is told too, when the
    /// same time has passed again.
    private mutating func endTimeIfDue(at now: Moment) -> [Action] {
        guard let limit = running?.limit, limit <= now else { return [] }
        running?.limit = now.advanced(by: timing.timeLimit)
        let told = running?.isOverdue == true ? takeOwed() : takeCovered()
        running?.isOverdue = true
        // Every time: a cycle that waited for the monitor's own had not begun when it was cancelled first.
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
