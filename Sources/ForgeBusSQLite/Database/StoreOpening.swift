import ForgeBusStore
import Foundation
import GRDB

/// Opens a store: locks it, checks its header and its log, opens it with SQLite, verifies it and migrates it.
///
/// A missing store is created. A store that is refused stays unchanged.
struct StoreOpening {
    let files: StoreFiles
    let options: SQLiteStoreOptions

    /// An open store with its lock, its connection and its content.
    struct Opened {
        var lock: LockFile
        var queue: DatabaseQueue
        var content: StoreInspection.Content
    }

    func run() throws -> Opened {
        let lock = try LockFile(at: files.lock, for: files.main)
        try lookBeforeOpening(left: lock.left)
        let hadLog = Files.exists(files.log)
        let alone = Files.size(of: files.log) ?? 0 > 0 ? StoreConnection.identityWithoutLog(at: files.main) : nil
        do {
            let (queue, content) = try openVerified(left: lock.left, alone: alone)
            lock.claim(content.totals.name, commit: content.totals.commits)
            return Opened(lock: lock, queue: queue, content: content)
        } catch {
            // SQLite creates an empty log as soon as it reads a store. A refused store must not keep this log.
            if !hadLog, Files.size(of: files.log) == 0 { Files.remove(files.log) }
            throw error
        }
    }

    /// Opens and verifies the file, and closes it again after an error.
    private func openVerified(left: LockFile.Mark?, alone: Int64?) throws -> (DatabaseQueue, StoreInspection.Content) {
        let queue = try StoreConnection.open(files.main)
        do {
            let content = try queue.writeWithoutTransaction { database in
                let content = try verified(database, left: left, alone: alone)
                StoreConnection.release(database)
                return content
            }
            return (queue, content)
        } catch {
            try? queue.close()
            throw error
        }
    }

    /// Creates a missing store, and refuses files that SQLite would accept but that are not complete stores.
    private func lookBeforeOpening(left: LockFile.Mark?) throws {
        guard Files.exists(files.main) else {
            guard Files.size(of: files.log) ?? 0 == 0 else {
                throw Errors.fileGone(files)
            }
            if let left { throw Errors.gone(files, left) }
            return try StoreConnection.create(files, options.migrations)
        }
        _ = try FileHeader(of: files.main)
        guard try WriteAheadLog.finding(at: files.log) != .damaged else {
            throw Errors.damaged(files.main, "commits in its log \(files.log) cannot be read")
        }
    }

    private func verified(
        _ database: Database,
        left: LockFile.Mark?,
        alone: Int64?
    ) throws -> StoreInspection.Content {
        // A copy changes its identity at its beginning and at its end; the log may have only the later one.
        if let alone, let whole = try Totals(in: database), alone != whole.store, alone != 0, !whole.isUnfinishedCopy {
            throw Errors.mixed(files)
        }
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let newest = try StoreVersion.newest(by: options.migrations)
        guard found <= newest.number else { throw Errors.newer(files.main, found, than: newest.number) }
        guard found >= 1 else { throw Errors.damaged(files.main, "its version is \(found), which no store has") }
        let version = try StoreVersion(found, by: options.migrations)
        let content = try StoreInspection(path: files.main, database: database, version: version).load()
        guard !content.totals.isUnfinishedCopy || options.loadsUnfinishedCopies else {
            throw Errors.unfinishedCopy(files.main)
        }
        try check(content.totals, against: left)
        return found == newest.number ? content : try migrate(database, from: version, to: newest)
    }

    private func check(_ totals: Totals, against left: LockFile.Mark?) throws {
        guard let left, left.store == totals.name, left.commit > totals.commits else { return }
        throw Errors.lacksCommits(files, acknowledged: left.commit, found: totals.commits)
    }

    /// Makes a backup, then carries out all migration steps in one transaction.
    private func migrate(
        _ database: Database,
        from old: StoreVersion,
        to newest: StoreVersion
    ) throws -> StoreInspection.Content {
        StoreConnection.release(database)
        try backUp(database, old, to: files.copy(before: newest.number))
        var content: StoreInspection.Content?
        try database.inTransaction(.immediate) {
            for migration in options.migrations where migration.version > old.number {
                try migration.apply(database)
                Failpoint.hit("in-migration")
            }
            try database.execute(sql: "PRAGMA user_version = \(newest.number)")
            content = try StoreInspection(path: files.main, database: database, version: newest).load()
            return .commit
        }
        Failpoint.hit("after-migration")
        guard let content else { throw Errors.damaged(files.main, "its migration did not finish") }
        return content
    }

    /// Copies the store, and replaces a copy that an interrupted migration has left.
    private func backUp(_ database: Database, _ version: StoreVersion, to path: String) throws {
        Files.remove(path)
        let copy = try StoreCopy(of: files.main, to: path, version: version, from: database)
        while true {
            guard let copied = try copy.goOn(pages: options.pagesPerCopyStep) else { continue }
            do { _ = try copied.seal() } catch let error as StoreError where error.code == .unsound {
                // The error names the copy, which was removed; what is damaged in the copy is damaged in the store.
                throw Errors.renamed(error, path, to: files.main)
            }
            return
        }
    }
}
