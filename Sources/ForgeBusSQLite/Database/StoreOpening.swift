import ForgeBusStore
import Foundation
import GRDB

/// Takes hold of a store, step by step: lock, look, open, verify, migrate.
///
/// Whatever is not sound is left as it was found.
struct StoreOpening {
    let files: StoreFiles
    let options: SQLiteStoreOptions

    /// An open store with what it holds.
    struct Opened {
        var lock: LockFile
        var queue: DatabaseQueue
        var content: StoreInspection.Content
    }

    private var version: Int { options.migrations.last?.version ?? 0 }

    func run() throws -> Opened {
        let lock = try LockFile(at: files.lock, for: files.main)
        try lookBeforeOpening(left: lock.left)
        let hadLog = Files.exists(files.log)
        do {
            let (queue, content) = try openVerified(left: lock.left)
            lock.claim(content.totals.name, commit: content.totals.commits)
            return Opened(lock: lock, queue: queue, content: content)
        } catch {
            // SQLite makes an empty log as soon as it looks; what is refused is not to have got one by that.
            if !hadLog, Files.size(of: files.log) == 0 { removeFile(files.log) }
            throw error
        }
    }

    /// Open, or closed again.
    private func openVerified(left: LockFile.Mark?) throws -> (DatabaseQueue, StoreInspection.Content) {
        let queue = try StoreConnection.open(files.main)
        do {
            let content = try queue.writeWithoutTransaction { database in
                let content = try verified(database, left: left)
                StoreConnection.release(database)
                return content
            }
            return (queue, content)
        } catch {
            try? queue.close()
            throw error
        }
    }

    /// Makes a store where there is none; refuses what SQLite would work with though it is none, or not all of one.
    private func lookBeforeOpening(left: LockFile.Mark?) throws {
        guard Files.exists(files.main) else {
            guard Files.size(of: files.log) ?? 0 == 0 else {
                throw StoreError.damaged(files.main, "its file is gone, and its log is still there")
            }
            if let left { throw gone(left) }
            return try StoreConnection.create(files, options.migrations)
        }
        _ = try FileHeader(of: files.main)
        guard try WriteAheadLog.finding(at: files.log) != .damaged else {
            throw StoreError.damaged(files.main, "commits in its log \(files.log) cannot be read")
        }
    }

    private func verified(_ database: Database, left: LockFile.Mark?) throws -> StoreInspection.Content {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found <= version else { throw newer(found) }
        guard found >= 1 else { throw StoreError.damaged(files.main, "it has no version") }
        let inspection = StoreInspection(path: files.main, database: database)
        let content = try inspection.load(schema: StoreConnection.schema(of: found, options.migrations))
        try check(content.totals, against: left)
        return found == version ? content : try migrate(database, from: found, inspection)
    }

    private func check(_ totals: Totals, against left: LockFile.Mark?) throws {
        guard let left, left.store == totals.name, left.commit > totals.commits else { return }
        throw StoreError(
            .unsound,
            "The store \(files.main) has lost commits: \(left.commit) were acknowledged, \(totals.commits) are there.",
            next: "Find the log \(files.log) that belongs to it; to go on without them, remove \(files.lock)."
        )
    }

    /// An owner that does not need its store any more has closed it.
    private func gone(_ left: LockFile.Mark) -> StoreError {
        StoreError(
            .unsound,
            "The store \(files.main) is gone, and was not closed: \(left.commit) commits were acknowledged.",
            next: "Put the file back; to begin with an empty store, remove \(files.lock)."
        )
    }

    private func newer(_ found: Int) -> StoreError {
        StoreError(
            .unsound,
            "The store \(files.main) has version \(found), and this program knows \(version) at most.",
            next: "Start a program at least as new as the one that had it last."
        )
    }

    /// Copies the store, in place of a copy that an earlier try left there.
    private func copy(_ database: Database, to path: String, _ schema: [String]) throws {
        removeFile(path)
        let copy = try StoreCopy(of: files.main, to: path, schema: schema, from: database)
        while true {
            guard let copied = try copy.goOn(pages: options.pagesPerCopyStep) else { continue }
            _ = try copied.seal()
            return
        }
    }

    private func schema(of version: Int) throws -> [String] {
        try StoreConnection.schema(of: version, options.migrations)
    }

    /// All steps together or none, after a copy was made.
    private func migrate(
        _ database: Database,
        from found: Int,
        _ inspection: StoreInspection
    ) throws -> StoreInspection.Content {
        StoreConnection.release(database)
        try copy(database, to: files.copy(before: version), schema(of: found))
        var content: StoreInspection.Content?
        try database.inTransaction(.immediate) {
            for migration in options.migrations where migration.version > found {
                try migration.apply(database)
                Failpoint.hit("in-migration")
            }
            try database.execute(sql: "PRAGMA user_version = \(version)")
            content = try inspection.load(schema: StoreConnection.schema(of: version, options.migrations))
            return .commit
        }
        Failpoint.hit("after-migration")
        guard let content else { throw StoreError.damaged(files.main, "its migration brought nothing") }
        return content
    }
}
