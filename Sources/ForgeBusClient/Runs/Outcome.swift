import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// An outcome for which any number of tasks can wait.
///
/// One lock protects all state.
final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, BusError>?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Sets the outcome; only the first call counts.
    func end(_ result: Result<Value, BusError>) {
        wake { state in
            if state.result == nil { state.result = result }
        }
    }

    /// Waits for the outcome; returns nil if the task is cancelled first.
    func value() async -> Result<Value, BusError>? {
        while true {
            if let result = state.withLock({ $0.result }) { return result }
            if Task.isCancelled { return nil }
            await somethingNew()
        }
    }

    private func somethingNew() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.result == nil, !Task.isCancelled else { return false }
                    state.waiters.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            // This wakes all waiting tasks, because each task must check for itself whether it was cancelled.
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
