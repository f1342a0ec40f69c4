import ForgeLocks

/// A place where tasks stop until the test lets them go on.
package final class Turnstile: Sendable {
    private struct State {
        var isOpen = false
        /// What those wait for who stand here now.
        var release = OneShot<Void>()
    }

    private let state = Guarded(State())
    private let arrived = Milestone()

    package init() {}

    /// How many tasks have arrived, ever.
    package var arrivals: Int { arrived.count }

    /// Stops here unless it is open; a cancelled task stands here, too.
    package func pass() async {
        let release = state.withLock { $0.release }
        arrived.advance()
        await release.valueDespiteCancellation()
    }

    /// Stops here unless it is open, and says true.
    package func passed() async -> Bool {
        await pass()
        return true
    }

    /// Waits until this many tasks have arrived, ever, or the task is cancelled.
    package func reach(_ goal: Int) async { await arrived.reach(goal) }

    /// Lets those go on who stand here now; it stays closed for others.
    package func releaseWaiting() {
        let release = state.withLock { state in
            defer { if !state.isOpen { state.release = OneShot() } }
            return state.release
        }
        release.set()
    }

    /// Opens for good.
    package func open() {
        let release = state.withLock { state in
            state.isOpen = true
            return state.release
        }
        release.set()
    }
}
