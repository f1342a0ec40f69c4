#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// The errors of this module, and their sentences.
enum Errors {
    // MARK: Using a store

    static func alreadyLoaded(_ name: String) -> StoreError {
        StoreError(
            .usage,
            "The store of the worker \(Printable.quoted(name)) is already loaded.",
            next: "A `BusWorker` loads its store itself: give each worker a store of its own that is not loaded. "
                + "In other code, close the store before you load it again."
        )
    }

    static func notLoaded(_ name: String) -> StoreError {
        StoreError(
            .usage,
            "The store of the worker \(Printable.quoted(name)) is not loaded, or was closed.",
            next: "Load the store before you use it; a `BusWorker` closes its store when it stops."
        )
    }

    static var noBackups: StoreError {
        StoreError(
            .usage,
            "A worker does not make backups of a PostgreSQL database.",
            next: "Use pg_basebackup with an archive of the write-ahead log, or pg_dump. Such a backup has "
                + "the records of all workers in the database."
        )
    }

    static func badName(_ name: String) -> StoreError {
        StoreError(
            .usage,
            "The name \(Printable.quoted(name)) of a worker in a database has \(name.utf8.count) bytes.",
            next: "Use a name of 1 to 32 bytes."
        )
    }

    static func badLease(_ lease: Duration, margin: Duration) -> StoreError {
        StoreError(
            .usage,
            "A lease of \(lease) with a margin of \(margin) is not possible.",
            next: "Use a lease of at least one second, and a margin that is positive and at most half of the lease."
        )
    }

    static func givenUp(_ name: String) -> StoreError {
        StoreError(
            .cancelled,
            "Loading the store of the worker \(Printable.quoted(name)) was given up: the task was "
                + "cancelled, or the store was closed.",
            next: "Load the store again; loading waits while another process runs the worker."
        )
    }

    static func failed(_ name: String, _ error: any Error) -> StoreError {
        StoreError(
            .unavailable,
            "The store of the worker \(Printable.quoted(name)) failed: \(error).",
            next: "Start the worker again."
        )
    }

    // MARK: Holding a name

    /// The error of a process that no longer holds its name.
    static func superseded(_ why: String) -> StoreError {
        StoreError(
            .superseded,
            why,
            next: "Start this program again: it waits until no other process runs the worker, and then takes the "
                + "worker over."
        )
    }

    static func leaseEnded(_ name: String) -> StoreError {
        superseded(
            "This process may no longer use the store of the worker \(Printable.quoted(name)): the "
                + "process could not renew its lease in time, so another process may take the worker over."
        )
    }

    static func rowGone(_ name: String) -> StoreError {
        StoreError(
            .unsound,
            .missing,
            "The database no longer has the worker \(Printable.quoted(name)): its row in forgebus.workers "
                + "or forgebus.leases is gone.",
            next:
                "Find out whether somebody deleted the row, or whether the database failed over to a replica that "
                + "had not caught up. If the worker's records are lost, restore the database from a backup. To go "
                + "on with what the database has, start the worker again; if the database has no store of this "
                + "worker, the worker begins with an empty store."
        )
    }

    static func unfinishedCopy(_ name: String) -> StoreError {
        StoreError(
            .unsound,
            .unfinishedCopy,
            "The store of the worker \(Printable.quoted(name)) is an unfinished copy of another store.",
            next:
                "If `forgebus store copy` still makes this copy, wait until the command ends, and start the worker "
                + "then. Otherwise copy the other store to this one again, with that command; no worker can use an "
                + "unfinished copy."
        )
    }

    /// The database has the commit `number` of a take-over, and had the commit `highest` before.
    static func lacksCommits(
        _ name: String,
        _ number: (epoch: Int64, number: Int64),
        _ highest: (epoch: Int64, number: Int64)
    ) -> StoreError {
        StoreError(
            .unsound,
            .lacksCommits,
            "The database lacks commits of the worker \(Printable.quoted(name)): it has commit \(number.number) "
                + "of take-over \(number.epoch), and had commit \(highest.number) of take-over \(highest.epoch) before.",
            next:
                "Find out whether the database failed over to a replica that had not caught up, or was restored from a "
                + "backup. To go on with the records that the database has, start the worker again."
        )
    }

    // MARK: Damage

    static func damaged(_ name: String, _ flaw: String) -> StoreError {
        StoreError(
            .unsound,
            "The store of the worker \(Printable.quoted(name)) is damaged: \(flaw).",
            next: "Restore the database from a backup."
        )
    }

    static func damaged(_ name: String, _ flaw: AuditFlaw) -> StoreError {
        var error = damaged(name, "\(flaw)")
        error.kind = flaw.number.map { .auditEntry($0) }
        return error
    }

    static func unreadable(_ name: String, _ error: StoreError) -> StoreError {
        StoreError(
            error.code,
            error.kind,
            "The store of the worker \(Printable.quoted(name)) cannot be read. \(error.message)",
            next: error.next
        )
    }

    static func badKey(_ kind: Int64, _ key: [UInt8]) -> String {
        "a record of the kind number \(kind) has the invalid key "
            + Printable.quoted(String(decoding: key, as: UTF8.self))
    }

    static func missingRecords(expected: Int64, found: Int64) -> String {
        "the number of its records should be \(expected), and is \(found)"
    }

    static func missingEntry(_ number: Int64) -> String { "the journal entry \(number) is missing" }

    /// A part of a sentence from the error of a journal entry, whose message is a whole sentence.
    static func badEntry(_ error: BusError) -> String {
        "a journal entry is not valid. "
            + (error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
    }

    static func otherSchema(_ found: Int64) -> StoreError {
        StoreError(
            .unsound,
            found > Schema.version ? .newer : nil,
            "The schema forgebus has version \(found); this program reads version \(Schema.version).",
            next: found > Schema.version
                ? "Use a version of the program at least as new as the one that last wrote to this database."
                : incompleteSchema
        )
    }

    static let incompleteSchema =
        "The schema forgebus is incomplete: restore the database from a backup, or use an empty database."

    static func occupied(_ name: String, records: Int64, entries: Int64, outputs: Int64, audit: Int64) -> StoreError {
        StoreError(
            .usage,
            "The database already has contents of the worker \(Printable.quoted(name)) (records: "
                + "\(records), journal entries: \(entries), outputs: "
                + "\(outputs), audit entries: \(audit)), so nothing was copied to it.",
            next: "Choose another name for the worker, or another database."
        )
    }
}
#endif
