import ForgeLocks
import Synchronization

/// The handlers to call when waits end; any thread may use the register.
final class WaitRegister: Sendable {
    typealias Handler = @Sendable (WaitOutcome) -> Void

    private struct State {
        var handlers: [WaiterID: Handler] = [:]
        var isClosed = false
    }

    private let state = Guarded(State())
    private let numbers = Atomic<UInt64>(0)

    /// Returns a number that no other wait of this worker has.
    func mint() -> WaiterID {
        WaiterID(number: numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Adds a handler, which gets the outcomes of the wait; if the register is closed, calls the handler immediately.
    func add(_ waiter: WaiterID, _ handler: @escaping Handler) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.handlers[waiter] = handler }
            return state.isClosed
        }
        if isClosed { handler(Self.stopped) }
    }

    /// Calls the waiter's handler, and removes the handler unless the outcome is `registered`: then the wait continues.
    func resume(_ waiter: WaiterID, _ outcome: WaitOutcome) {
        let handler: Handler? = state.withLock { state in
            if case .registered = outcome { return state.handlers[waiter] }
            return state.handlers.removeValue(forKey: waiter)
        }
        handler?(outcome)
    }

    /// Ends a wait that the worker did not accept, because the worker has stopped; does nothing if the wait has ended.
    func close(_ waiter: WaiterID) { resume(waiter, Self.stopped) }

    /// Closes the register and ends all waits, because the worker closes.
    func closeAll() {
        let left = state.withLock { state in
            state.isClosed = true
            return exchange(&state.handlers, with: [:])
        }
        for handler in left.values { handler(Self.stopped) }
    }

    private static let stopped = WaitOutcome.decided(.closed(why: "The worker stopped."))
}
