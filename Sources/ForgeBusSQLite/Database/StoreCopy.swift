import CSQLite
import ForgeBusStore
import Foundation
import GRDB

/// A copy of an open store in the making: some pages at a time, and commits in between.
///
/// What is committed meanwhile is in it, because SQLite writes a page that changes to the copy as well where the same
/// connection does both. Owned by the lane's thread.
final class StoreCopy {
    private let copied: CopiedStore
    private var target: OpaquePointer?
    private var pages: OpaquePointer?

    /// Begins a copy to `path`, which must not be there.
    ///
    /// - Throws: ``StoreError`` or an error of SQLite; then there is nothing at `path`, or what was there before.
    init(of source: String, to path: String, schema: [String], from database: Database) throws {
        guard !Files.exists(path) else {
            throw StoreError(
                .usage,
                "There is a file at \(path) already.",
                next: "Give the copy a name that is not taken, or move that file away."
            )
        }
        copied = CopiedStore(source: source, path: path, schema: schema)
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
        // Until it is whole it is worth nothing, and then it is made sure of.
        try check(sqlite3_exec(target, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil))
        pages = sqlite3_backup_init(target, "main", database.sqliteConnection, "main")
        if pages == nil { try check(sqlite3_errcode(target)) }
    }

    /// Copies the next pages.
    ///
    /// - Returns: The copy, to be sealed on any thread, once all is copied; nil until then.
    /// - Throws: An error of SQLite; the copy is abandoned.
    func goOn(_ count: CInt) throws -> CopiedStore? {
        let code = sqlite3_backup_step(pages, count)
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

    /// Leaves nothing of it; to be called before the store's connection is closed.
    func abandon() {
        try? close()
        copied.remove()
    }

    private func close() throws {
        let code = sqlite3_backup_finish(pages)
        pages = nil
        sqlite3_close(target)
        target = nil
        try check(code)
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}

/// All pages of a store in another file, which is no store of its own yet.
struct CopiedStore: Sendable {
    let source: String
    let path: String
    let schema: [String]

    /// Where it is until it counts.
    var unfinished: String { StoreFiles.unfinished(path) }

    /// Makes it a store of its own, has the disk keep it, and reads all of it before it gets its name.
    ///
    /// - Returns: What it holds.
    /// - Throws: ``StoreError`` or an error of SQLite; then there is nothing of it.
    func seal() throws -> Totals {
        do {
            try finish()
            try Files.synchronize(unfinished)
            let totals = try verify()
            try Files.move(unfinished, to: path, in: (path as NSString).deletingLastPathComponent)
            return totals
        } catch {
            remove()
            throw error
        }
    }

    /// Leaves nothing of it.
    func remove() { for suffix in ["", "-wal", "-shm", "-journal"] { removeFile(unfinished + suffix) } }

    /// What the copy is not yet: a file with a log, and a store of its own.
    private func finish() throws {
        let queue = try DatabaseQueue(path: unfinished)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            guard var totals = try Totals(in: database) else { throw StoreError.damaged(source, "its totals are gone") }
            totals.store = .random(in: .min ... .max)
            try totals.write(with: FastStatement(database, Totals.writing))
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private func verify() throws -> Totals {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: unfinished, configuration: configuration)
        // What is wrong with the copy is wrong with the store.
        let totals = try queue.inDatabase { database in
            try StoreInspection(path: source, database: database).verify(schema: schema)
        }
        try queue.close()
        for suffix in ["-wal", "-shm"] { removeFile(unfinished + suffix) }
        return totals
    }
}
