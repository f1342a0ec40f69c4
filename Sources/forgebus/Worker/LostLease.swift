import Foundation

/// Ends a process that has lost the lease of its worker, if it does not end by itself.
enum LostLease {
    /// How long the process may take to end by itself: less than the margin of the shortest lease, which is 400 ms.
    private static let patience: TimeInterval = 0.3

    /// Ends the process after ``patience``, with the exit status for a lost lease.
    ///
    /// The method waits on a thread of its own, because actions may block all threads of Swift's pool.
    static func endProcess() {
        let thread = Thread {
            Thread.sleep(forTimeInterval: patience)
            _exit(ExitStatus.superseded.rawValue)
        }
        thread.start()
    }
}
