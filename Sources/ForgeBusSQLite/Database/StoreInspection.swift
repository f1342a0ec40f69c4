import ForgeBusStore
import GRDB

/// Checks a store for damage: its structure, each row, and all rows together.
struct StoreInspection {
    let path: String
    let database: Database
    let version: StoreVersion

    /// The totals and the records of a store, and the two ends of its audit's chain.
    struct Content {
        var totals: Totals
        var records: [StoreRecord] = []
        var audit = AuditChain()
    }

    /// Checks the structure, the totals, each record, the number of journal entries and the ends of the audit's chain.
    ///
    /// It does not read the journal entries: the store compares an entry with its checksum when somebody asks for the
    /// entry.
    ///
    /// - Throws: `StoreError` with code `unsound`, or an error of SQLite.
    func load() throws -> Content {
        try checkStructure()
        guard let totals = try Totals(in: database) else {
            throw Errors.damaged(path, "the row of its table `totals` is missing or was changed")
        }
        var content = Content(totals: totals)
        content.records.reserveCapacity(Int(clamping: max(0, min(totals.records, 10_000_000))))
        let found = try flaws {
            try RecordTable(database).all { if $0.key.kind.isLoaded { content.records.append($0) } }
        }
        guard found == (totals.records, totals.recordsSum) else {
            throw Errors.damaged(path, Errors.mismatch("records", totals.records, found.count))
        }
        try checkSize(of: totals)
        content.audit = try flaws { try AuditTable.chain(in: database) }
        return content
    }

    /// Checks everything that ``load()`` checks, and each journal entry, audit entry and output of an action.
    ///
    /// - Throws: `StoreError` with code `unsound`, or an error of SQLite.
    func verify() throws -> Totals {
        let content = try load()
        let totals = content.totals
        try flaws { try AuditTable(database, content.audit).check() }
        try flaws { try OutputTable.check(database) }
        let found = try flaws { try JournalTable(database).all() }
        guard found == (totals.entries, totals.entriesSum) else {
            throw Errors.damaged(path, Errors.mismatch("journal entries", totals.entries, found.count))
        }
        return totals
    }

    private func checkStructure() throws {
        guard try StoreVersion.schema(in: database) == version.schema else {
            throw Errors.damaged(path, "its tables or indexes differ from those of store version \(version.number)")
        }
        let report = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)")
        guard report == ["ok"] else {
            // A first line such as `*** in database main ***` only names the database.
            let finding = report.first?.split(separator: "\n").first { !$0.hasPrefix("***") }
            throw Errors.damaged(
                path,
                finding.map { "SQLite reports \"\($0)\"" } ?? "SQLite could not check its structure"
            )
        }
    }

    /// Checks how many journal entries there are, and the number of the last one.
    ///
    /// The method does not read the entries, because the journal may be long.
    private func checkSize(of totals: Totals) throws {
        let last = try Int64.fetchOne(database, sql: "SELECT max(number) FROM journal") ?? 0
        let count = try Int64.fetchOne(database, sql: "SELECT count(*) FROM journal") ?? 0
        guard count == totals.entries else {
            throw Errors.damaged(path, "its journal should have \(totals.entries) entries, and has \(count)")
        }
        guard last <= totals.lastEntry else { throw Errors.damaged(path, Errors.lateEntry(totals.lastEntry, last)) }
    }

    private func flaws<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let flaw as RowFlaw {
            throw Errors.damaged(path, flaw.flaw)
        } catch let flaw as AuditFlaw {
            throw Errors.damaged(path, flaw)
        } catch let error as StoreError {
            throw Errors.unreadable(path, error)
        }
    }
}
