import ForgeLocks

/// Lets callers wait until a store's thread (``StoreLane``) or an unfinished copy has closed its files.
package final class LaneEnd: Sendable {
    /// The lock guards this state; the waiters are resumed without the lock.
    private struct State {
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Creates an end that has not come.
    package init() {}

    /// Resumes all waiters, and lets later callers go on at once.
    package func tell() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the end.
    package func value() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(waiter) }
                return state.isOver
            }
            if isOver { waiter.resume() }
        }
    }
}
