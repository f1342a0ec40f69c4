#if PostgreSQL
import ForgeBusStore
import Foundation

/// Opens a store: checks the server, makes the schema, and takes over the name of the worker.
struct PostgresOpening {
    let options: PostgreSQLStoreOptions

    /// An open store.
    struct Opened {
        let connection: PostgresConnection
        let tenure: Tenure
        let row: WorkerRow
    }

    /// Opens the store, once no other process holds the worker's name.
    ///
    /// - Parameter isCancelled: Whether to give up the wait for the name.
    /// - Returns: The open store.
    /// - Throws: `StoreError` or `PostgresFailure` if the database cannot be used; `CancellationError` after giving up.
    func run(isCancelled: () -> Bool) throws -> Opened {
        try options.check()
        var takeover = Takeover(options)
        var failures = 0
        while true {
            do {
                let connection = try PostgresConnection(options.target, for: "forgebus \(options.name)")
                try connection.check(isReplicated: options.replicated, until: deadline)
                try prepare(connection)
                let (tenure, row) = try takeover.run(connection, isCancelled: isCancelled)
                return Opened(connection: connection, tenure: tenure, row: row)
            } catch let failure as PostgresFailure {
                if isCancelled() { throw CancellationError() }
                // A process that already waits for the name tries again after a passing failure, such as a restart of the
                // server. Before the first observation of the lease, every failure ends the opening.
                guard takeover.highest != nil, failure.isPassing else { throw failure }
                Thread.sleep(forTimeInterval: Reconnection.pause(after: failures) / .seconds(1))
                failures += 1
            }
        }
    }

    private var deadline: ContinuousClock.Instant { .now + options.patience }

    /// Makes the schema if the database has none.
    private func prepare(_ connection: PostgresConnection) throws {
        let exists = "SELECT (to_regclass('forgebus.schema_versions') IS NOT NULL)::integer"
        if try connection.read([PostgresStatement(exists)], until: deadline)[0].integer(0, 0) == 0 {
            do throws(PostgresFailure) {
                _ = try connection.commit(Schema.creation, until: deadline)
            } catch {
                guard case .refused(let state, _) = error, state == Schema.exists else { throw error }
            }
        }
        let text = "SELECT coalesce(max(version), 0) FROM forgebus.schema_versions"
        let found = try connection.read([PostgresStatement(text)], until: deadline)[0].integer(0, 0)
        guard found == Schema.version else {
            throw Errors.otherSchema(found)
        }
    }
}
#endif
