import ForgeBusProtocol
import ForgeBusStore

/// Copying a store.
extension Errors {
    static func noStoreToCopy(_ path: String) -> StoreError {
        StoreError(
            .unavailable,
            "The store to copy does not exist: there is no file \(path).",
            next: "Give the path of the stopped worker's store: the value of its option --store, of FORGEBUS_STORE, or "
                + "of `store` in its worker file. Without these, the store is NAME.sqlite in the worker's state "
                + "directory, such as ~/.local/state/forgebus."
        )
    }

    static let copied =
        "The copy is complete. From now on, start the worker with only one of the two stores: with both, its unfinished "
        + "runs would execute twice."

    static func copyWaits(for holder: String, of worker: String, _ role: String, isNew: Bool) -> [String] {
        let advice =
            isNew
            ? "If you need that process, press Ctrl-C, and choose another database or another --name for the copy. If "
                + "not, stop the process; the command then continues, but copies only to an empty store."
            : "Stop that process; the command then continues."
        return [
            "The command waits, because a process of the worker \(Printable.quoted(worker)) (\(holder)) uses \(role).",
            "  \(advice) If that process was killed, wait: the command continues when the lease of the process has ended "
                + "(`lease_ms`; 10 s by default).",
        ]
    }

    static func copyTroubled(_ role: String, _ cause: String) -> [String] {
        [
            "The database with \(role) cannot be used now: \(cause).",
            "  The command tries again. Correct this cause: the database server may be down, out of reach, or wrongly "
                + "configured.",
        ]
    }
}

/// The audit.
extension Errors {
    /// The next move if an entry is bad; a head that the user gave may itself be the cause.
    static func advice(on flaw: String, _ client: ClientOptions) -> String {
        if flaw.contains("is older than the entries that the store still has") {
            return "  Give a head of an entry that the store still has. To check these entries without a head, type: "
                + client.command(["audit", "verify"])
        }
        let comparison = "To find what changed, compare a new export with an earlier one."
        return flaw.contains("the given head")
            ? "  Check that you gave the head as you noted it for this worker. If so, the audit was changed later: by "
                + "somebody, by a fault of the disk, or because an earlier backup was restored. \(comparison)"
            : "  Somebody or a fault of the disk has changed the audit. \(comparison)"
    }

    /// The next move if an entry of an export is bad; a head that the user gave may itself be the cause.
    static func adviceOnFile(_ flaw: AuditFlaw) -> String {
        let isAboutHead = flaw.flaw.contains("the given head")
        let start = isAboutHead ? "Check that you gave the head of this export. If so, this file" : "This file"
        return "  \(start) was changed after the export, or the audit was already changed when it was exported. To "
            + "check the audit itself, type: forgebus audit verify"
    }

    static let unreadablePage = BusError(
        .badAnswer,
        "The program cannot read the page of the audit that the worker sent.",
        next: "Use a forgebus program that is at least as new as the worker."
    )

    static func droppedMeanwhile(_ last: Int64) -> BusError {
        BusError(
            .badAnswer,
            "The export has a gap after entry \(last): while the export ran, the worker deleted the next entries.",
            next: "Discard this output, and run the command again. If this happens again, begin with newer entries: "
                + "--since TIME. In the worker file, `audit_retention_ms` and `store_limits.audit_entries` say how "
                + "long the worker keeps entries, and how many."
        )
    }

    /// The error for a damaged audit; `last` is the number of the last exported entry, or nil without such an entry.
    static func damagedAudit(_ flaw: AuditFlaw, after last: Int64?) -> BusError {
        BusError(
            .badAnswer,
            "The export \(last.map { "ends after entry \($0)" } ?? "has no entries"), because the worker's audit is "
                + "damaged: \(flaw).",
            next: "Somebody or a fault of the disk has changed the audit. `forgebus audit export --since TIME`, with a "
                + "time after the damage, exports the entries after it."
        )
    }
}
