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
