import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Decides when the cycles of one monitor begin, how long they may take, and which callers wait for which cycle.
///
/// The lane is pure: it returns instructions to its user, the worker's state, which also passes the time. A cycle runs or
/// not, and a further one is due or not. The lane decides when a due cycle begins (after gap, debounce, backoff and
/// exclusion), when it is overdue, and which callers get an answer at its end.
struct MonitorLane {
    /// An instruction that the worker must carry out.
    enum Action: Equatable {
        /// Begin a cycle for these causes, and report how it ended.
        case begin(MonitorCauses)
        /// The cycle's time is over: cancel its task. The cycle ends only when the task returns.
        case cancel
        /// Add the cycle's state to these EVALUATED answers now; they get no later part from this monitor.
        case tell([EvaluationID], Ending)
        /// The mode's time is over: the monitor shows no screen any more.
        case endMode
    }

    /// The state of a cycle for callers that get an answer before the cycle ends.
    enum Ending: Equatable {
        /// The cycle has not ended within its time.
        case overdue
        /// An excluded screen holds the cycle back.
        case excluded
    }

    /// How a cycle ended.
    enum Outcome: Equatable {
        /// The monitor evaluated its conditions, and no action failed.
        case ran
        /// An action failed; the text says which, and why.
        case failed(String)
        /// The monitor evaluated nothing, because all its actions were removed before.
        case stopped
    }

    /// The cycle that runs, or that the monitor holds back.
    private struct Cycle {
        /// When the lane ordered the cycle: before the monitor evaluates the first condition, also of a held-back cycle.
        let ordered: Moment
        /// When the lane ordered the cycle, or learned that the monitor does not hold it back any more.
        var started: Moment
        var told: [EvaluationID]
        let causes: MonitorCauses
        /// Whether only the interval required the cycle.
        let isRoutine: Bool
        /// When the callers that wait for the cycle get `overdue`; nil while the monitor holds the cycle back.
        var limit: Moment?
        var isOverdue = false
        /// Whether the monitor holds the cycle back, because an excluded screen is showing.
        var isHeldBack: Bool { limit == nil }
    }

    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(300))

    let name: Name
    let topics: [NamePattern]
    private let timing: CycleTiming
    private var jitter: Jitter
    /// How many cycles in a row have failed or were overdue.
    private var failures = 0
    /// The latest failed or overdue cycle; nil after a cycle that ended well.
    private(set) var trouble: MonitorItem.Failure?
    /// The latest ended cycle in which the monitor evaluated something; nil before the first one.
    private(set) var last: EndedCycle?
    private var lastStart: Moment?
    /// When the monitor's interval next ends (a tick); nil without an interval, and while the worker starts or stops.
    private var tick: Moment?
    /// The cycle that the lane has begun; nil if none runs.
    private var running: Cycle?
    /// Whether a further cycle is due, now or later.
    private var isDue = false
    /// What is known of that further cycle.
    private var owed = OwedCycle()
    /// Whether the monitor begins no cycle now: an excluded screen is showing, or it is paused.
    private var isShut = false
    /// When the mode ends; nil if no mode shows a screen.
    private var modeEnd: Moment?
    private var isDraining = false
    /// The next wake-up, and its number.
    private var wake: (moment: Moment, number: Int)?
    private var wakes = 0
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
    var isRunning: Bool { running != nil }
    /// Whether the running cycle has exceeded its time limit.
    var isOverdue: Bool { running?.isOverdue == true }
    /// Whether a cycle runs that only the interval required.
    var isRoutine: Bool { running?.isRoutine == true }

    /// When the next cycle begins; nil if none is planned, or if a running cycle or an exclusion must end first.
    var nextCycle: Moment? { .earliest(nextOwed, nextTick) }

    private var nextOwed: Moment? {
        isDue && running == nil && !isShut ? owed.due(timing, after: lastStart) : nil
    }

    /// When the next tick begins a cycle; nil without a tick, while a cycle runs, while a notification waits for its
    /// cycle, and while an exclusion lasts.
    private var nextTick: Moment? {
        guard let tick, running == nil, !isExcluded, !owed.isNotified else { return nil }
        return lastStart.map { max(tick, $0.advanced(by: timing.minimumGap)) } ?? tick
    }

    /// The state of the monitor in list pages and in events.
    var state: MonitorItem.State {
        if isExcluded { return .excluded }
        guard let running else { return isDue ? .owed : .idle }
        if running.isOverdue { return isDue ? .overdueOwed : .overdue }
        return isDue ? .runningOwed : .running
    }

    /// Whether a stopping worker need not wait for this lane: nothing runs or is due, or an exclusion holds it back.
    ///
    /// An exclusion may last for ever.
    var isSettled: Bool { running.map(\.isHeldBack) ?? (!isDue || isShut) }

    /// Whether the monitor holds back the cycle that the lane has begun.
    var isHeldBack: Bool { running?.isHeldBack == true }

    /// Whether a cycle that is requested now would have to wait for the end of an exclusion.
    private var isExcluded: Bool { isShut || isHeldBack }
}

// Events.
extension MonitorLane {
    /// Begins the interval, and evaluates the monitor once because the worker starts, within `spread` from now.
    mutating func open(within spread: Duration, at now: Moment) -> [Action] {
        let start = now.advanced(by: jitter.duration(below: spread))
        tick = timing.interval.map { start.advanced(by: $0) }
        return evaluate(from: start, at: now)
    }

    /// Evaluates the monitor once, as at the start, because publications may have been lost.
    mutating func missed(at now: Moment) -> [Action] { evaluate(from: now, at: now) }

    private mutating func evaluate(from moment: Moment, at now: Moment) -> [Action] {
        owed.evaluatesStart(from: moment)
        isDue = true
        return beginIfDue(at: now)
    }

    /// Restores notifications that no cycle of an earlier worker covered; the evaluation at the start covers them.
    mutating func restore(_ causes: MonitorCauses) {
        owed.add(causes)
        kept.add(causes)
    }

    /// Restores that the monitor failed in an earlier worker.
    mutating func restore(_ record: TroubleRecord) { (failures, trouble) = (1, MonitorItem.Failure(record)) }

    /// Takes a notification, which requires a cycle that begins later than now.
    ///
    /// If `isKept`, the notification survives the worker until a cycle has covered it.
    mutating func notified(
        _ notice: Notice,
        isKept: Bool = false,
        telling evaluation: EvaluationID?,
        at now: Moment
    ) -> [Action] {
        owed.add(notice, at: now)
        if isKept { kept.add(notice) }
        isDue = true
        if let evaluation {
            if isExcluded { return tell([evaluation], .excluded) }
            owed.told.append(evaluation)
        }
        return beginIfDue(at: now)
    }

    /// Handles the end of the running cycle.
    ///
    /// A failed cycle is repeated after a backoff, and so is an overdue cycle, because it was cancelled. A stopping
    /// worker repeats no cycle.
    ///
    /// - Returns: The EVALUATED answers that get the cycle's outcome, the next actions, and whether the store must keep
    ///   fewer notifications than before.
    mutating func cycleEnded(
        _ outcome: Outcome,
        at now: Moment
    ) -> (told: [EvaluationID], next: [Action], keepsLess: Bool) {
        guard let ended = running else { return ([], [], false) }
        let failure: String? = if case .failed(let reason) = outcome { reason } else { nil }
        let isFailed = failure != nil
        let keepsLess = kept.cycleEnded(isCovered: !isFailed && !ended.isOverdue)
        running = nil
        dropTicks(upTo: now)
        cycles += 1
        if outcome != .stopped {
            let state: LastCycle.State = ended.isOverdue ? .overdue : isFailed ? .failed : .ran
            last = EndedCycle(ordered: ended.ordered, took: now.since(ended.started), state: state)
        }
        if !isFailed, !ended.isOverdue {
            (failures, trouble) = (0, nil)
        } else if !isDraining {
            // The pause is partly random, so that monitors that failed together do not retry together.
            let pause = Self.backoff.pause(after: failures)
            failures += 1
            let reason = failure ?? "The cycle took longer than its time limit, \(timing.timeLimit), and was cancelled."
            trouble = .init(count: failures, unixMilliseconds: now.unixMilliseconds, reason: reason)
            owed.repeats(ended.causes, from: now.advanced(by: pause / 2 + jitter.duration(below: pause / 2)))
            isDue = true
        }
        return (ended.told, beginIfDue(at: now), keepsLess)
    }

    /// Takes the monitor's new standing: an exclusion began or ended, or the monitor holds a cycle back or starts it.
    ///
    /// A cycle that has started continues. Every other cycle waits until the exclusion ends, and the callers that wait
    /// for this cycle get `excluded` now.
    mutating func standingChanged(_ standing: MonitorStanding, at now: Moment) -> [Action] {
        if isExcluded { dropTicks(upTo: now) }
        isShut = standing.isExcluded
        holdBack(standing.holdsBack, at: now)
        let told = (isHeldBack ? takeCovered() : []) + (isExcluded ? takeOwed() : [])
        return tell(told, .excluded) + beginIfDue(at: now)
    }

    /// Records that the monitor holds back the cycle that the lane has begun, or starts it now.
    ///
    /// The cycle's time limit counts from its start in the monitor.
    private mutating func holdBack(_ holdsBack: Bool, at now: Moment) {
        guard running != nil, holdsBack != isHeldBack else { return }
        running?.isOverdue = false
        running?.limit = holdsBack ? nil : now.advanced(by: timing.timeLimit)
        // Only the duration counts from now on. The age must not: the monitor may have evaluated conditions before.
        running?.started = now
    }

    /// Records that a mode shows a screen for `time` from now; nil ends the current mode.
    mutating func showScreen(for time: Duration?, at now: Moment) { modeEnd = time.map { now.advanced(by: $0) } }

    /// Prepares for the worker's stop: a cycle for notifications begins as soon as the gap allows.
    ///
    /// A cycle without notifications is dropped.
    mutating func drain(at now: Moment) -> [Action] {
        isDraining = true
        tick = nil
        owed.hurry()
        if !owed.isNotified {
            isDue = false
            owed = OwedCycle()
        }
        return beginIfDue(at: now)
    }

    /// Forgets an EVALUATED answer that no longer waits for this monitor's part.
    mutating func forget(_ evaluation: EvaluationID) {
        running?.told.removeAll { $0 == evaluation }
        owed.told.removeAll { $0 == evaluation }
    }
}

// Wake-ups.
extension MonitorLane {
    /// Returns the next wake-up that the worker must arrange; nil if an earlier one is arranged, or nothing is due.
    ///
    /// If the due moment moves later, the arranged wake-up stays. The lane then wakes too early, and asks for another
    /// wake-up. So a due moment that moves later many times does not need a wake-up for each move.
    mutating func nextWake() -> (moment: Moment, number: Int)? {
        guard let next = Moment.earliest(nextCycle, .earliest(running?.limit, modeEnd)) else { return nil }
        if let wake, wake.moment <= next { return nil }
        wakes += 1
        wake = (next, wakes)
        return wake
    }

    /// Whether the lane still waits for this wake-up; false once another wake-up has replaced it.
    func awaits(wake number: Int) -> Bool { wake?.number == number }

    /// Handles a wake-up that is due.
    mutating func woken(_ number: Int, at now: Moment) -> [Action] {
        guard awaits(wake: number) else { return [] }
        wake = nil
        return endModeIfDue(at: now) + endTimeIfDue(at: now) + tickIfDue(at: now) + beginIfDue(at: now)
    }

    private mutating func tickIfDue(at now: Moment) -> [Action] {
        guard let due = nextTick, due <= now else { return [] }
        dropTicks(upTo: now)
        // A cycle that waits for a pause after a failure begins now.
        return begin(isRoutine: !isDue, at: now)
    }

    /// Moves the next tick to a moment after `now`; ticks fall on the multiples of the interval.
    private mutating func dropTicks(upTo now: Moment) {
        guard let interval = timing.interval, let due = tick, due <= now else { return }
        let next = due.advanced(by: interval * (Int(now.since(due) / interval) + 1))
        // The quotient of two exact multiples may be a little too small.
        tick = next > now ? next : next.advanced(by: interval)
    }

    private mutating func beginIfDue(at now: Moment) -> [Action] {
        guard let due = nextOwed, due <= now else { return [] }
        return begin(isRoutine: false, at: now)
    }

    private mutating func begin(isRoutine: Bool, at now: Moment) -> [Action] {
        let (causes, limit) = (owed.causes, now.advanced(by: timing.timeLimit))
        lastStart = now
        running = Cycle(
            ordered: now,
            started: now,
            told: owed.told,
            causes: causes,
            isRoutine: isRoutine,
            limit: limit
        )
        isDue = false
        owed = OwedCycle()
        kept.cycleBegan()
        return [.begin(causes)]
    }

    /// Cancels the cycle if its time limit has passed, and gives `overdue` to the callers that wait for it.
    ///
    /// A cycle that ignores the cancellation delays the next cycle. So whenever the time limit has passed once more,
    /// the cycle is cancelled again, and the callers that wait for the next cycle get `overdue`, too.
    private mutating func endTimeIfDue(at now: Moment) -> [Action] {
        guard let limit = running?.limit, limit <= now else { return [] }
        running?.limit = now.advanced(by: timing.timeLimit)
        let told = running?.isOverdue == true ? takeOwed() : takeCovered()
        running?.isOverdue = true
        // The cancellation is repeated: at the first one this cycle may not have begun, because it waited for a cycle
        // that the monitor itself had begun.
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

    private mutating func takeOwed() -> [EvaluationID] { exchange(&owed.told, with: []) }

    private func tell(_ told: [EvaluationID], _ ending: Ending) -> [Action] {
        told.isEmpty ? [] : [.tell(told, ending)]
    }
}
