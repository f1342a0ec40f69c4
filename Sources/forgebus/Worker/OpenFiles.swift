import ForgeBusConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The process's limit of open files, which libraries of a worker and a gateway expect to be high enough.
enum OpenFiles {
    /// What a worker with a gateway needs to start, to run a few commands and to serve a few clients.
    static let needed = 128

    /// Raises the limit to what is needed, if the system allows it.
    ///
    /// - Throws: `ConfigurationError` if the limit stays too low.
    static func require() throws(ConfigurationError) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return }
        let found = limit.rlim_max
        limit.rlim_cur = min(rlim_t(needed), found)
        guard limit.rlim_cur >= needed, setrlimit(resource, &limit) == 0 else {
            throw Errors.tooFewOpenFiles(limit: Int(found), needed: needed)
        }
    }

    private static var resource: Int32 {
        #if canImport(Glibc)
        Int32(RLIMIT_NOFILE.rawValue)
        #else
        RLIMIT_NOFILE
        #endif
    }
}
