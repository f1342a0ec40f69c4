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
            let number = errno
            let advice =
                switch number {
                case EACCES, EPERM, ENOENT: "Let root create it for this user with the permissions 700"
                case ENOTDIR: "Move the file away that is in the place of a directory of this path"
                case ENOSPC, EDQUOT: "Free space on this file system"
                default: "Correct the cause"
                }
            let cause = String(cString: strerror(number))
            throw error(
                "The directory \(path), which is for \(content), cannot be created: \(cause).",
                "\(advice), or \(alternative)."
            )
        }
        var information = stat()
        // Not `stat`, which follows links: another user could put a link in /tmp that leads to a directory of this
        // user.
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw error(
                "\(path) is not a directory; a link to a directory is not accepted.",
                "Move the existing file or link away, or \(alternative)."
            )
        }
        guard information.st_uid == geteuid() else {
            throw error(
                "The directory \(path) belongs to another user.",
                "Run this program as the owner of the directory, or \(alternative)."
            )
        }
        guard information.st_mode & 0o077 == 0 else {
            throw error(
                "The directory \(path) lets other users in.",
                "If systemd makes this directory, set StateDirectoryMode=0700 or RuntimeDirectoryMode=0700 in the unit."
                    + " Otherwise run: chmod 700 \(path)"
            )
        }
    }

    private static func error(_ message: String, _ next: String) -> ConfigurationError {
        ConfigurationError(.directory, message, next: next)
    }
}
