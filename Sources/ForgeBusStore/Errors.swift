import ForgeBusProtocol

/// The errors of this module, and their sentences.
enum Errors {
    // MARK: Records

    static func newer(_ key: StoreKey, form: UInt8) -> StoreError {
        StoreError(
            .unsound,
            .newer,
            "The record of the \(subject(of: key)) has format version \(form); this program reads version "
                + "\(StoreRecord.form).",
            next: "Use a version of the program at least as new as the one that last wrote to this store."
        )
    }

    static func unreadable(_ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The record of the \(subject(of: key)) is damaged: its bytes cannot be decoded.",
            next: "Restore the store from the latest backup."
        )
    }

    /// What a record under a key is about, as a part of a message.
    private static func subject(of key: StoreKey) -> String {
        switch key {
        case .request(let key): "request \(Printable.quoted(key.id.text)) of \(Printable.quoted(key.principal))"
        case .run(let run): "run \(Printable.quoted(run.text))"
        case .progress(let run): "progress of the run \(Printable.quoted(run.text))"
        case .signal(let signal): "signal \(Printable.quoted(signal.text))"
        case .debt(let monitor): "notifications for the monitor \(Printable.quoted(monitor.text))"
        case .mode(let monitor): "screen of the monitor \(Printable.quoted(monitor.text))"
        case .requested(let run): "requested run \(Printable.quoted(run.text))"
        case .trouble(let monitor): "failures of the monitor \(Printable.quoted(monitor.text))"
        case .pipelinePause(let pipeline): "pause of the pipeline \(Printable.quoted(pipeline.text))"
        case .monitorPause(let monitor): "pause of the monitor \(Printable.quoted(monitor.text))"
        case .texts(let run): "texts of the run \(Printable.quoted(run.text))"
        }
    }

    // MARK: Stores

    static var noBackupOfMemory: StoreError {
        StoreError(
            .usage,
            "The worker keeps its records in memory, so they cannot be backed up.",
            next: "Start the worker with a store in a file: a worker makes backups only of such a store."
        )
    }

    static func differentCopy(_ difference: String) -> StoreError {
        StoreError(
            .unsound,
            "The copy differs from the original (\(difference)).",
            next: "Check that nothing else uses the two stores, and copy again: the new copy replaces this one."
        )
    }
}

/// The flaws of an audit.
extension Errors {
    static func misnumbered(_ number: Int64) -> AuditFlaw {
        AuditFlaw(number, "does not begin with its own number and time")
    }

    static func wrongHash(_ number: Int64) -> AuditFlaw {
        AuditFlaw(number, "does not match its hash; this entry, its hash or the entry before was changed")
    }

    static func otherThanKept(_ number: Int64) -> AuditFlaw {
        AuditFlaw(number, "does not have the hash of the given head")
    }

    /// `source` says that the last entry is `last`, but entries are missing from `number` on.
    static func endsEarly(_ number: Int64, _ source: String, last: Int64) -> AuditFlaw {
        AuditFlaw(number, "is missing: \(source) says that the last entry is \(last), but it is \(number - 1)")
    }

    static func endsLate(_ number: Int64, _ source: String, last: Int64) -> AuditFlaw {
        AuditFlaw(number, "should not exist: \(source) says that the last entry is \(last)")
    }

    static func otherLastHash(_ number: Int64, _ source: String) -> AuditFlaw {
        AuditFlaw(number, "is the last entry, but \(source) has another hash for it")
    }

    static func olderThanKept(_ kept: Int64, first: Int64) -> AuditFlaw {
        AuditFlaw(
            kept,
            "is older than the entries that the store still has (from number \(first) on), so the given head cannot be "
                + "compared"
        )
    }

    /// The given head is the entry `kept`, but `whole` ends with the entry `last`.
    static func endsBefore(_ kept: Int64, _ whole: String, last: Int64) -> AuditFlaw {
        AuditFlaw(last + 1, "is missing: the given head is entry \(kept), but \(whole) ends with entry \(last)")
    }

    static func afterKept(_ kept: Int64) -> AuditFlaw {
        AuditFlaw(kept + 1, "comes after the given head, entry \(kept): the export must end with that head")
    }

    static func noLine(_ number: Int64) -> AuditFlaw {
        AuditFlaw(number, "is not a line of JSON with a number, a time and a hash")
    }

    static var emptyExport: AuditFlaw {
        AuditFlaw(
            nil,
            "is missing, because the file is empty: export the audit again, with `forgebus audit export -o jsonl > FILE`"
        )
    }

    static var cutExport: AuditFlaw {
        AuditFlaw(
            nil,
            "has no line end, so the file is not complete: copy the file once more, or export the audit again"
        )
    }

    static var noFooter: AuditFlaw {
        AuditFlaw(
            nil,
            "does not have the number and the hash of the last entry, so the file is not a complete export: export "
                + "the audit again, with `forgebus audit export -o jsonl > FILE`"
        )
    }
}
