import GRDB

extension Migration {
    /// Creates an empty table for the text that actions print.
    static let outputs = Migration(to: 4) { database in
        try database.execute(
            sql: """
                CREATE TABLE outputs (
                    number INTEGER PRIMARY KEY,
                    run BLOB NOT NULL,
                    action BLOB NOT NULL,
                    attempt INTEGER NOT NULL,
                    at INTEGER NOT NULL,
                    size INTEGER NOT NULL,
                    output_omitted INTEGER NOT NULL,
                    errors_omitted INTEGER NOT NULL,
                    checksum INTEGER NOT NULL,
                    output BLOB NOT NULL,
                    errors BLOB NOT NULL,
                    failure BLOB
                );
                CREATE INDEX outputs_run ON outputs (run, size);
                """
        )
    }
}
