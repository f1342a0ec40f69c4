import ForgeBusStore
import Foundation
import GRDB

extension StoreError {
    /// Any error that occurred with the store at `path`.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as StoreError: self = error
        case let flaw as RowFlaw: self = .damaged(path, flaw.flaw)
        case let error as DatabaseError: self.init(error, at: path)
        default:
            self.init(.inputOutput, "The store \(path) failed: \(error).", next: "See to the disk, and start again.")
        }
    }

    private init(_ error: DatabaseError, at path: String) {
        let cause = error.message ?? "SQLite's error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA:
            self = .damaged(path, cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .unavailable,
                "The store \(path) is in use by another program.",
                next: "Close whatever has the file open, for instance a database browser, and start again."
            )
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
            self.init(
                .unavailable,
                "The store \(path) cannot be opened for writing: \(cause).",
                next: "See to who owns the file and its directory, and start again."
            )
        case .SQLITE_FULL:
            self.init(.inputOutput, "The disk is full below \(path).", next: "Free some of it, and start again.")
        default:
            self.init(
                .inputOutput,
                "The system could not write or read \(path): \(cause).",
                next: "See to the disk, and start again; what was acknowledged is kept."
            )
        }
    }
}
