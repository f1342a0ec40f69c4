#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// What is wrong with a server, or with a transaction on it.
extension Errors {
    // MARK: Connecting

    static var badTarget: StoreError {
        StoreError(
            .unavailable,
            "The URL or the settings of the PostgreSQL database are not valid; they are not shown, because they may "
                + "contain a password.",
            next:
                "Check the names of the parameters, such as sslmode, and write special characters of a name or a "
                + "password with %-encoding, such as %40 for @."
        )
    }

    static func oldServer(_ version: Int64) -> StoreError {
        StoreError(
            .unavailable,
            "The PostgreSQL server has version \(version), which is too old.",
            next: "Use version 12 or later."
        )
    }

    static func encoding(_ found: String?) -> StoreError {
        StoreError(
            .unavailable,
            "The encoding of the database is \(found ?? "unknown"); a worker's store needs UTF8.",
            next: "Create a database with ENCODING 'UTF8' TEMPLATE template0."
        )
    }

    /// The message of `forgebus.endure` with SQLSTATE FB010.
    static let withoutFsync = "it can lose acknowledged commits if its machine fails: fsync is off"

    /// The message of `forgebus.endure` with SQLSTATE FB007.
    static let unreplicated =
        "`replicated` needs a server that waits for a replica, but synchronous_standby_names is empty"

    /// The cause of a failure that has nothing to do with the server.
    static let noMemory = "this process has no memory for a connection to the server"

    // MARK: The store in the database is another one

    static var replaced: StoreError {
        StoreError(
            .unsound,
            .replaced,
            "The store that this process uses is no longer in the database: it was deleted, or another store has "
                + "taken its place.",
            next:
                "Find out whether somebody deleted or replaced the worker's store, or restored an older backup of "
                + "the database. Records that were only in the earlier store are lost, unless you restore a "
                + "backup of that store. To go on with the records that the database has now, start the worker "
                + "again; if the database has no store of this worker, the worker begins with an empty store."
        )
    }

    static func lacksCommits(_ sentence: String) -> StoreError {
        StoreError(
            .unsound,
            .lacksCommits,
            sentence,
            next:
                "Find out whether the database was restored from a backup, or failed over to a replica that had "
                + "not caught up. The changes that the worker acknowledged after that backup, or after the "
                + "replica's last commit, are lost. To go on with the records that the database has, start the "
                + "worker again."
        )
    }

    static func foreignCommits(_ sentence: String) -> StoreError {
        StoreError(
            .unsound,
            sentence,
            next:
                "Find out who else writes to the schema forgebus. To go on with the records that the database "
                + "has, start the worker again."
        )
    }

    static func foreignCommits(of name: String, _ cause: String) -> StoreError {
        foreignCommits(
            "The database has commits of the worker \(name) that this process did not make: \(cause)."
        )
    }

    /// The message of the failure with SQLSTATE FB009.
    static func isAhead(_ name: String, _ found: Int64, of own: Int64) -> String {
        "the database has commits of the worker \(Printable.quoted(name)) that this process did not "
            + "make: the last commit in the database is number \(found), and the last commit of this process "
            + "is number \(own)"
    }

    // MARK: The server cannot be used

    static func cannotBeUsed(_ name: String, _ cause: String) -> String {
        "The PostgreSQL server cannot be used for the worker \(name): \(cause)."
    }

    static let checkReplicas =
        "On the server, check that the replicas run, and that synchronous_standby_names names them; then try again."

    static let freeMemory = "End other programs on this machine, or give this process more memory; then try again."

    /// What to do after a failure to connect with this cause, which is a text of libpq or of the server.
    static func toReach(_ cause: String) -> String {
        if cause.contains("read-only") {
            return "The server answered, but accepts no changes: name the primary server in the store's URL, or wait "
                + "until the fail-over has ended; then try again."
        }
        if cause.contains("the database system is") {
            return "The server is starting or stopping, and accepts no connections now: wait until it has started; "
                + "then try again."
        }
        if cause.contains("FATAL:") {
            return "The server answered, but refused the connection: remove the cause that it names. Often the "
                + "database does not exist yet (`createdb NAME` makes one), or the role or the password is wrong. "
                + "Then try again."
        }
        return "Check that the server runs, that its address and port are right, and that this machine can reach it. "
            + "If the cause is the database, the role, the password or TLS, correct that. Then try again."
    }

    static let nameReplicas =
        "On the server, name the replicas in synchronous_standby_names. Or do not set `replicated`."

    static let turnFsyncOn = "Set fsync to `on` in postgresql.conf."

    static let giveRights =
        "If the database has no schema forgebus yet, give the role the right CREATE on the database; "
        + "otherwise use the role that owns the schema forgebus."
}
#endif
