import CSQLite
import ForgeBusProtocol
import ForgeBusStore
import GRDB

/// An open store: its connection, its tables, its counters and its unfinished copies.
///
/// Owned by the store's thread.
final class StoreSession {
    let database: Database
    let files: StoreFiles
    let options: SQLiteStoreOptions
    let records: RecordTable
    let journal: JournalTable
    private(set) var totals: Totals
    private(set) var audit: AuditTable
    private(set) var outputs: OutputTable
    private(set) var counters = LaneCounters()
    /// The error of the first commit or checkpoint that failed.
    ///
    /// Every later commit fails with this error, because the content of the disk is unknown.
    private(set) var failure: StoreError?
    let reserve: Reserve
    /// Watches the free room of the disk.
    private var room: RoomWatch
    /// The unfinished copies by their numbers.
    var copies: [CopyNumber: StoreCopy] = [:]

    private let lock: LockFile
    private let totalsStatement: FastStatement
    private var oldestEntry: Int64 = .min
    /// How many pages SQLite had written at the last checkpoint.
    private var pagesAtCheckpoint: CInt = 0

    init(
        _ database: Database,
        _ opened: StoreOpening.Opened,
        _ files: StoreFiles,
        _ options: SQLiteStoreOptions,
        tellRoom: @escaping (StoreRoom) -> Void
    ) throws {
        self.database = database
        room = RoomWatch(options, tellRoom)
        self.files = files
        self.options = options
        records = try RecordTable(database)
        journal = try JournalTable(database)
        totalsStatement = try FastStatement(database, Totals.writing)
        totals = opened.content.totals
        audit = try AuditTable(database, opened.content.audit)
        outputs = try OutputTable(database)
        lock = opened.lock
        reserve = Reserve(path: files.reserve, sizeInBytes: options.reserveSizeInBytes)
    }

    /// Commits `group`; if the disk is full, the store frees the reserve and tries once more.
    ///
    /// - Parameters:
    ///   - group: The changes.
    ///   - count: How many callers requested the changes.
    /// - Throws: `StoreError`; after that, every commit throws the same error.
    func commit(_ group: CommitGroup, of count: Int) throws(StoreError) {
        if let failure { throw failure }
        do {
            do { try write(group) } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                guard reserve.giveUp() else { throw error }
                try write(group)
            }
        } catch {
            let error = StoreError(writing: error, at: files.main)
            failure = error
            StoreConnection.hold(database)
            throw error
        }
        counters.commits += count
        Failpoint.hit("after-commit")
        options.afterCommit?()
    }

    /// Writes the group in one transaction.
    private func write(_ group: CommitGroup) throws {
        var next = totals
        var chain = audit.chain
        var outputsSize = outputs.size
        var rows = 0
        do {
            try database.beginTransaction(.immediate)
            for change in group.changes {
                if let record = change.record {
                    try records.put(record, in: &next)
                    rows += 1
                } else if try records.remove(change.key, in: &next) {
                    rows += 1
                }
            }
            rows += try write(group.outputs, droppingThoseOf: group.changes, from: &outputsSize)
            for entry in group.entries { try journal.append(entry, in: &next) }
            if !group.audit.isEmpty {
                try audit.append(group.audit, horizon: group.auditHorizon, atMost: options.auditEntries, to: &chain)
            }
            rows += group.entries.count + group.audit.count
            if rows > 0 { try finish(&next, entries: group.entries.count) }
            Failpoint.hit("before-commit")
            try options.beforeCommit?()
            try database.commit()
        } catch {
            if database.isInsideTransaction { try? database.rollback() }
            throw error
        }
        outputs.size = outputsSize
        guard rows > 0 else { return }
        totals = next
        audit.chain = chain
        counters.groups += 1
        counters.rows += rows
        lock.record(totals.commits)
    }

    /// Changes the totals and the audit in a transaction of its own, for a copy of another store.
    func copying(_ change: (inout Totals, inout AuditChain) throws -> Void) throws {
        var (next, chain) = (totals, audit.chain)
        try database.inTransaction(.immediate) {
            try change(&next, &chain)
            next.commits += 1
            try next.write(with: totalsStatement)
            try audit.write(chain)
            return .commit
        }
        (totals, audit.chain) = (next, chain)
        lock.record(totals.commits)
    }

    /// Counts the outputs as none, after all of them were removed.
    func forgetOutputs() { outputs.size = 0 }

    /// Writes SQLite's log back to the store's file, so that the file alone shows its identity.
    func settle() throws { try checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }

    /// Writes what actions printed, and removes what the actions of removed runs printed.
    ///
    /// - Returns: The number of written rows.
    private func write(
        _ printed: [ActionOutput],
        droppingThoseOf changes: [(key: StoreKey, record: StoreRecord?)],
        from size: inout Int64
    ) throws -> Int {
        for output in printed { try outputs.append(output, to: &size) }
        for change in changes where change.record == nil {
            if case .run(let run) = change.key { try outputs.remove(of: run, from: &size) }
        }
        try outputs.drop(beyond: options.outputsSizeInBytes, from: &size)
        return printed.count
    }

    private func finish(_ next: inout Totals, entries: Int) throws {
        let horizon = options.now() - Int64(options.journalAge / .milliseconds(1))
        let most = Int64(options.journalEntries)
        if next.entries > most || oldestEntry < horizon {
            let kept = try journal.drop(olderThan: horizon, beyond: most, atMost: 64 + 2 * entries, in: &next)
            oldestEntry = kept ?? (next.entries == 0 ? .max : .min)
        }
        if entries > 0, oldestEntry == .max { oldestEntry = .min }
        next.commits += 1
        try next.write(with: totalsStatement)
    }

    /// Checkpoints the log if SQLite has written enough pages since the last checkpoint.
    ///
    /// A full disk is not a failure: the log keeps the pages, and the store frees the reserve. If that is not enough
    /// room, the next commit fails. After any other error, every commit fails.
    func checkpointIfGrown() {
        guard failure == nil, Int(pagesWritten &- pagesAtCheckpoint) >= options.checkpointPages else { return }
        do { try checkpoint(SQLITE_CHECKPOINT_PASSIVE) } catch {
            if error.resultCode == .SQLITE_FULL {
                _ = reserve.giveUp()
            } else {
                failure = StoreError(writing: error, at: files.main)
                StoreConnection.hold(database)
            }
        }
    }

    private func checkpoint(_ mode: CInt) throws(DatabaseError) {
        pagesAtCheckpoint = pagesWritten
        let code = sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, mode, nil, nil)
        Failpoint.hit("in-checkpoint")
        counters.checkpoints += 1
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// How many pages SQLite has written; after the greatest `CInt`, the count continues with the least `CInt`.
    private var pagesWritten: CInt {
        var current: CInt = 0
        var highest: CInt = 0
        sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return current
    }

    /// Abandons unfinished copies, checkpoints the whole log, and removes this process's mark from the lock file.
    ///
    /// After a failed commit or checkpoint, the log and the mark stay.
    func close() {
        for copy in copies.values { copy.abandon() }
        copies = [:]
        guard failure == nil, (try? checkpoint(SQLITE_CHECKPOINT_TRUNCATE)) != nil else { return }
        lock.clear()
    }

    /// Returns what the latest attempts at actions of `run` printed, oldest first; nil for `action` means all actions.
    ///
    /// The method reads the rows of the attempts, latest first, until they have at least `limit` bytes.
    func outputs(of run: Name, action: String?, limit: Int) throws -> [ActionOutput] {
        try outputs.rows(of: run, action: action, limit: limit)
    }

    /// The texts of an ended run; nil if the store has none.
    func texts(of run: Name) throws -> RunTexts? {
        guard case .texts(let texts) = try records.record(under: .texts(run)) else { return nil }
        return texts
    }

    /// The latest `limit` journal entries about `name`, oldest first.
    func history(of name: Name, limit: Int) throws -> [JournalEntry] { try journal.entries(about: name, limit: limit) }
}

extension StoreSession: LaneSession {
    var timing: GroupTiming { GroupTiming(size: options.groupSize, delay: options.groupDelay) }

    func begin(at now: UInt64) { room.begin(self, at: now) }

    func tidy() { checkpointIfGrown() }

    var nextLook: UInt64? { room.nextLook }

    func lookIfDue(at now: UInt64) { room.lookIfDue(self, at: now) }
}
