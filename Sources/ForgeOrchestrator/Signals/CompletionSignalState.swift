/// What a completion signal is waiting for.
///
/// Pure: the caller holds the lock, and resumes whom it is told to after it.
///
/// ```
/// open ── wait ──▶ waiting ── complete ──▶ completed
///   ▲                 │
///   └──── abandon ────┘          open ── complete ──▶ completed
/// ```
package struct CompletionSignalState<Waiter> {
    private enum State {
        /// Not completed, and nobody waits.
        case open
        /// Not completed; the waiter with this number is suspended.
        case waiting(number: UInt64, Waiter)
        /// Completed; every wait returns at once.
        case completed
    }

    /// What to do with the task that called `wait`.
    package enum WaitAction: Equatable {
        /// Leave it suspended.
        case suspend
        /// The signal is completed already.
        case resume
        /// Somebody else is waiting: the caller broke the single-waiter rule.
        case refuse
    }

    private var state = State.open
    private var lastNumber: UInt64 = 0

    /// A signal that is open.
    package init() {}

    /// A number for a waiter to come, so that a late cancellation cannot hit whoever waits after it.
    package mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Somebody waits.
    package mutating func wait(_ number: UInt64, _ waiter: Waiter) -> WaitAction {
        switch state {
        case .open:
            state = .waiting(number: number, waiter)
            return .suspend
        case .waiting: return .refuse
        case .completed: return .resume
        }
    }

    /// Completes the signal and hands out the waiter to resume, if there is one.
    package mutating func complete() -> Waiter? {
        defer { state = .completed }
        switch state {
        case .open, .completed: return nil
        case .waiting(_, let waiter): return waiter
        }
    }

    /// Takes the waiter with this number away, if it still waits: it was cancelled or its deadline passed.
    package mutating func abandon(_ number: UInt64) -> Waiter? {
        guard case .waiting(number, let waiter) = state else { return nil }
        state = .open
        return waiter
    }

    /// Whether the signal has been completed.
    package var isCompleted: Bool {
        if case .completed = state { true } else { false }
    }
}
