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

    private init(_ error: DatabaseError, at path: String) {
        let cause = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA:
            self = .damaged(path, cause)
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
                next: "Free disk space. If the worker has stopped, start it again."
            )
        default:
            self.init(
                .inputOutput,
                "The system could not write or read \(path): \(cause).",
                next:
                    "Check the disk. If the worker has stopped, start it again: it loads every change that it acknowledged."
            )
        }
    }
}
