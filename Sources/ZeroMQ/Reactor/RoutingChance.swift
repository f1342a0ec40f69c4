#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Makes libzmq's routing ids unpredictable.
///
/// A ROUTER names connections by consecutive numbers, and the first comes from `rand()`. libzmq does not seed it, so
/// the first number would be the same in every process. A peer that claims the next number as its own id ends the
/// process by an assertion when libzmq assigns it (libzmq 4.3.4, `socket_base.cpp`), so no peer may know it.
enum RoutingChance {
    private static let seeded: Void = srand(UInt32.random(in: 1 ... .max))

    /// Seeds once per process; a program that seeds `rand()` itself must do so after its first reactor.
    static func begin() { _ = seeded }
}
