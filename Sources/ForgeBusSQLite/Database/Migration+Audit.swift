import ForgeBusStore
import GRDB

extension Migration {
    /// Creates the tables of the audit, with an empty chain.
    static let audit = Migration(to: 3) { database in
        try database.execute(
            sql: """
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
                """
        )
        try AuditTable.write(AuditChain(), with: FastStatement(database, AuditTable.writing))
    }
}
