/// A value that is set once, and for which any number of tasks can wait.
///
/// One lock protects all state; the waiting tasks are resumed without the lock.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Guarded(State())

    /// Creates a value that is not set.
    package init() {}

    /// The value; nil before it is set.
    package var known: Value? { state.withLock { $0.value } }

    /// Sets the value, and resumes all tasks that wait for it; only the first call has an effect.
    package func set(_ value: Value) {
        let waiters: [UInt64: CheckedContinuation<Void, Never>] = state.withLock { state in
            guard state.value == nil else { return [:] }
            state.value = value
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits until the value is set.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first. A cancelled task gets a value that is already set.
    package func value() async throws(CancellationError) -> Value {
        let id = nextID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                add(waiter, id)
                // A cancellation before the waiter was registered found no waiter.
                if Task.isCancelled { remove(id) }
            }
        } onCancel: {
            remove(id)
        }
        guard let value = known else { throw CancellationError() }
        return value
    }

    /// Waits until the value is set, even if the task is cancelled.
    package func valueDespiteCancellation() async -> Value {
        let id = nextID()
        while true {
            if let value = known { return value }
            await withCheckedContinuation { add($0, id) }
        }
    }

    private func nextID() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    private func add(_ waiter: CheckedContinuation<Void, Never>, _ id: UInt64) {
        let mustWait = state.withLock { state in
            if state.value == nil { state.waiters[id] = waiter }
            return state.value == nil
        }
        if !mustWait { waiter.resume() }
    }

    private func remove(_ id: UInt64) { state.withLock { $0.waiters.removeValue(forKey: id) }?.resume() }
}

extension OneShot<Void> {
    /// Resumes all waiting tasks; later ones do not wait.
    package func set() { set(()) }
}
