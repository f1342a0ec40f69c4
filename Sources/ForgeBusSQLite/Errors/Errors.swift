import ForgeBusProtocol
import ForgeBusStore

/// The errors of this module, and their sentences.
enum Errors {
    // MARK: Using a store

    static func alreadyLoaded(_ path: String) -> StoreError {
        StoreError(
            .usage,
            "The store \(path) is already loaded.",
            next: "A `BusWorker` loads its store itself: give each worker a store of its own that is not loaded. "
                + "In other code, close the store before you load it again."
        )
    }

    static func notLoaded(_ path: String) -> StoreError {
        StoreError(
            .usage,
            "The store \(path) is not loaded, or was closed.",
            next: "Load the store before you use it; a `BusWorker` closes its store when it stops."
        )
    }

    /// `since` is the time at which the process began to use the store, as its lock file says it.
    static func inUse(_ path: String, by process: Int32, since: String) -> StoreError {
        StoreError(
            .unavailable,
            .inUse(by: process),
            "The store \(path) is in use by process \(process) since \(since).",
            next: "Stop that process, or name another store."
        )
    }

    static func inUse(_ path: String) -> StoreError {
        StoreError(
            .unavailable,
            "The store \(path) is in use by another process, which is opening, reading or closing it now, or runs "
                + "in another container.",
            next: "Try again in a few seconds. If the store is still in use, stop that process, or name another "
                + "store."
        )
    }

    // MARK: Opening

    static func fileGone(_ files: StoreFiles) -> StoreError {
        StoreError(
            .unsound,
            .missing,
            "The store \(files.main) is incomplete: this file is missing, but its log \(files.log) exists.",
            next: "If the store was moved, bring all of its files to the same directory, while no worker runs. "
                + "Otherwise move the log and \(files.lock) to another directory, and copy the latest backup "
                + "to \(files.main)."
        )
    }

    /// The error for a missing store that the last process did not close: its content may still be needed.
    static func gone(_ files: StoreFiles, _ left: LockFile.Mark) -> StoreError {
        StoreError(
            .unsound,
            .missing,
            "The store \(files.main) is missing. The last process that used it did not close it, and acknowledged "
                + "commits up to number \(left.commit).",
            next: "Put the file back. If you cannot, move \(files.lock) to another directory. Then copy the latest "
                + "backup to \(files.main), or start the worker without a backup, with an empty store."
        )
    }

    /// The error for a file whose log belongs to another store: somebody copied a backup over the store.
    static func mixed(_ files: StoreFiles) -> StoreError {
        StoreError(
            .unsound,
            .replaced,
            "The store \(files.main) was replaced, but the log beside it belongs to the former store.",
            next: "To use the new file, move \(files.log) and \(files.lock) to another directory, with no worker "
                + "running. To keep the former content, put the former file back."
        )
    }

    static func lacksCommits(_ files: StoreFiles, acknowledged: Int64, found: Int64) -> StoreError {
        StoreError(
            .unsound,
            .lacksCommits,
            "The store \(files.main) has lost commits: commit \(acknowledged) was acknowledged, but the last commit in "
                + "the store is \(found).",
            next: "If the store's log \(files.log) was moved or removed, put it back. To continue without the lost "
                + "commits, remove \(files.lock)."
        )
    }

    static func newer(_ path: String, _ found: Int, than newest: Int) -> StoreError {
        StoreError(
            .unsound,
            .newer,
            "The store \(path) has version \(found); this program knows versions up to \(newest).",
            next: "Use a version of the program at least as new as the one that last wrote to this store."
        )
    }

    static func unfinishedCopy(_ path: String) -> StoreError {
        StoreError(
            .unsound,
            .unfinishedCopy,
            "The store \(path) is an unfinished copy of another store.",
            next:
                "Copy the other store to this one again, with `forgebus store copy`; no worker can use an "
                + "unfinished copy."
        )
    }

    static func wrongSetting(_ path: String, _ pragma: String, _ found: String?, not expected: String) -> StoreError {
        StoreError(
            .unsound,
            "SQLite could not apply a setting that the store \(path) needs: \(pragma) is "
                + "\(found.map { Printable.quoted($0) } ?? "unknown") instead of \(Printable.quoted(expected)).",
            next: "Move the store to a local disk: a network disk often lacks what SQLite needs. If it is on "
                + "a local disk already, this program was built with an unsuitable SQLite: build it with the "
                + "SQLite that the operating system provides as a package."
        )
    }

    // MARK: Copies

    static func ownFile(_ path: String) -> StoreError {
        StoreError(.usage, "The store itself uses the file \(path).", next: "Choose another name for the backup.")
    }

    /// The error for a file that exists where a copy should be.
    static func taken(_ path: String) -> StoreError {
        StoreError(
            .usage,
            "The file \(path) already exists.",
            next: "Choose another name for the backup, or move that file away."
        )
    }

    static func isBeingMade(_ name: Name) -> StoreError {
        StoreError(
            .usage,
            "Another request is already making a backup called \(Printable.quoted(name.text)).",
            next: "Use that backup when it is finished, or choose another name."
        )
    }

    static func noRoomForBackup(_ path: String, free: Int64, floor: Int64) -> StoreError {
        StoreError(
            .inputOutput,
            "The disk has no room for a backup: \(free) bytes are free on the disk of \(path), and the store keeps"
                + " \(floor) bytes free for its commits.",
            next: "Free disk space, then request the backup again."
        )
    }

    /// The backup at `path` of the store `source` is damaged; `error` names `path` as the damaged store.
    static func damagedBackup(_ path: String, of source: String, _ error: StoreError) -> StoreError {
        let known = "The store \(path) is damaged: "
        let cause =
            error.message.hasPrefix(known) ? ": \(error.message.dropFirst(known.count))" : ". \(error.message)"
        return StoreError(
            .unsound,
            error.kind,
            "The new backup \(path) was damaged, so it was removed\(cause)",
            next: "The store \(source) may be damaged, too: verify it with `forgebus store verify`, and check the "
                + "disk. Then request the backup again."
        )
    }

    static func occupied(_ path: String, records: Int64, entries: Int64, audit: Int64) -> StoreError {
        StoreError(
            .usage,
            "The store \(path) already has contents (records: \(records), journal entries: "
                + "\(entries), audit entries: \(audit)), so nothing was copied to it.",
            next: "As the new store, name a file that does not exist yet."
        )
    }

    static func badIdentity(_ identity: String) -> StoreError {
        StoreError(
            .unsound,
            "The original has the identity \"\(identity)\", which is not a hexadecimal number.",
            next: "Copy a store that this program has written."
        )
    }

    /// The store could not be read from a copy in a directory within `place`.
    static func failedCopy(of path: String, in place: String, _ cause: String) -> StoreError {
        StoreError(
            .inputOutput,
            "The program reads the store \(path) from a copy, but could not make or use the copy in the directory "
                + "\(place). \(cause)",
            next:
                "Check that this directory exists and has room for the copy, that you may write to it, and that you "
                + "may read the store. To use another directory, set the environment variable TMPDIR to its path."
        )
    }
}
