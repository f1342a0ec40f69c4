import ForgeBusProtocol
import ForgeBusStore
import GRDB

extension StoreSession {
    /// Reads everything; commits wait.
    ///
    /// - Returns: What an operator is told.
    func verify() throws -> JSONObject {
        do {
            let totals = try StoreInspection(path: files.main, database: database).verify(schema: schema)
            return ["sound": true, "records": .integer(totals.records), "journal": .integer(totals.entries)]
        } catch {
            let error = StoreError(error, at: files.main)
            guard error.code == .unsound else { throw error }
            return ["sound": false, "flaw": .string(error.message), "next": .string(error.next)]
        }
    }

    /// Counts what there is; commits wait.
    ///
    /// - Returns: What an operator is told.
    func stats() throws -> JSONObject {
        var rows = JSONObject()
        for (kind, count) in try records.counts() { rows["\(kind)"] = .integer(count) }
        return [
            "store": "sqlite", "path": .string(files.main),
            "size": .integer(Files.size(of: files.main) ?? 0), "log_size": .integer(Files.size(of: files.log) ?? 0),
            "records": .object(rows), "journal": .integer(totals.entries),
            "commits": .integer(Int64(counters.commits)), "groups": .integer(Int64(counters.groups)),
            "fsyncs": .integer(Int64(counters.synchronizations)),
            "checkpoints": .integer(Int64(counters.checkpoints)),
            "free": .integer(Files.room(at: files.directory) ?? 0), "reserve": .bool(reserve.isKept),
        ]
    }

    /// Begins to copy everything to a file of that name beside the store.
    ///
    /// - Returns: What the copy is gone on with.
    func beginCopy(_ name: Name) throws -> CopyNumber {
        let path = "\(files.directory)/\(name.text)"
        guard !files.isOwn(path) else {
            throw StoreError(
                .usage,
                "\(path) is a name that the store uses itself.",
                next: "Give the copy another name."
            )
        }
        let number = CopyNumber()
        copies[number] = try StoreCopy(of: files.main, to: path, schema: schema, from: database)
        return number
    }

    /// Copies as much as a commit can wait for.
    ///
    /// - Returns: The copy once all is copied, nil until then.
    func goOn(with number: CopyNumber) throws -> CopiedStore? {
        guard let copy = copies[number] else {
            throw StoreError(.usage, "The store was closed while it was copied.", next: "Have it copied again.")
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

    /// Commits come between the steps of a copy, and must not find the disk full because of it.
    private func checkRoom(for copy: StoreCopy) throws {
        guard let free = Files.room(at: files.directory), free < options.floorInBytes else { return }
        copy.abandon()
        throw StoreError(
            .inputOutput,
            "The disk has no room for a copy: \(free) bytes are free beside \(files.main), and commits are to find"
                + " \(options.floorInBytes).",
            next: "Make room, and have it copied again."
        )
    }

    private var schema: [String] {
        get throws { try StoreConnection.schema(of: options.migrations.last?.version ?? 0, options.migrations) }
    }
}

/// Names a copy in the making, and no copy of another session.
struct CopyNumber: Hashable, Sendable {
    private let number = UInt64.random(in: .min ... .max)
}
