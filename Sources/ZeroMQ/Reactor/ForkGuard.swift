import CZeroMQ
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Knows whether this process is still the one that made a reactor.
///
/// After a fork the child has the reactor's memory and not its thread: whoever waits for that waits for ever.
enum ForkGuard {
    private static let forks = Atomic<UInt>(0)
    private static let isInstalled: Bool = pthread_atfork(nil, nil, forgeReactorForked) == 0

    /// A number that is another one in a forked child.
    static var generation: UInt { forks.load(ordering: .relaxed) }

    /// Begins to count.
    static func install() { _ = isInstalled }

    fileprivate static func count() { forks.add(1, ordering: .relaxed) }

    /// Stops the program when the reactor is another process's.
    @inline(__always)
    static func check(_ generation: UInt) {
        if generation != self.generation { misuse() }
    }

    @inline(never)
    private static func misuse() -> Never {
        fatalError("A reactor does not survive a fork; make one in the child, or start a program instead of forking.")
    }
}

/// Runs in the child, right after the fork.
private func forgeReactorForked() { ForkGuard.count() }
