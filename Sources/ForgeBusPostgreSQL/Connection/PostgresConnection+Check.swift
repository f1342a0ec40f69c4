#if PostgreSQL
import ForgeBusStore

extension PostgresConnection {
    /// Checks that a worker may use the server: the server is new enough, uses UTF-8, and keeps the commits that it
    /// acknowledges.
    ///
    /// - Parameters:
    ///   - isReplicated: Whether a commit must also wait for a replica.
    ///   - deadline: When the answer must have come.
    /// - Throws: ``PostgresFailure``; `unsuitable` if a worker must not use the server.
    func check(isReplicated: Bool, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        let statement = PostgresStatement(
            """
            SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
                current_setting('synchronous_commit'), current_setting('fsync'),
                current_setting('synchronous_standby_names')
            """
        )
        let rows = try read([statement], until: deadline)[0]
        guard rows.integer(0, 0) >= 120_000 else {
            throw .unsuitable(
                "The PostgreSQL server has version \(rows.integer(0, 0) / 10_000), which is too old.",
                next: "Use version 12 or later."
            )
        }
        guard rows.text(0, 1) == "UTF8" else {
            throw .unsuitable(
                "The encoding of the database is \(rows.text(0, 1) ?? "unknown"); a worker's store needs UTF8.",
                next: "Create a database with ENCODING 'UTF8' TEMPLATE template0."
            )
        }
        var (risks, steps): ([String], [String]) = ([], [])
        if rows.text(0, 2) == "off" {
            risks.append("synchronous_commit is off")
            steps.append("synchronous_commit to `on` for the store's database and role")
        }
        if rows.text(0, 3) != "on" {
            risks.append("fsync is off")
            steps.append("fsync to `on` in postgresql.conf")
        }
        guard risks.isEmpty else {
            throw .unsuitable(
                "The PostgreSQL server can lose acknowledged commits if its machine fails: "
                    + "\(risks.joined(separator: ", and ")).",
                next: "Set \(steps.joined(separator: ", and "))."
            )
        }
        var flaws: [String] = []
        if rows.text(0, 4) == "" { flaws.append("synchronous_standby_names is empty") }
        if !["on", "remote_apply"].contains(rows.text(0, 2)) {
            flaws.append("synchronous_commit is \(rows.text(0, 2) ?? "unknown")")
        }
        guard flaws.isEmpty || !isReplicated else {
            // Just after a fail-over, this may pass.
            let flaw = flaws.joined(separator: ", and ")
            let message = "`replicated` needs a server that waits for a replica, but \(flaw)"
            throw .refused(state: "FB007", message: message)
        }
    }
}

extension PostgresFailure {
    fileprivate static func unsuitable(_ cause: String, next: String) -> PostgresFailure {
        .unsuitable(StoreError(.unavailable, cause, next: next))
    }
}
#endif
