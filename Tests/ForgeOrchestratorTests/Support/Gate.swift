import ForgeLocks
import ForgeOrchestrator

/// A place where tasks stop until the test lets them go on.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

    /// Stops here unless the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, reached) = state.withLock { state in
                state.arrivals += 1
                let arrivals = state.arrivals
                let reached = state.watchers.filter { $0.count <= arrivals }
                state.watchers.removeAll { $0.count <= arrivals }
                if !state.isOpen { state.waiting.append(continuation) }
                return (state.isOpen, reached)
            }
            if isOpen { continuation.resume() }
            for watcher in reached { watcher.continuation.resume() }
        }
    }

    /// Stops here unless the gate is open, and says true.
    func passed() async -> Bool {
        await pass()
        return true
    }

    /// Waits until this many tasks have arrived, ever.
    func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.arrivals < count else { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Lets those go on who stand here now; the gate stays closed for others.
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

    var arrivalCount: Int { state.withLock { $0.arrivals } }
}
