import ForgeLocks
import ZeroMQ

/// A place where tasks stop until the test lets them go on.
final class Turnstile: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    /// How many tasks have arrived, ever.
    var arrivals: Int { state.withLock { $0.arrivals } }

    /// Stops here unless it is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, reached) = state.withLock { state in
                state.arrivals += 1
                let arrivals = state.arrivals
                let reached = state.watchers.filter { $0.goal <= arrivals }
                state.watchers.removeAll { $0.goal <= arrivals }
                if !state.isOpen { state.waiting.append(continuation) }
                return (state.isOpen, reached)
            }
            if isOpen { continuation.resume() }
            for watcher in reached { watcher.continuation.resume() }
        }
    }

    /// Waits until this many tasks have arrived, ever.
    func reach(_ goal: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.arrivals < goal else { return true }
                state.watchers.append((goal, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Lets those go on who stand here now; it stays closed for others.
    func releaseWaiting() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Opens for good.
    func open() {
        state.withLock { $0.isOpen = true }
        releaseWaiting()
    }
}
