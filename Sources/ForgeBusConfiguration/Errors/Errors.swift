import ForgeBusProtocol
import ForgeBusWorker

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The words of this module: its errors and sentences, made by functions.
///
/// The errors have no place in a file; ``Entry``, ``Fields`` and ``Problems`` add the place.
enum Errors {}

// MARK: Errors of other modules

extension Errors {
    /// A value that another module does not accept.
    static func badValue(_ error: BusError) -> ConfigurationError {
        ConfigurationError(.badValue, error.message, next: error.next)
    }

    /// A value that the worker does not accept.
    static func badValue(_ error: WorkerError) -> ConfigurationError {
        ConfigurationError(.badValue, error.message, next: error.next)
    }

    /// A text that is not a name, because of this flaw.
    static func notName(_ flaw: String) -> ConfigurationError {
        ConfigurationError(.badValue, flaw, next: Names.rule)
    }
}

// MARK: Files

extension Errors {
    static var notUTF8: ConfigurationError {
        ConfigurationError(
            .notYAML,
            "The file is not UTF-8.",
            next: "Check the path; if it is right, save the file in UTF-8."
        )
    }

    static func fileTooLarge(limit: Int) -> ConfigurationError {
        ConfigurationError(
            .tooLarge,
            "The file has more than \(limit / 1_048_576) MiB, the most that a file of this kind may have.",
            next: "Check the path; if it is right, make the file smaller."
        )
    }

    static var notAFile: ConfigurationError {
        ConfigurationError(
            .unreadable,
            "The path leads to no file, but to a named pipe, a socket or a device.",
            next: "Name a file."
        )
    }

    static func foreignFile(owner: uid_t) -> ConfigurationError {
        ConfigurationError(
            .untrusted,
            "The file belongs to another user: its owner has the id \(owner), and this program runs "
                + "with the user id \(geteuid()).",
            next:
                "Make root the owner of the file (chown), and let the user that runs this program read it. Or run this "
                + "program as the owner of the file (sudo -u)."
        )
    }

    static func fileOpenToOthers(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .untrusted,
            "Users other than the owner may change the file.",
            next: "Run: chmod go-w \(path)"
        )
    }

    /// A file that cannot be read; `number` is the system's number of the error.
    static func unreadableFile(_ number: Int32) -> ConfigurationError {
        let next =
            switch number {
            case ENOENT, ENOTDIR: "Correct the path, or create the file."
            case EISDIR: "Name a file instead of this directory."
            case EACCES: "Let the user that runs this program read the file and enter each directory of its path."
            case ELOOP: "A symbolic link in this path leads back to itself: correct the link."
            case EMFILE, ENFILE: "Close files, or raise the limit of open files (ulimit -n)."
            default: "Remove the cause that this message names, or name another file."
            }
        return ConfigurationError(
            .unreadable,
            "The file cannot be read: \(String(cString: strerror(number))).",
            next: next
        )
    }
}

// MARK: Directories

extension Errors {
    /// A directory that cannot be created; `number` is the system's number of the error.
    ///
    /// `content` is what the directory is for, and `alternative` is what the user can do instead.
    static func directoryNotCreated(
        _ path: String,
        for content: String,
        _ number: Int32,
        or alternative: String
    ) -> ConfigurationError {
        let advice =
            switch number {
            case EACCES, EPERM, ENOENT: "Let root create it for this user with the permissions 700"
            case ENOTDIR: "Move the file away that is in the place of a directory of this path"
            case ENOSPC, EDQUOT: "Free space on this file system"
            default: "Correct the cause"
            }
        let cause = String(cString: strerror(number))
        return ConfigurationError(
            .directory,
            "The directory \(path), which is for \(content), cannot be created: \(cause).",
            next: "\(advice), or \(alternative)."
        )
    }

    static func notDirectory(_ path: String, or alternative: String) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "\(path) is not a directory; a link to a directory is not accepted.",
            next: "Move the existing file or link away, or \(alternative)."
        )
    }

    static func foreignDirectory(_ path: String, or alternative: String) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "The directory \(path) belongs to another user.",
            next: "Run this program as the owner of the directory, or \(alternative)."
        )
    }

    static func directoryOpenToOthers(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .directory,
            "The directory \(path) lets other users in.",
            next:
                "If systemd makes this directory, set StateDirectoryMode=0700 or RuntimeDirectoryMode=0700 in the unit."
                + " Otherwise run: chmod 700 \(path)"
        )
    }
}
