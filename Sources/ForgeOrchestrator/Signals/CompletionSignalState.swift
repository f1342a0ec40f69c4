/// The state machine of a completion signal.
///
/// The type has no lock and resumes no task: the caller holds the lock, and resumes the returned waiter after it has
/// released the lock.
///
/// ```
/// open ── wait ──▶ waiting ── complete ──▶ completed
///   ▲                 │
///   └──── abandon ────┘          open ── complete ──▶ completed
/// ```
package struct CompletionSignalState<Waiter> {
    private enum State {
        /// Not completed, and no task waits.
        case open
        /// Not completed; the waiter with this number is suspended.
        case waiting(number: UInt64, Waiter)
        /// Completed; every wait returns immediately.
        case completed
    }

    /// What to do with the task that called `wait`.
    package enum WaitAction: Equatable {
        /// Leave the task suspended.
        case suspend
        /// Resume the task, because the signal is already completed.
        case resume
        /// End the process, because another task is waiting: only one task may wait at a time.
        case refuse
    }

    private var state = State.open
    private var lastNumber: UInt64 = 0

    /// Makes the state of a signal that is not completed and has no waiter.
    package init() {}

    /// Makes a number for the next waiter, so that a late cancellation cannot abandon a later waiter.
    package mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Stores a waiter, unless the signal is completed or another task waits.
    ///
    /// - Returns: What to do with the waiter's task.
    package mutating func wait(_ number: UInt64, _ waiter: Waiter) -> WaitAction {
        switch state {
        case .open:
            state = .waiting(number: number, waiter)
            return .suspend
        case .waiting: return .refuse
        case .completed: return .resume
        }
    }

    /// Completes the signal and returns the waiter to resume, or nil.
    package mutating func complete() -> Waiter? {
        defer { state = .completed }
        switch state {
        case .open, .completed: return nil
        case .waiting(_, let waiter): return waiter
        }
    }

    /// Removes and returns the waiter with this number; nil if that waiter no longer waits.
    ///
    /// The caller uses this method after a cancellation or a timeout.
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
