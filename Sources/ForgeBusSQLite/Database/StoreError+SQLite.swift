import ForgeBusStore
import Foundation
import GRDB

extension StoreError {
    /// Converts any error that occurred with the store at `path`.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as StoreError: self = error
        case let flaw as RowFlaw: self = .damaged(path, flaw.flaw)
        case let flaw as AuditFlaw: self = .damaged(path, flaw.description)
        case let error as DatabaseError: self.init(error, at: path)
        default:
            self.init(.inputOutput, "The store \(path) failed: \(error).", next: "Check the disk, then try again.")
        }
    }

    /// Converts an error of a write to the store at `path`, which was undamaged when it was opened.
    ///
    /// The cause is the disk, even if SQLite reports a damaged store. An operator who replaced the store with its last
    /// backup would lose what the worker acknowledged since then.
    init(writing error: any Error, at path: String) {
        self.init(error, at: path)
        if code == .unsound { self = .failedDisk(path, (error as? DatabaseError)?.message ?? "\(error)") }
        code = .inputOutput
    }

    private static func failedDisk(_ path: String, _ cause: String) -> StoreError {
        StoreError(
            .inputOutput,
            "The system could not write or read \(path): \(cause).",
            next: "Check the disk of this file, and that the process that uses the file (usually the worker) may write "
                + "the file and its directory. Then try again. If the worker has stopped, start it again with the "
                + "same store."
        )
    }

    private init(_ error: DatabaseError, at path: String) {
        let cause = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA:
            self = .damaged(path, "SQLite reports \"\(cause)\"")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .unavailable,
                "The store \(path) is in use by another program.",
                next: "Close the program that uses the file, such as a database browser, then try again."
            )
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
            self.init(
                .unavailable,
                "The store \(path) cannot be opened for writing: \(cause).",
                next: "Check the owner and the permissions of the file and its directory, then try again."
            )
        case .SQLITE_FULL:
            self.init(
                .inputOutput,
                "The disk of \(path) is full.",
                next: "Free disk space. Then try again, or start the worker if it has stopped."
            )
        case .SQLITE_NOMEM:
            self.init(
                .inputOutput,
                "This process has no memory for its work with the store \(path).",
                next: "End other programs on this machine, or give this process more memory. Then try again, or start "
                    + "the worker if it has stopped."
            )
        default:
            self = .failedDisk(path, cause)
        }
    }
}
