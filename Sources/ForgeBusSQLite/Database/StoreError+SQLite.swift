import ForgeBusStore
import Foundation
import GRDB

extension StoreError {
    /// Converts any error that occurred with the store at `path`.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as StoreError: self = error
        case let flaw as RowFlaw: self = Errors.damaged(path, flaw.flaw)
        case let flaw as AuditFlaw: self = Errors.damaged(path, flaw)
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
        if code == .unsound { self = Errors.failedDisk(path, (error as? DatabaseError)?.message ?? "\(error)") }
        code = .inputOutput
    }

    private init(_ error: DatabaseError, at path: String) {
        let cause = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_SCHEMA:
            self = Errors.damaged(path, "SQLite reports \"\(cause)\"")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = Errors.busy(path)
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: self = Errors.cannotOpen(path, cause)
        case .SQLITE_FULL: self = Errors.fullDisk(path)
        case .SQLITE_NOMEM: self = Errors.noMemory(path)
        default: self = Errors.failedDisk(path, cause)
        }
    }
}
