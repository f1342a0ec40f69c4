import CSQLite
import ForgeBusStore
import GRDB

/// An unfinished copy of an open store; the store's thread copies some pages at a time, with commits in between.
///
/// The copy includes these commits: the connection that commits is the source of the copy, so SQLite writes each
/// changed page to the copy, too. After a rollback, SQLite begins the copy again. Owned by the store's thread,
/// ``StoreLane``.
final class StoreCopy {
    private let copied: CopiedStore
    private var target: OpaquePointer?
    private var backup: OpaquePointer?

    /// Begins a copy to `path`, which must not exist.
    ///
    /// - Throws: `StoreError` or an error of SQLite; the file at `path`, if there is one, stays unchanged.
    init(of source: String, to path: String, version: StoreVersion, from database: Database) throws {
        if Files.exists(path) { throw Errors.taken(path) }
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
        // An incomplete copy need not survive a power loss. A complete copy is synced when it is sealed.
        try check(sqlite3_exec(target, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil))
        backup = sqlite3_backup_init(target, "main", database.sqliteConnection, "main")
        if backup == nil { try check(sqlite3_errcode(target)) }
    }

    /// Copies the next pages, at most `count`.
    ///
    /// - Returns: The complete copy, which any thread may seal; nil if some pages are not copied yet.
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

    /// Removes the unfinished copy; the caller must do this before it closes the store's connection.
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
