import CSQLite
import ForgeBusProtocol
import ForgeBusStore
import Foundation
import GRDB

/// Opens SQLite files with the settings of a store, and checks that SQLite applied them.
enum StoreConnection {
    /// Opens the store at `path`.
    ///
    /// Until ``release(_:)``, SQLite does not write the write-ahead log back when the file is closed. So a damaged
    /// store stays unchanged.
    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.label = "forgebus.store"
        configuration.prepareDatabase { database in
            _ = forge_sqlite3_keep_log_on_close(database.sqliteConnection!, 1)
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA synchronous = \(synchronous.word);
                    PRAGMA fullfsync = ON;
                    PRAGMA checkpoint_fullfsync = ON;
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA journal_size_limit = 67108864;
                    PRAGMA cell_size_check = ON;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = -16000;
                    """
            )
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { try assertSettings($0, path) }
        return queue
    }

    /// SQLite's setting `synchronous`: FULL, so that each commit waits for the disk.
    ///
    /// In a build with failpoints, an environment variable can select NORMAL.
    private static var synchronous: (word: String, value: String) {
        #if Failpoints
        if ProcessInfo.processInfo.environment["FORGE_SYNCHRONOUS"] == "NORMAL" { return ("NORMAL", "1") }
        #endif
        return ("FULL", "2")
    }

    /// Lets SQLite write its log back to the file when the file is closed, because the store is undamaged.
    static func release(_ database: Database) {
        _ = forge_sqlite3_keep_log_on_close(database.sqliteConnection!, 0)
    }

    /// Keeps SQLite from writing its log back when the file is closed, because a commit failed and the next start needs
    /// the log.
    static func hold(_ database: Database) {
        _ = forge_sqlite3_keep_log_on_close(database.sqliteConnection!, 1)
    }

    /// Checks the settings, because SQLite ignores settings that it cannot apply.
    private static func assertSettings(_ database: Database, _ path: String) throws {
        let expected = [
            ("journal_mode", "wal"), ("synchronous", synchronous.value), ("locking_mode", "exclusive"),
            ("wal_autocheckpoint", "0"), ("application_id", "\(FileHeader.application)"),
        ]
        for (pragma, value) in expected {
            let text = try setting(pragma, database)
            guard text == value else {
                throw Errors.wrongSetting(path, pragma, text, not: value)
            }
        }
    }

    /// The value of the setting `pragma`; nil if SQLite returns no value.
    static func setting(_ pragma: String, _ database: Database) throws -> String? {
        let found = try DatabaseValue.fetchOne(database, sql: "PRAGMA \(pragma)")
        return found.flatMap { Int64.fromDatabaseValue($0).map(String.init) ?? String.fromDatabaseValue($0) }
    }

    /// Creates an empty store in a temporary file, and moves it to its path when it is complete.
    static func create(_ files: StoreFiles, _ migrations: [Migration]) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { Files.remove(files.unfinished + suffix) }
        try Files.create(files.unfinished)
        let queue = try DatabaseQueue(path: files.unfinished)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql:
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA application_id = \(FileHeader.application)"
            )
            try database.inTransaction(.immediate) {
                for migration in migrations {
                    try migration.apply(database)
                    Failpoint.hit("in-migration")
                }
                try Totals(store: .random(in: .min ... .max)).write(with: FastStatement(database, Totals.writing))
                try database.execute(sql: "PRAGMA user_version = \(migrations.last?.version ?? 0)")
                return .commit
            }
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
        try Files.synchronize(files.unfinished)
        try Files.move(files.unfinished, to: files.main, in: files.directory)
    }
}

extension StoreConnection {
    /// The store id that the main file at `path` contains, without regard to the log; nil if it cannot be read.
    ///
    /// Call this method only while nothing in this process has the file open: closing a file drops all locks that the
    /// process has on this file.
    static func identityWithoutLog(at path: String) -> Int64? {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
        guard let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) else { return nil }
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        // SQLite reads an immutable file without its log, without locks and without changing anything.
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2("file:\(escaped)?immutable=1", &connection, flags, nil) == SQLITE_OK,
            sqlite3_prepare_v2(connection, "SELECT store FROM totals", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_int64(statement, 0)
    }
}
