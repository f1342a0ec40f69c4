#if PostgreSQL
import ForgeBusStore

extension PostgresConnection {
    /// Checks that a worker may use the server: the server is new enough, uses UTF-8, and keeps the commits that it
    /// acknowledges.
    ///
    /// The settings for the durability may change at any time, so `forgebus.endure` looks at them again in each
    /// transaction. It also sets `synchronous_commit` there.
    ///
    /// - Parameters:
    ///   - isReplicated: Whether a commit must also wait for a replica.
    ///   - deadline: When the answer must have come.
    /// - Throws: ``PostgresFailure``; `unsuitable` if a worker must not use the server.
    func check(isReplicated: Bool, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        let statement = PostgresStatement(
            """
            SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
                current_setting('fsync'), current_setting('synchronous_standby_names')
            """
        )
        let rows = try read([statement], until: deadline)[0]
        guard rows.integer(0, 0) >= 120_000 else { throw .unsuitable(Errors.oldServer(rows.integer(0, 0) / 10_000)) }
        guard rows.text(0, 1) == "UTF8" else { throw .unsuitable(Errors.encoding(rows.text(0, 1))) }
        guard rows.text(0, 2) == "on" else { throw .refused(state: "FB010", message: Errors.withoutFsync) }
        guard rows.text(0, 3) != "" || !isReplicated else {
            // Just after a fail-over, this may pass.
            throw .refused(state: "FB007", message: Errors.unreplicated)
        }
    }
}
#endif
