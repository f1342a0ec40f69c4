import ForgeLocks
import ZeroMQ

/// Counts events from any thread and lets a test await a number of them.
final class Milestone: Sendable {
    private struct State {
        var count = 0
        var waiting: [(id: Int, goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var lastID = 0
        var cancelled: Set<Int> = []
    }

    private let state = Guarded(State())

    var count: Int { state.withLock { $0.count } }

    func advance() {
        let reached = state.withLock { state in
            state.count += 1
            let count = state.count
            let reached = state.waiting.filter { $0.goal <= count }
            state.waiting.removeAll { $0.goal <= count }
            return reached.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }

    /// Waits until that many events have happened, or the test's time is over.
    func reach(_ goal: Int) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count >= goal || state.cancelled.contains(id) { return true }
                    state.waiting.append((id, goal, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled.insert(id)
                let waiting = state.waiting.first { $0.id == id }
                state.waiting.removeAll { $0.id == id }
                return waiting?.continuation
            }
            waiting?.resume()
        }
    }
}

/// Collects values from any thread in the order they come, and lets a test await a number of them.
final class Record<Value: Sendable>: Sendable {
    private let state = Guarded<[Value]>([])
    private let milestone = Milestone()

    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) {
        state.withLock { $0.append(value) }
        milestone.advance()
    }

    /// Waits until that many values are there.
    func reach(_ goal: Int) async -> [Value] {
        await milestone.reach(goal)
        return values
    }
}
