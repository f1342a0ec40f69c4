#if canImport(Darwin)
package import Dispatch

package typealias LaneSemaphore = DispatchSemaphore

extension DispatchSemaphore {
    /// Waits for a signal until `deadline`, in nanoseconds of the uptime; with nil, there is no time limit.
    ///
    /// - Returns: Whether a signal came before the deadline.
    package func wait(until deadline: UInt64?) -> Bool {
        wait(timeout: deadline.map { DispatchTime(uptimeNanoseconds: $0) } ?? .distantFuture) == .success
    }
}
#else
import Foundation

/// A semaphore whose deadlines use a monotonic clock.
///
/// On Linux, Dispatch converts every deadline to the wall clock. If somebody sets that clock back by an hour during a
/// wait, the wait lasts an hour longer.
package final class LaneSemaphore: @unchecked Sendable {
    // Sendable because only the thread that has locked `mutex` uses `count`, and the pointers never change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count: Int

    /// Creates a semaphore with a count.
    package init(value: Int) {
        count = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Adds one to the count.
    package func signal() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until the count is positive, and takes one from it.
    package func wait() { _ = wait(until: nil) }

    /// Waits for a signal until `deadline`, in nanoseconds of the uptime; with nil, there is no time limit.
    ///
    /// - Returns: Whether a signal came before the deadline.
    package func wait(until deadline: UInt64?) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var code: CInt = 0
        while count == 0, code == 0 {
            if let deadline {
                var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
                code = pthread_cond_timedwait(condition, mutex, &time)
            } else {
                code = pthread_cond_wait(condition, mutex)
            }
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }
}
#endif
