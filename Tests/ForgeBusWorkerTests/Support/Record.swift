import ForgeLocks
import ZeroMQ

/// Collects values from any thread in the order they come, and lets a test await a number of them.
final class Record<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var watchers: [(goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    var values: [Value] { state.withLock { $0.values } }
    var count: Int { values.count }

    func add(_ value: Value) {
        let reached = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            let reached = state.watchers.filter { $0.goal <= count }
            state.watchers.removeAll { $0.goal <= count }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Waits until that many values are there.
    @discardableResult
    func reach(_ goal: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.values.count >= goal { return true }
                state.watchers.append((goal, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
        return values
    }
}
