import ForgeBusStore
import Foundation

/// What is wrong with a file, or with the disk.
extension Errors {
    // MARK: Damage

    /// The error for a store that differs from what was written.
    static func damaged(_ path: String, _ flaw: String) -> StoreError {
        StoreError(.unsound, "The store \(path) is damaged: \(flaw).", next: toBackup(path))
    }

    static func damaged(_ path: String, _ flaw: AuditFlaw) -> StoreError {
        var error = damaged(path, "\(flaw)")
        error.kind = flaw.number.map { .auditEntry($0) }
        return error
    }

    private static func toBackup(_ path: String) -> String {
        "With no worker running, move \(path), and \(path)-wal and \(path).lock if they exist, to another directory. "
            + "Copy the latest backup to \(path). Then start the worker again."
    }

    static func unreadable(_ path: String, _ error: StoreError) -> StoreError {
        StoreError(error.code, error.kind, "The store \(path) cannot be read. \(error.message)", next: error.next)
    }

    /// The error `error` of the file `path` as one of the file `other`.
    static func renamed(_ error: StoreError, _ path: String, to other: String) -> StoreError {
        StoreError(
            error.code,
            error.kind,
            error.message.replacing(path, with: other),
            next: error.next.replacing(path, with: other)
        )
    }

    /// A flaw: `rows` differ from what was counted.
    static func mismatch(_ rows: String, _ expected: Int64, _ found: Int64) -> String {
        expected == found
            ? "the checksum of its \(rows) is wrong"
            : "the number of its \(rows) should be \(expected), and is \(found)"
    }

    static func lateEntry(_ expected: Int64, _ found: Int64) -> String {
        "the last entry of its journal should have at most the number \(expected), and has \(found)"
    }

    // MARK: No store

    static func withoutLog(_ path: String) -> StoreError {
        StoreError(
            .unsound,
            "The store \(path) was changed: its header does not select write-ahead logging (WAL mode).",
            next:
                "If somebody has only set another journal mode, set it back, with no worker running: sqlite3 \(path) "
                + "'PRAGMA journal_mode=WAL'. Otherwise move \(path), and \(path)-wal and \(path).lock if they "
                + "exist, to another directory, and copy the latest backup to \(path)."
        )
    }

    static func isDirectory(_ path: String) -> StoreError {
        StoreError(
            .unsound,
            .foreign,
            "\(path) is not a store of a worker, but a directory.",
            next: "Give the path of the store's file."
        )
    }

    static func isEmpty(_ path: String) -> StoreError {
        StoreError(
            .unsound,
            .foreign,
            "\(path) is not a store of a worker: the file is empty.",
            next:
                "If it never was a store, remove the empty file: a worker creates its store if there is no file. "
                + "Otherwise, with no worker running, move \(path), and \(path)-wal and \(path).lock if they "
                + "exist, to another directory, and copy the latest backup to \(path)."
        )
    }

    static func isForeign(_ path: String) -> StoreError {
        StoreError(
            .unsound,
            .foreign,
            "\(path) is not a store of a worker, or its beginning is damaged.",
            next:
                "If this is another file, give the path of the worker's store. Otherwise, with no worker running, move "
                + "\(path), and \(path)-wal and \(path).lock if they exist, to another directory, and copy the latest "
                + "backup to \(path)."
        )
    }

    // MARK: SQLite

    static func failedDisk(_ path: String, _ cause: String) -> StoreError {
        StoreError(
            .inputOutput,
            "The system could not write or read \(path): \(cause).",
            next: "Check the disk of this file, and that the process that uses the file (usually the worker) may write "
                + "the file and its directory. Then try again. If the worker has stopped, start it again with the "
                + "same store."
        )
    }

    static func busy(_ path: String) -> StoreError {
        StoreError(
            .unavailable,
            "The store \(path) is in use by another program.",
            next: "Close the program that uses the file, such as a database browser, then try again."
        )
    }

    static func cannotOpen(_ path: String, _ cause: String) -> StoreError {
        StoreError(
            .unavailable,
            "The store \(path) cannot be opened for writing: \(cause).",
            next: "Check the owner and the permissions of the file and its directory, then try again."
        )
    }

    static func fullDisk(_ path: String) -> StoreError {
        StoreError(
            .inputOutput,
            "The disk of \(path) is full.",
            next: "Free disk space. Then try again, or start the worker if it has stopped."
        )
    }

    static func noMemory(_ path: String) -> StoreError {
        StoreError(
            .inputOutput,
            "This process has no memory for its work with the store \(path).",
            next: "End other programs on this machine, or give this process more memory. Then try again, or start "
                + "the worker if it has stopped."
        )
    }

    // MARK: System calls

    /// The error for a system call `what` that failed with `code`.
    static func failed(_ what: String, _ path: String, _ code: Int32) -> StoreError {
        let refused = code == EACCES || code == EPERM || code == EROFS || code == ENOENT
        return StoreError(
            refused ? .unavailable : .inputOutput,
            "The system could not \(what) \(path): \(String(cString: strerror(code))).",
            next: advice(on: code)
        )
    }

    private static func advice(on code: Int32) -> String {
        switch code {
        case EACCES, EPERM: "Check the owner and the permissions of the file and its directory, then try again."
        case ENOENT: "Check that the directory of this file exists, then try again."
        case ENOSPC, EDQUOT: "Free disk space, then try again."
        case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n), then try again."
        case ELOOP: "A symbolic link in this path leads back to itself: correct the link, then try again."
        case EISDIR: "There is a directory in place of this file: move the directory away, then try again."
        case ENAMETOOLONG:
            "Choose a shorter name for the store or the backup: the names of files beside it are longer."
        case ENOLCK, ENOTSUP: "Move the store to a local disk: a network disk often lacks what a store needs."
        default:
            "Check the disk, and the owner and the permissions of the file and its directory, then try again."
        }
    }

    /// The error for a store's directory that cannot be used because of `code`.
    static func noDirectory(_ place: String, _ code: Int32) -> StoreError {
        let (cause, next) =
            switch code {
            case ENOENT: ("does not exist", "Create the directory, writable only for the worker; then try again.")
            case EACCES:
                (
                    "cannot be entered by this user",
                    "Let this user enter this directory and those above it; then try again."
                )
            case ELOOP:
                (
                    "cannot be found: a symbolic link in its path leads back to itself",
                    "Correct the link; then try again."
                )
            default:
                ("cannot be used: \(String(cString: strerror(code)))", "Correct the path of the store; then try again.")
            }
        return StoreError(.unavailable, "The store's directory \"\(place)\" \(cause).", next: next)
    }
}
