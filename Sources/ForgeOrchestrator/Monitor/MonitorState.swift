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
    /// The cycle that was ordered last.
    var cycle: Task<Void, Never>?

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
    ) -> MonitorDebt.Action {
        waiters[number] = Waiter(lastStarted: lastStarted, baggage: baggage, continuation: continuation)
        return debt.owed()
    }

    /// Takes a waiter away.
    ///
    /// The trigger it brought stays: a cycle it asked for still runs.
    mutating func abandon(_ number: UInt64) -> Waiter? {
        waiters.removeValue(forKey: number)
    }

    /// Begins a cycle that was ordered, or one that is merely welcome; `nil` if none may begin now.
    ///
    /// - Returns: Its number, and the baggage of everyone it covers.
    mutating func beginCycle(isOrdered: Bool) -> (number: Int, baggage: [any Sendable])? {
        let action = isOrdered ? debt.cycleStarted() : debt.welcomed()
        guard action == .runCycle else { return nil }
        lastStarted += 1
        return (lastStarted, baggage)
    }

    private var baggage: [any Sendable] {
        let given = waiters.filter { $0.value.baggage != nil && $0.value.lastStarted < lastStarted }
        return given.sorted { $0.key < $1.key }.compactMap(\.value.baggage)
    }

    /// Ends the cycle; hands out those it covered, and what to do next.
    mutating func endCycle() -> (covered: [Waiter], next: MonitorDebt.Action) {
        let number = lastStarted
        return (take { $0.lastStarted < number }, debt.cycleFinished())
    }

    /// Hands out those who are not covered by a cycle that runs.
    mutating func empty() -> [Waiter] {
        let isRunning = debt.phase == .running || debt.phase == .runningAndOwed
        guard debt.emptied() == .stopWaiting else { return [] }
        let number = lastStarted
        return take { !isRunning || $0.lastStarted == number }
    }

    mutating func exclude(_ screens: Set<String>) -> MonitorDebt.Action {
        excludedScreens = screens
        return updateExclusion()
    }

    mutating func show(_ screen: String?) -> MonitorDebt.Action {
        currentScreen = screen
        return updateExclusion()
    }

    private mutating func updateExclusion() -> MonitorDebt.Action {
        let isExcluded = currentScreen.map(excludedScreens.contains) ?? false
        guard isExcluded != debt.isExcluded else { return .none }
        return isExcluded ? debt.excluded() : debt.lifted()
    }

    private mutating func take(_ isTaken: (Waiter) -> Bool) -> [Waiter] {
        let taken = waiters.filter { isTaken($0.value) }
        for number in taken.keys { waiters[number] = nil }
        return Array(taken.values)
    }
}
