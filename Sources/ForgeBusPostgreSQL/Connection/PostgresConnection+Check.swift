#if PostgreSQL
import ForgeBusStore

extension PostgresConnection {
    /// Checks that the server keeps what it acknowledges, and all that a worker writes.
    ///
    /// - Throws: ``PostgresFailure``; `unsuitable` if a worker must not use the server.
    func check(until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        let statement = PostgresStatement(
            """
            SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
                current_setting('synchronous_commit'), current_setting('fsync')
            """
        )
        let rows = try read([statement], until: deadline)[0]
        guard rows.integer(0, 0) >= 120_000 else {
            throw .unsuitable("The PostgreSQL server is older than version 12.", next: "Use version 12 or later.")
        }
        guard rows.text(0, 1) == "UTF8" else {
            throw .unsuitable(
                "The encoding of the database is \(rows.text(0, 1) ?? "unknown").",
                next: "Create a database with ENCODING 'UTF8' TEMPLATE template0."
            )
        }
        guard rows.text(0, 2) != "off", rows.text(0, 3) == "on" else {
            throw .unsuitable(
                "The server loses commits that it has acknowledged when its machine fails: synchronous_commit is "
                    + "\(rows.text(0, 2) ?? ""), fsync is \(rows.text(0, 3) ?? "").",
                next: "Set both to `on` for this database and this role."
            )
        }
    }
}

extension PostgresFailure {
    fileprivate static func unsuitable(_ cause: String, next: String) -> PostgresFailure {
        .unsuitable(StoreError(.unavailable, cause, next: next))
    }
}
#endif
