#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A directory that lets nobody in but its user.
enum PrivateDirectory {
    /// Makes it, or finds it as it must be; what it stands in has to be there.
    ///
    /// - Parameters:
    ///   - path: Where it is to be.
    ///   - alternative: What to do otherwise, as the end of a sentence: `listen elsewhere`.
    /// - Throws: ``ConfigurationError`` with code `directory` if it cannot be made, is not a directory, belongs to
    ///   somebody else, or lets others in.
    static func make(_ path: String, or alternative: String) throws(ConfigurationError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let cause = String(cString: strerror(errno))
            throw error("The directory \(path) cannot be made: \(cause).", "Make it, or \(alternative).")
        }
        var information = stat()
        // Not `stat`: a link that somebody else planted in /tmp would lead to a directory of ours.
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw error("\(path) is not a directory.", "Move what is there, or \(alternative).")
        }
        guard information.st_uid == geteuid() else {
            throw error("The directory \(path) belongs to another user.", "Have it removed, or \(alternative).")
        }
        guard information.st_mode & 0o077 == 0 else {
            throw error("The directory \(path) lets other users in.", "Run: chmod 700 \(path)")
        }
    }

    private static func error(_ message: String, _ next: String) -> ConfigurationError {
        ConfigurationError(.directory, message, next: next)
    }
}
