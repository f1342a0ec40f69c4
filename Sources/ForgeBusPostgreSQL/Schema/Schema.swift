#if PostgreSQL

/// The tables, functions and views of a database, all in the schema `forgebus`.
///
/// One database keeps the records of any number of workers, each under its name.
enum Schema {
    /// The version of the schema that this program makes and reads.
    static let version: Int64 = 1

    /// Only one process makes or changes the schema of a database at a time.
    static let lock = PostgresStatement("SELECT pg_advisory_xact_lock(\(lockClass), 0)")

    /// The first of the two numbers of an advisory lock; the second is the id of a worker, or 0 for the schema.
    ///
    /// For the lock of a renewal, the first number is greater by one.
    private static let lockClass = 1_179_600_711

    /// The statements that make the schema; they are refused with ``exists`` if another process has made it meanwhile.
    static var creation: [PostgresStatement] {
        ([lock.text, onlyOnce] + tables + functions + views + [
            "INSERT INTO forgebus.schema_versions (version) VALUES (\(version))"
        ]).map { PostgresStatement($0) }
    }

    /// The SQLSTATE of a schema that exists.
    static let exists = "FB008"

    private static let onlyOnce = """
        DO $$ BEGIN
            IF to_regclass('forgebus.schema_versions') IS NOT NULL THEN
                RAISE EXCEPTION 'the schema forgebus exists' USING ERRCODE = '\(exists)';
            END IF;
        END $$
        """

    private static let tables = [
        "CREATE SCHEMA IF NOT EXISTS forgebus",
        """
        CREATE TABLE forgebus.schema_versions (
            version integer PRIMARY KEY,
            installed timestamptz NOT NULL DEFAULT now()
        )
        """,
        // Each commit updates the worker's row, and fails if the process no longer holds the name. Each take-over has its
        // own value of `tenure`. Two take-overs can have the same epoch if the database has lost commits in between. Names
        // have the order of their bytes, because the order of a language differs between machines.
        """
        CREATE TABLE forgebus.workers (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 32),
            identity text COLLATE "C" NOT NULL,
            epoch bigint NOT NULL DEFAULT 0,
            tenure text COLLATE "C" NOT NULL DEFAULT '',
            definitions text COLLATE "C" NOT NULL DEFAULT '',
            number bigint NOT NULL DEFAULT 0,
            confirmations bigint NOT NULL DEFAULT 0,
            records bigint NOT NULL DEFAULT 0,
            last_entry bigint NOT NULL DEFAULT 0,
            audit_number bigint NOT NULL DEFAULT 0,
            audit_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
            audit_dropped bigint NOT NULL DEFAULT 0,
            audit_anchor bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
        ) WITH (fillfactor = 10)
        """,
        // Empty after a crash of the server, and on a replica that has become the primary: then the latest renewals may be
        // lost.
        """
        CREATE UNLOGGED TABLE forgebus.boots (id integer PRIMARY KEY CHECK (id = 1), token text NOT NULL)
        """,
        // Apart from the workers, so that a commit that takes long does not delay a renewal. Nobody holds a lease whose
        // renewal is NULL.
        """
        CREATE TABLE forgebus.leases (
            worker integer PRIMARY KEY REFERENCES forgebus.workers,
            epoch bigint NOT NULL DEFAULT 0,
            tenure text COLLATE "C" NOT NULL DEFAULT '',
            renewal bigint,
            lease_ms bigint NOT NULL DEFAULT 0,
            process text NOT NULL DEFAULT ''
        ) WITH (fillfactor = 10)
        """,
        """
        CREATE TABLE forgebus.records (
            worker integer NOT NULL,
            kind smallint NOT NULL,
            key bytea NOT NULL,
            value bytea NOT NULL,
            summary json,
            PRIMARY KEY (worker, kind, key)
        ) WITH (fillfactor = 80)
        """,
        """
        CREATE TABLE forgebus.journal (
            worker integer NOT NULL,
            number bigint NOT NULL,
            at bigint NOT NULL,
            event bytea NOT NULL,
            run text COLLATE "C",
            signal text COLLATE "C",
            monitor text COLLATE "C",
            principal bytea,
            request text,
            details json NOT NULL,
            PRIMARY KEY (worker, number)
        )
        """,
        "CREATE INDEX journal_run ON forgebus.journal (worker, run, number) WHERE run IS NOT NULL",
        "CREATE INDEX journal_signal ON forgebus.journal (worker, signal, number) WHERE signal IS NOT NULL",
        "CREATE INDEX journal_monitor ON forgebus.journal (worker, monitor, number) WHERE monitor IS NOT NULL",
        """
        CREATE TABLE forgebus.outputs (
            worker integer NOT NULL,
            number bigint GENERATED ALWAYS AS IDENTITY,
            run text COLLATE "C" NOT NULL,
            action bytea NOT NULL,
            attempt bigint NOT NULL,
            at bigint NOT NULL,
            failure bytea,
            output bytea NOT NULL,
            output_omitted bigint NOT NULL,
            errors bytea NOT NULL,
            errors_omitted bigint NOT NULL,
            size bigint NOT NULL,
            PRIMARY KEY (worker, number)
        )
        """,
        "CREATE INDEX outputs_run ON forgebus.outputs (worker, run, number)",
        """
        CREATE TABLE forgebus.audit (
            worker integer NOT NULL,
            number bigint NOT NULL,
            at bigint NOT NULL,
            entry bytea NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY (worker, number)
        )
        """,
    ]
}
#endif
