#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What a server sets for its whole process; the module does not do so unasked.
public enum ServerProcess {
    /// Raises the limit of open files, and makes libzmq's routing ids unpredictable.
    ///
    /// Call it once, before the first socket. Each connection needs a descriptor, and a listener without free descriptors
    /// keeps a processor busy; the usual limit of 1,024 is too low for a server. A ``Router`` gives connections consecutive
    /// numbers from a first one that libzmq takes from `rand()`, which it does not seed. If a peer claims the next number as
    /// its own id, an assertion ends the process when libzmq assigns that number (libzmq 4.3.4, `socket_base.cpp`). So no
    /// peer may be able to guess it, also not after a later `srand` of the program.
    ///
    /// - Parameter openFiles: The number of open files that the process needs; the limit is raised as far as the system
    ///   allows, and never lowered.
    public static func prepare(openFiles: Int = 65_536) {
        _ = seeded
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let most = min(rlim_t(clamping: openFiles), limit.rlim_max)
        guard limit.rlim_cur < most else { return }
        limit.rlim_cur = most
        // A refusal is harmless: the limit stays as it was.
        _ = setrlimit(resource, &limit)
    }

    private static let seeded: Void = srand(UInt32.random(in: 1 ... .max))

    private static var resource: Int32 {
        #if canImport(Glibc)
        Int32(RLIMIT_NOFILE.rawValue)
        #else
        RLIMIT_NOFILE
        #endif
    }
}
