#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Makes libzmq's routing ids unpredictable.
///
/// A ROUTER gives connections consecutive numbers, and the first number comes from `rand()`. libzmq does not seed
/// `rand()`, so the first number would be the same in every process. If a peer claims the next number as its own id, an
/// assertion ends the process when libzmq assigns that number (libzmq 4.3.4, `socket_base.cpp`). So no peer may be able
/// to guess the next number.
enum RoutingChance {
    private static let seeded: Void = srand(UInt32.random(in: 1 ... .max))

    /// Seeds `rand()` once per process, when the first reactor is made.
    ///
    /// A later `srand` of the program replaces this seed, so the program's own seed must be unpredictable, too.
    static func begin() { _ = seeded }
}
