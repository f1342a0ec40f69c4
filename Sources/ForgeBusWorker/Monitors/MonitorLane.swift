import ForgeBusProtocol
import ForgeOrchestrator

/// What one monitor of the worker does next, and who waits for which of its cycles.
///
/// Pure: the caller runs the cycles.
///
/// The debt itself is the library's ``MonitorDebt``; the lane adds the minimum gap between two cycles and the
/// notifications that asked to be told.
struct MonitorLane {
    /// What the caller has to do.
    enum Action: Equatable {
        /// Nothing.
        case none
        /// Come back with ``gapEnded()`` at this moment.
        case wait(until: Moment)
        /// Run a cycle and say how it ended.
        case run
    }

    let name: Name
    let topics: [NamePattern]
    private let minimumGap: Duration
    private var debt = MonitorDebt()
    private var lastStart: Moment?
    /// Whoever is covered by the cycle that runs.
    private var covered: [EvaluationID] = []
    /// Whoever is covered by the next cycle.
    private var owed: [EvaluationID] = []
    /// Whether the monitor itself holds its cycle back: an excluded screen is showing.
    private(set) var isHeldBack = false
    /// How many cycles have ended.
    private(set) var cycles = 0

    init(name: Name, topics: [NamePattern], minimumGap: Duration) {
        self.name = name
        self.topics = topics
        self.minimumGap = minimumGap
    }

    /// What a page says of its state.
    var stateName: String {
        switch debt.phase {
        case .idle: "idle"
        case .kept, .ordered: "owed"
        case .running: isHeldBack ? "excluded" : "running"
        case .runningAndOwed: isHeldBack ? "excluded" : "running, owed"
        }
    }

    /// Whether nothing runs and nothing is owed, or what is owed is held back and may be for ever.
    var isSettled: Bool { debt.phase == .idle || isHeldBack }

    /// A notification asks for a cycle that starts after now.
    mutating func notified(telling evaluation: EvaluationID?, at now: Moment) -> Action {
        if let evaluation { owed.append(evaluation) }
        return follow(debt.owed(), at: now)
    }

    /// The gap is over.
    mutating func gapEnded(at now: Moment) -> Action { begin(at: now) }

    /// The cycle is over.
    ///
    /// - Returns: Whom it covered, and what is next.
    mutating func cycleEnded(at now: Moment) -> (told: [EvaluationID], next: Action) {
        isHeldBack = false
        cycles += 1
        let told = covered
        covered = []
        return (told, follow(debt.cycleFinished(), at: now))
    }

    /// The monitor holds its cycle back.
    ///
    /// Whoever waits is told now; the debt stays, because the cycle that was begun runs when the exclusion lifts.
    mutating func heldBack() -> [EvaluationID] {
        isHeldBack = true
        let told = covered + owed
        covered = []
        owed = []
        return told
    }

    /// Whoever gave up waiting is not told any more.
    mutating func forget(_ evaluation: EvaluationID) {
        covered.removeAll { $0 == evaluation }
        owed.removeAll { $0 == evaluation }
    }

    private mutating func follow(_ action: MonitorDebt.Action, at now: Moment) -> Action {
        switch action {
        case .none, .stopWaiting: return .none
        case .runCycle: return .run
        case .startCycle:
            guard let start = lastStart?.advanced(by: minimumGap), start > now else { return begin(at: now) }
            return .wait(until: start)
        }
    }

    private mutating func begin(at now: Moment) -> Action {
        guard case .runCycle = debt.cycleStarted() else { return .none }
        lastStart = now
        covered = owed
        owed = []
        return .run
    }
}
