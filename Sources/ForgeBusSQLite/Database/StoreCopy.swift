import CSQLite
import ForgeBusStore
import GRDB

/// An unfinished copy of an open store, made some pages at a time with commits in between.
///
/// It includes commits made meanwhile: SQLite writes a changed page to the copy too, because one connection does both.
/// A rollback restarts the copy. Owned by the lane's thread.
final class StoreCopy {
    private let copied: CopiedStore
    private var target: OpaquePointer?
    private var backup: OpaquePointer?

    /// Begins a copy to `path`, which must not exist.
    ///
    /// - Throws: `StoreError` or an error of SQLite; `path` is then as it was.
    init(of source: String, to path: String, version: StoreVersion, from database: Database) throws {
        if Files.exists(path) { throw Files.taken(path) }
        copied = CopiedStore(source: source, path: path, version: version)
        copied.remove()
        do {
            try Files.create(copied.unfinished)
            try open(database)
        } catch {
            abandon()
            throw error
        }
    }

    private func open(_ database: Database) throws {
        try check(sqlite3_open_v2(copied.unfinished, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        // An incomplete copy need not survive; a complete one is synced when it is sealed.
        try check(sqlite3_exec(target, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil))
        backup = sqlite3_backup_init(target, "main", database.sqliteConnection, "main")
        if backup == nil { try check(sqlite3_errcode(target)) }
    }

    /// Copies the next `pages`.
    ///
    /// - Returns: The copy, once everything is copied, to seal on any thread; nil until then.
    /// - Throws: An error of SQLite; the copy is abandoned.
    func goOn(pages count: CInt) throws -> CopiedStore? {
        let code = sqlite3_backup_step(backup, count)
        if code == SQLITE_OK { return nil }
        do {
            guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            try close()
        } catch {
            abandon()
            throw error
        }
        return copied
    }

    /// Removes the unfinished copy; called before the store's connection is closed.
    func abandon() {
        try? close()
        copied.remove()
    }

    private func close() throws {
        let code = sqlite3_backup_finish(backup)
        backup = nil
        sqlite3_close(target)
        target = nil
        try check(code)
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
