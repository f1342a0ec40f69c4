import ForgeBusStore
import Foundation
import GRDB

/// Copies a store to a file of its own, and reads the copy before it counts.
struct StoreCopy {
    let source: String
    let schema: [String]

    init(of source: String, schema: [String]) {
        self.source = source
        self.schema = schema
    }

    /// Copies to `path`, which must not be there.
    ///
    /// - Throws: ``StoreError``; then there is nothing at `path`, or what was there before.
    func create(_ path: String, from database: Database) throws -> Totals {
        guard !Files.exists(path) else {
            throw StoreError(
                .usage,
                "There is a file at \(path) already.",
                next: "Give the copy a name that is not taken, or move that file away."
            )
        }
        let unfinished = StoreFiles.unfinished(path)
        for suffix in ["", "-wal", "-shm", "-journal"] { removeFile(unfinished + suffix) }
        do {
            let totals = try write(unfinished, from: database)
            try Files.move(unfinished, to: path, in: (path as NSString).deletingLastPathComponent)
            return totals
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { removeFile(unfinished + suffix) }
            throw error
        }
    }

    /// Copies to `path`, in place of a copy that an earlier try left there.
    func replace(_ path: String, from database: Database) throws {
        removeFile(path)
        _ = try create(path, from: database)
    }

    private func write(_ path: String, from database: Database) throws -> Totals {
        try Files.create(path)
        try database.execute(sql: "VACUUM INTO ?", arguments: [path])
        try finish(path)
        try Files.synchronize(path)
        return try verify(path)
    }

    /// What the copy is not yet: a file with a log, and a store of its own.
    private func finish(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            guard var totals = try Totals(in: database) else { throw StoreError.damaged(source, "its totals are gone") }
            totals.store = .random(in: .min ... .max)
            try totals.write(with: FastStatement(database, Totals.writing))
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private func verify(_ path: String) throws -> Totals {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let totals = try queue.inDatabase { database in
            try StoreInspection(path: path, database: database).verify(schema: schema)
        }
        try queue.close()
        for suffix in ["-wal", "-shm"] { removeFile(path + suffix) }
        return totals
    }
}
