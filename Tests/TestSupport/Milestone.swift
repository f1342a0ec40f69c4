import ForgeLocks

/// Counts events from any thread and lets a test await a number of them.
package final class Milestone: Sendable {
    private struct State {
        var count = 0
        var goals: [Int: OneShot<Void>] = [:]
    }

    private let state = Guarded(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func advance() {
        let reached = state.withLock { state in
            state.count += 1
            return state.goals.removeValue(forKey: state.count)
        }
        reached?.set()
    }

    /// Waits until that many events have happened, or the task is cancelled, such as when the test's time is over.
    package func reach(_ goal: Int) async {
        let reached: OneShot<Void>? = state.withLock { state in
            guard state.count < goal else { return nil }
            let reached = state.goals[goal] ?? OneShot()
            state.goals[goal] = reached
            return reached
        }
        try? await reached?.value()
    }
}
