import CLeader
import Synchronization

/// The end and the epoch of the lease by which the worker holds its store, for the worker's commands and posts.
///
/// Outside the lease, no command and no post begins. A command's `Leader` kills the command when the lease ends, even
/// if the worker's process is stopped at that time: the leader reads the end from memory that it shares with the worker.
public final class CommandLease: Sendable {
    /// The page, which lives as long as the process.
    private nonisolated(unsafe) let page: OpaquePointer
    /// The descriptor of the page, for leaders.
    let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var epoch: Int64?
        var begin: (@Sendable () -> Void)?
    }

    /// The system has no memory or no descriptor for a lease.
    public struct Failure: Error, CustomStringConvertible {
        /// The cause.
        public var description: String { Errors.noRoomForLease }
    }

    /// Makes a lease that has not begun.
    init() throws(Failure) {
        var page: OpaquePointer?
        descriptor = forge_lease_make(&page)
        guard descriptor >= 0, let page else { throw Failure() }
        self.page = page
    }

    /// Calls `begin` when the lease begins, before any command starts.
    func onBegin(_ begin: @escaping @Sendable () -> Void) { state.withLock { $0.begin = begin } }

    /// Begins or renews the lease until `end`; ends the lease if `end` is nil.
    ///
    /// The `epoch` is the number of the take-over with which the lease began.
    public func set(epoch: Int64, end: ContinuousClock.Instant?) {
        let begin = state.withLock { state in
            state.epoch = epoch
            defer { state.begin = nil }
            return end == nil ? nil : state.begin
        }
        begin?()
        guard let end else { return forge_lease_set(page, 0) }
        // This clock is read before the other one, so that the end can become too early, but never too late.
        let now = forge_lease_now()
        forge_lease_set(page, now + Int64((end - .now) / .nanoseconds(1)))
    }

    /// The epoch of the lease; nil if the lease is over or has not begun.
    var epoch: Int64? {
        guard forge_lease_now() < forge_lease_end(page) else { return nil }
        return state.withLock { $0.epoch }
    }
}
