import ForgeBusProtocol
import ForgeBusStore
import Foundation
import GRDB

/// A complete copy of a store's pages in another file; until ``seal()`` has succeeded, it has the id of the original.
struct CopiedStore: Sendable {
    let source: String
    let path: String
    let version: StoreVersion

    /// The copy's path until ``seal()`` moves it.
    var unfinished: String { StoreFiles.unfinished(path) }

    /// Gives the copy its own id, syncs it to the disk, verifies it, then moves it to `path`.
    ///
    /// - Returns: The totals of the copy.
    /// - Throws: `StoreError` or an error of SQLite; the unfinished copy is removed first.
    func seal() throws -> Totals {
        do {
            try finish()
            try Files.synchronize(unfinished)
            let totals = try verify()
            try Files.place(unfinished, at: path, in: PathText.parts(of: path).directory)
            return totals
        } catch {
            remove()
            throw error
        }
    }

    /// Removes all files of the unfinished copy.
    func remove() { for suffix in ["", "-wal", "-shm", "-journal"] { Files.remove(unfinished + suffix) } }

    /// Gives the copy a write-ahead log and an id of its own.
    private func finish() throws {
        let queue = try DatabaseQueue(path: unfinished)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            guard var totals = try Totals(in: database) else {
                throw RowFlaw(flaw: "the row of its table `totals` is missing or was changed")
            }
            totals.store = .random(in: .min ... .max)
            try totals.write(with: FastStatement(database, Totals.writing))
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private func verify() throws -> Totals {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: unfinished, configuration: configuration)
        let totals = try queue.inDatabase { database in
            try StoreInspection(path: path, database: database, version: version).verify()
        }
        try queue.close()
        for suffix in ["-wal", "-shm"] { Files.remove(unfinished + suffix) }
        return totals
    }
}

extension CopiedStore {
    /// Calls ``seal()`` on a new thread, because ``seal()`` waits for the disk and reads the whole copy.
    ///
    /// - Returns: The answer for the operator, or the error of ``seal()``.
    func sealed() async -> Result<JSONObject, StoreError> {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: Result { try description(of: seal()) }.mapError { flaw(StoreError($0, at: path)) }
                )
            }
            thread.name = "forgebus-copy"
            // The stack is large, because records can contain nested JSON and each level needs stack frames of its own.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func description(of totals: Totals) -> JSONObject {
        [
            "path": .string(path), "size": .integer(Files.size(of: path) ?? 0),
            "records": .integer(totals.records), "journal": .integer(totals.entries),
        ]
    }

    /// Turns an error about damage into an error about the backup; other errors stay as they are.
    ///
    /// A backup is damaged if the store is damaged, or if the disk did not keep the written bytes.
    private func flaw(_ error: StoreError) -> StoreError {
        error.code == .unsound ? Errors.damagedBackup(path, of: source, error) : error
    }
}
