import CLeader
import Synchronization

/// The lease by which the worker holds its store, as its commands and posts know it.
///
/// Nothing begins without it. Each command has a ``Leader`` that kills it at the end of the lease, even if the worker is
/// suspended then: both read the end from the same page of memory.
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
        let number: Int32
        /// The cause.
        public var description: String { "the lease of the worker's commands cannot be made: error \(number)" }
    }

    /// Makes a lease that has not begun.
    init() throws(Failure) {
        var page: OpaquePointer?
        descriptor = forge_lease_make(&page)
        guard descriptor >= 0, let page else { throw Failure(number: descriptor) }
        self.page = page
    }

    /// Calls `begin` when the lease begins, before any command starts.
    func onBegin(_ begin: @escaping @Sendable () -> Void) { state.withLock { $0.begin = begin } }

    /// Begins or renews the lease until `end`; ends it with nil.
    public func set(epoch: Int64, end: ContinuousClock.Instant?) {
        let begin = state.withLock { state in
            state.epoch = epoch
            defer { state.begin = nil }
            return end == nil ? nil : state.begin
        }
        begin?()
        guard let end else { return forge_lease_set(page, 0) }
        // Read first, so that the end is rather too early than too late.
        let now = forge_lease_now()
        forge_lease_set(page, now + Int64((end - .now) / .nanoseconds(1)))
    }

    /// The epoch of the lease; nil if the lease is over or has not begun.
    var epoch: Int64? {
        guard forge_lease_now() < forge_lease_end(page) else { return nil }
        return state.withLock { $0.epoch }
    }
}
