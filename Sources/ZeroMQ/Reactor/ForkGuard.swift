import CZeroMQ
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Detects the use of a reactor in a forked child of the process that made the reactor.
///
/// A forked child has the reactor's memory but not its thread, so a caller would wait forever.
enum ForkGuard {
    private static let forks = Atomic<UInt>(0)
    private static let isInstalled: Bool = pthread_atfork(nil, nil, forgeReactorForked) == 0

    /// A number that changes in a forked child.
    static var generation: UInt { forks.load(ordering: .relaxed) }

    /// Starts counting forks.
    static func install() { _ = isInstalled }

    fileprivate static func count() { forks.add(1, ordering: .relaxed) }

    /// Ends this process if the reactor was made in another process, before a fork.
    @inline(__always)
    static func check(_ generation: UInt) {
        if generation != self.generation { misuse() }
    }

    @inline(never)
    private static func misuse() -> Never {
        fatalError("A reactor cannot be used after a fork; make a new reactor in the child process.")
    }
}

/// Runs in the child process immediately after a fork.
private func forgeReactorForked() { ForkGuard.count() }
