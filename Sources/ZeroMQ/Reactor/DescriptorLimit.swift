#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process's limit of open files.
///
/// Each connection needs a descriptor, and a listener without free descriptors keeps a processor busy. The usual limit
/// of 1,024 is too low for a server, and operating systems let a process raise its own limit.
enum DescriptorLimit {
    /// Raises the limit to `wanted`, or as far as the system allows; never lowers the limit.
    static func raise(to wanted: Int) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let most = min(rlim_t(clamping: wanted), limit.rlim_max)
        guard limit.rlim_cur < most else { return }
        limit.rlim_cur = most
        // A refusal is harmless: the limit stays as it was.
        _ = setrlimit(resource, &limit)
    }

    private static var resource: Int32 {
        #if canImport(Glibc)
        Int32(RLIMIT_NOFILE.rawValue)
        #else
        RLIMIT_NOFILE
        #endif
    }
}
