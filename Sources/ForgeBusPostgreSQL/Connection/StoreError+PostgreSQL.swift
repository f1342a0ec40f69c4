#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

extension StoreError {
    /// Converts any error that occurred with the store of a worker.
    init(_ error: any Error, _ options: PostgreSQLStoreOptions) {
        switch error {
        case let error as StoreError: self = error
        case let flaw as AuditFlaw:
            self.init(
                .unsound,
                "The store of the worker \(Printable.quoted(options.name)) is damaged: \(flaw).",
                next: "Restore the database from a backup."
            )
        case let failure as PostgresFailure: self.init(failure, options)
        case is CancellationError:
            self.init(
                .cancelled,
                "Loading the store of the worker \(Printable.quoted(options.name)) was given up: the task was "
                    + "cancelled, or the store was closed.",
                next: "Load the store again; loading waits while another process runs the worker."
            )
        default:
            self.init(
                .unavailable,
                "The store of the worker \(Printable.quoted(options.name)) failed: \(error).",
                next: "Start the worker again."
            )
        }
    }

    init(_ failure: PostgresFailure, _ options: PostgreSQLStoreOptions) {
        if let loss = failure.loss {
            self = loss
            return
        }
        if case .unsuitable(let error) = failure {
            self = error
            return
        }
        let name = Printable.quoted(options.name)
        let cause = "The PostgreSQL server cannot be used for the worker \(name): \(failure.cause)."
        guard case .refused(let state, _) = failure else {
            let check =
                if case .warned = failure {
                    "On the server, check that the replicas run, and that synchronous_standby_names names them; then "
                        + "try again."
                } else if failure.cause.contains("read-only") {
                    "The server answered, but accepts no changes: name the primary server in the store's URL, or wait "
                        + "until the fail-over has ended; then try again."
                } else if failure.cause.contains("the database system is") {
                    "The server is starting or stopping, and accepts no connections now: wait until it has started; "
                        + "then try again."
                } else if failure.cause.contains("FATAL:") {
                    "The server answered, but refused the connection: remove the cause that it names. Often the "
                        + "database does not exist yet (`createdb NAME` makes one), or the role or the password is "
                        + "wrong. Then try again."
                } else {
                    "Check that the server runs, that its address and port are right, and that this machine can reach "
                        + "it. If the cause is the database, the role, the password or TLS, correct that. Then try "
                        + "again."
                }
            let memory = "End other programs on this machine, or give this process more memory; then try again."
            self.init(
                .unreachable,
                cause,
                next: failure == .lost(PostgresConnection.noMemory) ? memory : check
            )
            return
        }
        switch state {
        case "FB002":
            self.init(
                .unsound,
                "The database has commits of the worker \(name) that this process did not make: \(failure.cause).",
                next:
                    "Find out who else writes to the schema forgebus. To go on with the records that the database "
                    + "has, start the worker again."
            )
        case "FB007":
            self.init(
                .unreachable,
                cause,
                next: "On the server, name the replicas in synchronous_standby_names if it is empty, and set "
                    + "synchronous_commit to `on` if it is neither `on` nor `remote_apply`. Or do not set `replicated`."
            )
        case "42501":
            self.init(
                .unavailable,
                cause,
                next: "If the database has no schema forgebus yet, give the role the right CREATE on the database; "
                    + "otherwise use the role that owns the schema forgebus."
            )
        case "3F000", "42P01", "42883", "42703":
            self.init(
                .unsound,
                cause,
                next: "The schema forgebus is incomplete: restore the database from a backup, or use an empty database."
            )
        case "53100": self.init(.inputOutput, cause, next: "Free disk space on the PostgreSQL server, then try again.")
        default: self.init(.inputOutput, cause, next: "Read the PostgreSQL server's log, then try again.")
        }
    }
}
#endif
