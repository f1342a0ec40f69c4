/// The whole state of a monitor as a value: the owed cycle, the waiting callers, the screens and the interval loop.
///
/// The mutex of ``MonitorCore`` guards the value. Each mutating method handles one event, and its caller acts on the
/// result after it has released the lock.
struct MonitorState {
    /// A caller that waits for a cycle whose number is greater than `lastStarted`.
    struct Waiter {
        let lastStarted: Int
        /// The value that the caller attached for the cycle's conditions and actions, or nil.
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
    /// Whether the monitor's host has paused the monitor.
    private var isPaused = false
    /// Closures to call after a change of ``standing``.
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var loop: Task<Void, Never>?
    /// The number of cycles ordered so far; only the latest order may begin a cycle.
    private(set) var orders = 0
    /// The task of the cycle that was ordered last.
    var cycle: Task<Void, Never>?
    /// The ordered cycle, if `reevaluate()` began it before the task of the cycle did; otherwise nil.
    private var begun: BegunCycle?

    /// A cycle that has begun, with the actions registered at that moment.
    struct BegunCycle {
        let number: Int
        /// The values attached to the requests that this cycle serves, in the order of the requests.
        let baggage: [any Sendable]
        let registered: [Registration<any MonitorAction>]
    }

    /// The result of an attempt to begin a cycle.
    enum Start {
        /// A cycle began that was not ordered; the caller runs this cycle.
        case own(BegunCycle)
        /// The ordered cycle began; the cycle's own task runs it.
        case ordered(number: Int, Task<Void, Never>)
        /// No cycle may begin now.
        case never
    }

    /// Whether an excluded screen is showing or the monitor is paused, and whether this keeps a requested cycle from
    /// starting.
    var standing: MonitorStanding { MonitorStanding(isExcluded: debt.isExcluded, holdsBack: debt.phase == .kept) }

    /// Returns a number that no other waiter or observer of this monitor has.
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

    /// Removes a waiter, and returns it; the cycle that it requested still runs.
    mutating func abandon(_ number: UInt64) -> Waiter? {
        waiters.removeValue(forKey: number)
    }

    /// Begins the ordered cycle, or a new cycle if no cycle is ordered, with these actions.
    mutating func beginWelcomeCycle(with registered: [Registration<any MonitorAction>]) -> Start {
        guard debt.phase == .ordered, let cycle else {
            return debt.welcomed() == .runCycle ? .own(begin(with: registered)) : .never
        }
        guard debt.cycleStarted() == .runCycle else { return .never }
        let cycleBegun = begin(with: registered)
        begun = cycleBegun
        return .ordered(number: cycleBegun.number, cycle)
    }

    /// Begins the cycle with this order number, or returns the cycle that `reevaluate()` has already begun.
    ///
    /// - Returns: The cycle to run; nil if the cycle is no longer owed, or an exclusion keeps the cycle from starting.
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

    /// Ends the running cycle and returns the waiters that it served.
    mutating func endCycle() -> [Waiter] {
        let number = lastStarted
        order(debt.cycleFinished())
        return take { $0.lastStarted < number }
    }

    /// Drops the owed cycle and returns the waiters that the running cycle does not serve.
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

    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        updateExclusion()
    }

    /// Drops the owed cycle if only an exclusion keeps it from starting, and nobody waits for it.
    mutating func dropHeldBackCycle() {
        if debt.phase == .kept, waiters.isEmpty { _ = debt.emptied() }
    }

    private mutating func updateExclusion() {
        let isExcluded = isPaused || currentScreen.map(excludedScreens.contains) == true
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
