/// Everything a monitor knows, as a value: what it owes and to whom, its screens and its loop.
///
/// Owned by the mutex of ``MonitorCore``. Methods are events; what they return is done after the lock is released.
struct MonitorState {
    /// Somebody who waits for a cycle that starts after the one that had started last.
    struct Waiter {
        let lastStarted: Int
        /// What the cycle gets on its way.
        let baggage: (any Sendable)?
        /// Resumed with `nil` when its task was cancelled.
        let continuation: CheckedContinuation<MonitorOutcome?, Never>
    }

    private(set) var debt = MonitorDebt()
    /// The number of the cycle that started last.
    private(set) var lastStarted = 0
    private var waiters: [UInt64: Waiter] = [:]
    private var lastNumber: UInt64 = 0
    private var excludedScreens: Set<String> = []
    private var currentScreen: String?
    /// Told that ``standing`` has changed.
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var loop: Task<Void, Never>?
    /// How many cycles were ordered: only the order that was given last begins one.
    private(set) var orders = 0
    /// The task of the cycle that was ordered last.
    var cycle: Task<Void, Never>?
    /// The ordered cycle, where somebody began it before its task did.
    private var begun: BegunCycle?

    /// A cycle that has begun, with what it began with.
    struct BegunCycle {
        let number: Int
        /// From everyone whom it covers, in the order in which they asked.
        let baggage: [any Sendable]
        let registered: [Registration<any MonitorAction>]
    }

    /// What comes of the wish for a cycle.
    enum Start {
        /// One began that nobody had ordered: the caller runs it.
        case own(BegunCycle)
        /// The ordered one began: its task runs it.
        case ordered(number: Int, Task<Void, Never>)
        /// None may begin.
        case never
    }

    /// Whether cycles may begin.
    var standing: MonitorStanding { MonitorStanding(isExcluded: debt.isExcluded, holdsBack: debt.phase == .kept) }

    /// A number that no other waiter or observer has.
    mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func wait(
        _ number: UInt64,
        with baggage: (any Sendable)?,
        _ continuation: CheckedContinuation<MonitorOutcome?, Never>
    ) {
        waiters[number] = Waiter(lastStarted: lastStarted, baggage: baggage, continuation: continuation)
        order(debt.owed())
    }

    /// Takes a waiter away.
    ///
    /// The trigger it brought stays: a cycle it asked for still runs.
    mutating func abandon(_ number: UInt64) -> Waiter? {
        waiters.removeValue(forKey: number)
    }

    /// Begins a cycle that nobody is owed, with these actions, or the one that is ordered, which is as good.
    mutating func beginWelcomeCycle(with registered: [Registration<any MonitorAction>]) -> Start {
        guard debt.phase == .ordered, let cycle else {
            return debt.welcomed() == .runCycle ? .own(begin(with: registered)) : .never
        }
        guard debt.cycleStarted() == .runCycle else { return .never }
        let cycleBegun = begin(with: registered)
        begun = cycleBegun
        return .ordered(number: cycleBegun.number, cycle)
    }

    /// Begins the cycle of an order, unless it has begun; nil where none may begin any more.
    mutating func beginCycle(
        ofOrder order: Int,
        with registered: [Registration<any MonitorAction>]
    ) -> BegunCycle? {
        guard order == orders else { return nil }
        if let begun {
            self.begun = nil
            return begun
        }
        return debt.cycleStarted() == .runCycle ? begin(with: registered) : nil
    }

    private mutating func begin(with registered: [Registration<any MonitorAction>]) -> BegunCycle {
        lastStarted += 1
        return BegunCycle(number: lastStarted, baggage: baggage, registered: registered)
    }

    private var baggage: [any Sendable] {
        let given = waiters.filter { $0.value.baggage != nil && $0.value.lastStarted < lastStarted }
        return given.sorted { $0.key < $1.key }.compactMap(\.value.baggage)
    }

    /// Ends the cycle; hands out those it covered.
    mutating func endCycle() -> [Waiter] {
        let number = lastStarted
        order(debt.cycleFinished())
        return take { $0.lastStarted < number }
    }

    /// Hands out those who are not covered by a cycle that runs.
    mutating func empty() -> [Waiter] {
        let isRunning = debt.phase == .running || debt.phase == .runningAndOwed
        guard debt.emptied() == .stopWaiting else { return [] }
        let number = lastStarted
        return take { !isRunning || $0.lastStarted == number }
    }

    mutating func exclude(_ screens: Set<String>) {
        excludedScreens = screens
        updateExclusion()
    }

    mutating func show(_ screen: String?) {
        currentScreen = screen
        updateExclusion()
    }

    private mutating func updateExclusion() {
        let isExcluded = currentScreen.map(excludedScreens.contains) ?? false
        guard isExcluded != debt.isExcluded else { return }
        order(isExcluded ? debt.excluded() : debt.lifted())
    }

    private mutating func order(_ action: MonitorDebt.Action) {
        if action == .startCycle { orders += 1 }
    }

    private mutating func take(_ isTaken: (Waiter) -> Bool) -> [Waiter] {
        let taken = waiters.filter { isTaken($0.value) }
        for number in taken.keys { waiters[number] = nil }
        return Array(taken.values)
    }
}
