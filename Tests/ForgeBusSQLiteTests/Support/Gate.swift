import Dispatch
import ForgeBusSQLite
import Synchronization

/// Holds a store's thread before its first commit, until it is opened.
final class Gate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isPassed = Mutex(false)

    var options: SQLiteStoreOptions {
        var options = StoreDirectory.options
        options.beforeCommit = { self.pass() }
        return options
    }

    /// Options for copying a page at a time, with the gate behind the first.
    var copyOptions: SQLiteStoreOptions {
        var options = StoreDirectory.options
        options.pagesPerCopyStep = 1
        options.afterCopyStep = { self.pass() }
        return options
    }

    /// Waits without a thread, for what only comes when a task executes.
    func reach() async { while !isPassed.withLock({ $0 }) { await Task.yield() } }

    func waitUntilReached() { reached.wait() }

    func open() { opened.signal() }

    private func pass() {
        let isFirst = isPassed.withLock { isPassed in
            defer { isPassed = true }
            return !isPassed
        }
        guard isFirst else { return }
        reached.signal()
        opened.wait()
    }
}
