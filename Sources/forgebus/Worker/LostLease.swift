import Foundation

/// Ends a process that has lost the lease of its worker, if it does not end by itself.
enum LostLease {
    /// How long the process may take to end by itself.
    private static let patience: TimeInterval = 1

    /// Ends the process soon, with the exit status for this.
    ///
    /// An action may block all threads of Swift's pool, so a thread of its own waits.
    static func endProcess() {
        let thread = Thread {
            Thread.sleep(forTimeInterval: patience)
            _exit(ExitStatus.superseded.rawValue)
        }
        thread.start()
    }
}
