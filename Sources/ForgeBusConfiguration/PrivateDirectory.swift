#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A directory that only its owner may enter.
enum PrivateDirectory {
    /// Creates the directory, or checks an existing one; its parent must exist.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - content: What the program keeps in the directory, such as `the worker's store`.
    ///   - alternative: What the user can do instead, as the end of an error's sentence, such as `use another one`.
    /// - Throws: ``ConfigurationError`` with code `directory` if the path cannot be created, is not a directory,
    ///   belongs to another user, or lets other users in.
    static func make(_ path: String, for content: String, or alternative: String) throws(ConfigurationError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw Errors.directoryNotCreated(path, for: content, errno, or: alternative)
        }
        var information = stat()
        // Not `stat`, which follows links: another user could put a link in /tmp that leads to a directory of this
        // user.
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw Errors.notDirectory(path, or: alternative)
        }
        guard information.st_uid == geteuid() else { throw Errors.foreignDirectory(path, or: alternative) }
        guard information.st_mode & 0o077 == 0 else { throw Errors.directoryOpenToOthers(path) }
    }
}
