import ForgeLocks

/// Collects values from any thread in the order they come, and lets a test await a number of them.
package final class Record<Value: Sendable>: Sendable {
    private let state = Guarded<[Value]>([])
    private let milestone = Milestone()

    package init() {}

    package var values: [Value] { state.withLock { $0 } }
    package var count: Int { values.count }

    @Sendable
    package func add(_ value: Value) {
        state.withLock { $0.append(value) }
        milestone.advance()
    }

    /// Waits until that many values are there, or the task is cancelled.
    @discardableResult
    package func reach(_ goal: Int) async -> [Value] {
        await milestone.reach(goal)
        return values
    }
}
