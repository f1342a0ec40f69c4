import ForgeBusStore
import GRDB

#if Failpoints
import Foundation
#endif

/// One step from a version of the store to the next.
struct Migration: Sendable {
    /// The version of the store after this step.
    var version: Int
    /// Changes the tables and their rows inside a transaction, and updates the checksums and totals.
    var apply: @Sendable (Database) throws -> Void

    /// Creates the step that leads from the version before `version` to `version`.
    init(to version: Int, _ apply: @escaping @Sendable (Database) throws -> Void) {
        self.version = version
        self.apply = apply
    }

    /// All migration steps, from an empty file to the newest version.
    static var all: [Migration] {
        #if Failpoints
        if ProcessInfo.processInfo.environment["FORGE_NEXT_VERSION"] != nil { return [tables, next] }
        #endif
        return [tables]
    }

    #if Failpoints
    /// A migration step for tests, to a version after the newest one; a failpoint can kill the process during the step.
    ///
    /// The step writes more than SQLite's cache can contain, so that SQLite writes pages to the log before the commit.
    private static let next = Migration(to: tables.version + 1) { database in
        try database.execute(
            sql: """
                CREATE TABLE hints (number INTEGER PRIMARY KEY, hint BLOB NOT NULL);
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 512)
                INSERT INTO hints SELECT n, randomblob(65536) FROM numbers;
                ALTER TABLE journal ADD COLUMN trace BLOB;
                """
        )
    }
    #endif

    /// Creates the tables; the columns for keys, texts and values contain bytes, and a text is stored as UTF-8.
    private static let tables = Migration(to: 1) { database in
        try database.execute(
            sql: """
                CREATE TABLE records (
                    kind INTEGER NOT NULL,
                    key BLOB NOT NULL,
                    value BLOB NOT NULL,
                    checksum INTEGER NOT NULL,
                    PRIMARY KEY (kind, key)
                ) WITHOUT ROWID;
                CREATE TABLE journal (
                    number INTEGER PRIMARY KEY,
                    at INTEGER NOT NULL,
                    event BLOB NOT NULL,
                    run BLOB,
                    signal BLOB,
                    monitor BLOB,
                    principal BLOB,
                    request BLOB,
                    details BLOB NOT NULL,
                    checksum INTEGER NOT NULL
                );
                CREATE INDEX journal_run ON journal (run) WHERE run IS NOT NULL;
                CREATE INDEX journal_signal ON journal (signal) WHERE signal IS NOT NULL;
                CREATE INDEX journal_monitor ON journal (monitor) WHERE monitor IS NOT NULL;
                CREATE TABLE outputs (
                    number INTEGER PRIMARY KEY,
                    run BLOB NOT NULL,
                    action BLOB NOT NULL,
                    attempt INTEGER NOT NULL,
                    at INTEGER NOT NULL,
                    output BLOB NOT NULL,
                    output_omitted INTEGER NOT NULL,
                    errors BLOB NOT NULL,
                    errors_omitted INTEGER NOT NULL,
                    failure BLOB,
                    size INTEGER NOT NULL,
                    checksum INTEGER NOT NULL
                );
                CREATE INDEX outputs_run ON outputs (run, size);
                CREATE TABLE audit (
                    number INTEGER PRIMARY KEY,
                    at INTEGER NOT NULL,
                    entry BLOB NOT NULL,
                    hash BLOB NOT NULL
                );
                CREATE TABLE audit_chain (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    number INTEGER NOT NULL,
                    hash BLOB NOT NULL,
                    dropped INTEGER NOT NULL,
                    anchor BLOB NOT NULL,
                    checksum INTEGER NOT NULL
                );
                CREATE TABLE totals (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    store INTEGER NOT NULL,
                    commits INTEGER NOT NULL,
                    records INTEGER NOT NULL,
                    records_sum INTEGER NOT NULL,
                    entries INTEGER NOT NULL,
                    entries_sum INTEGER NOT NULL,
                    last_entry INTEGER NOT NULL,
                    checksum INTEGER NOT NULL
                );
                """
        )
        try AuditTable.write(AuditChain(), with: FastStatement(database, AuditTable.writing))
    }
}
