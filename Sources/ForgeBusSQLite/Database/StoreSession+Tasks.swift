import ForgeBusProtocol
import ForgeBusStore
import GRDB

extension StoreSession {
    /// Verifies the structure, the records, the entries of the journal and the audit, and the outputs of actions.
    ///
    /// Commits wait meanwhile.
    ///
    /// - Returns: The answer for the operator.
    func verify() throws -> JSONObject {
        do {
            let totals = try StoreInspection(path: files.main, database: database, version: version).verify()
            return ["sound": true, "records": .integer(totals.records), "journal": .integer(totals.entries)]
        } catch {
            let error = StoreError(error, at: files.main)
            guard error.code == .unsound else { throw error }
            return ["sound": false, "flaw": .string(error.message), "next": .string(error.next)]
        }
    }

    /// Counts the records and entries, and reports the sizes, the counters and the free room; commits wait meanwhile.
    ///
    /// - Returns: The answer for the operator.
    func stats() throws -> JSONObject {
        var rows = JSONObject()
        for (kind, count) in try records.counts() { rows["\(kind)"] = .integer(count) }
        return [
            "store": "sqlite", "path": .string(files.main),
            "size": .integer(Files.size(of: files.main) ?? 0), "log_size": .integer(Files.size(of: files.log) ?? 0),
            "records": .object(rows), "journal": .integer(totals.entries),
            "audit": .integer(audit.chain.count), "commits": .integer(Int64(counters.commits)),
            "groups": .integer(Int64(counters.groups)), "rows": .integer(Int64(counters.rows)),
            "fsyncs": .integer(Int64(counters.synchronizations)),
            "checkpoints": .integer(Int64(counters.checkpoints)),
            "free": .integer(Files.room(at: files.directory) ?? 0), "reserve": .bool(reserve.isKept),
        ]
    }

    /// Begins a copy of the whole store, in a file called `name` beside the store.
    ///
    /// - Returns: The number with which to continue the copy.
    func beginCopy(_ name: Name) throws -> CopyNumber {
        let path = "\(files.directory)/\(name.text)"
        guard !files.isOwn(path) else { throw Errors.ownFile(path) }
        let number = CopyNumber()
        copies[number] = try StoreCopy(of: files.main, to: path, version: version, from: database)
        return number
    }

    /// Copies the next pages; the options limit their number, so that commits need not wait long.
    ///
    /// - Returns: The complete copy; nil if some pages are not copied yet.
    func goOn(with number: CopyNumber) throws -> CopiedStore? {
        guard let copy = copies[number] else {
            throw StoreError(.usage, "The store was closed during the backup.", next: "Request the backup again.")
        }
        do {
            try checkRoom(for: copy)
            let copied = try copy.goOn(pages: options.pagesPerCopyStep)
            options.afterCopyStep?()
            if copied != nil { copies[number] = nil }
            return copied
        } catch {
            copies[number] = nil
            throw error
        }
    }

    /// Abandons the copy, and throws an error, if the disk no longer has the free room that commits need.
    private func checkRoom(for copy: StoreCopy) throws {
        guard let free = Files.room(at: files.directory), free < options.floorInBytes else { return }
        copy.abandon()
        throw Errors.noRoomForBackup(files.main, free: free, floor: options.floorInBytes)
    }

    private var version: StoreVersion {
        get throws { try .newest(by: options.migrations) }
    }
}

/// Identifies an unfinished copy among the unfinished copies of all sessions.
struct CopyNumber: Hashable, Sendable {
    private let number = UInt64.random(in: .min ... .max)
}
