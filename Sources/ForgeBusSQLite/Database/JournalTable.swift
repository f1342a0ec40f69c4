import ForgeBusProtocol
import ForgeBusStore
import GRDB

/// The table with one row for each journal entry.
///
/// Owned by the thread that uses the database connection.
struct JournalTable {
    private let append: FastStatement
    private let oldest: FastStatement
    private let drop: FastStatement
    private let database: Database

    private static let columns = "number, at, event, run, signal, monitor, principal, request, details, checksum"

    init(_ database: Database) throws {
        self.database = database
        append = try FastStatement(
            database,
            "INSERT INTO journal (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        oldest = try FastStatement(database, "SELECT number, at, checksum FROM journal ORDER BY number LIMIT ?")
        drop = try FastStatement(database, "DELETE FROM journal WHERE number <= ?")
    }

    /// Appends `entry` with the next number, and counts it in `totals`.
    func append(_ entry: JournalEntry, in totals: inout Totals) throws {
        totals.lastEntry += 1
        let details = entry.encodedDetails
        let sum = Self.checksum(totals.lastEntry, entry, details)
        try append.bind(1, totals.lastEntry)
        try append.bind(2, entry.unixMilliseconds)
        try append.bind(3, entry.event)
        try append.bind(4, entry.run?.text)
        try append.bind(5, entry.signal?.text)
        try append.bind(6, entry.monitor?.text)
        try append.bind(7, entry.principal)
        try append.bind(8, entry.request?.text)
        try append.bind(9, details)
        try append.bind(10, sum)
        try append.run()
        totals.add(entry: sum)
    }

    /// Drops the oldest entries, until at most `count` are left and the oldest of them is not from before `time`.
    ///
    /// One call drops at most `limit + 1` entries.
    ///
    /// - Returns: The time of the oldest remaining entry, in milliseconds since 1970; nil if the method dropped every
    ///   entry that it read, so that it does not know this time.
    func drop(olderThan time: Int64, beyond count: Int64, atMost limit: Int, in totals: inout Totals) throws -> Int64? {
        var last: Int64?
        var kept: Int64?
        try oldest.bind(1, Int64(limit + 1))
        try oldest.run { row in
            guard kept == nil else { return }
            guard totals.entries > count || row.integer(1) < time else { return kept = row.integer(1) }
            totals.subtract(entry: row.integer(2))
            last = row.integer(0)
        }
        if let last {
            try drop.bind(1, last)
            try drop.run()
        }
        return kept
    }

    /// The latest `limit` entries about `name`, oldest first.
    ///
    /// - Throws: ``RowFlaw`` for an entry that differs from what was written.
    func entries(about name: Name, limit: Int) throws -> [JournalEntry] {
        let latest = ["run", "signal", "monitor"].map { column in
            "SELECT number FROM (SELECT number FROM journal WHERE \(column) = ?1 ORDER BY number DESC LIMIT ?2)"
        }
        let statement = try FastStatement(
            database,
            """
            SELECT \(Self.columns) FROM journal WHERE number IN (\(latest.joined(separator: " UNION ")))
            ORDER BY number DESC LIMIT ?2
            """
        )
        try statement.bind(1, name.text)
        try statement.bind(2, Int64(max(0, limit)))
        var found: [JournalEntry] = []
        try statement.run { found.append(try Self.entry($0)) }
        return found.reversed()
    }

    /// Reads at most `limit` entries after the one with number `last`, oldest first.
    ///
    /// - Returns: The entries, and the number of the latest of them; nil if there are none.
    /// - Throws: ``RowFlaw`` for an entry that differs from what was written.
    func page(after last: Int64, limit: Int) throws -> (entries: [JournalEntry], last: Int64?) {
        let statement = try FastStatement(
            database,
            "SELECT \(Self.columns) FROM journal WHERE number > ? ORDER BY number LIMIT ?"
        )
        try statement.bind(1, last)
        try statement.bind(2, Int64(limit))
        var (entries, latest): ([JournalEntry], Int64?) = ([], nil)
        try statement.run { row in
            entries.append(try Self.entry(row))
            latest = row.integer(0)
        }
        return (entries, latest)
    }

    /// Reads every entry, and compares it with its checksum.
    ///
    /// - Returns: The number of the entries and the sum of their checksums.
    /// - Throws: ``RowFlaw`` for the first entry that differs from what was written.
    func all() throws -> (count: Int64, sum: Int64) {
        var count: Int64 = 0
        var sum: Int64 = 0
        try FastStatement(database, "SELECT \(Self.columns) FROM journal").run { row in
            _ = try Self.entry(row)
            count += 1
            sum &+= row.integer(9)
        }
        return (count, sum)
    }

    private static func entry(_ row: FastStatement) throws -> JournalEntry {
        let details = row.bytes(8)
        guard let object = JournalEntry.details(encoded: details), let event = row.text(2) else { throw flaw }
        let entry = JournalEntry(
            at: row.integer(1),
            event,
            run: try name(row, 3),
            signal: try name(row, 4),
            monitor: try name(row, 5),
            principal: row.text(6),
            request: try row.text(7).map { text in
                guard let id = try? RequestID(text) else { throw flaw }
                return id
            },
            details: object
        )
        guard checksum(row.integer(0), entry, details) == row.integer(9) else { throw flaw }
        return entry
    }

    private static let flaw = RowFlaw(flaw: "a journal entry differs from what was written")

    private static func name(_ row: FastStatement, _ column: CInt) throws -> Name? {
        guard let text = row.text(column) else { return nil }
        guard let name = try? Name(text) else { throw flaw }
        return name
    }

    private static func checksum(_ number: Int64, _ entry: JournalEntry, _ details: [UInt8]) -> Int64 {
        var sum = Checksum(2)
        sum.add(number)
        sum.add(entry.unixMilliseconds)
        sum.add(entry.event)
        sum.add(entry.run?.text)
        sum.add(entry.signal?.text)
        sum.add(entry.monitor?.text)
        sum.add(entry.principal)
        sum.add(entry.request?.text)
        sum.add(details)
        return sum.value
    }
}
