#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process's limit of open files; each connection needs one.
enum OpenFiles {
    /// Raises the limit so that a gateway can have this many connections, as far as the system allows.
    ///
    /// - Returns: How many connections the gateway can have: at most `wanted`, and at most three quarters of the files.
    static func connections(_ wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        let most = min(rlim_t(clamping: wanted + wanted / 2), limit.rlim_max)
        if limit.rlim_cur < most {
            let before = limit.rlim_cur
            limit.rlim_cur = most
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        }
        return min(wanted, max(1, Int(clamping: limit.rlim_cur) * 3 / 4))
    }

    private static var resource: Int32 {
        #if canImport(Glibc)
        Int32(RLIMIT_NOFILE.rawValue)
        #else
        RLIMIT_NOFILE
        #endif
    }
}
