#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What libzmq's numbers begin with.
///
/// A ROUTER names connections by consecutive numbers, the first of which comes from `rand()`; nothing seeds that, so the
/// first would be the same in every process. Whoever takes the next one as a name of their own ends the process by an
/// assertion when it is given (libzmq 4.3.4, `socket_base.cpp`), so nobody may know it.
enum RoutingChance {
    private static let seeded: Void = srand(UInt32.random(in: 1 ... .max))

    /// Seeds once a process; a program that seeds `rand()` itself does so after its first reactor.
    static func begin() { _ = seeded }
}
