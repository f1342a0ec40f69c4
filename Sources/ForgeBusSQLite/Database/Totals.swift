import GRDB

/// The numbers of records and journal entries, and the sums of their checksums.
///
/// The totals have a row of their own, which each transaction rewrites. A check against them finds a missing row, or a
/// deleted row that came back, even if every row is undamaged.
struct Totals: Equatable {
    /// The store's id; a backup has another id.
    var store: Int64
    /// The number of transactions; one transaction commits the changes of one or more callers.
    var commits: Int64 = 0
    /// The number of records.
    var records: Int64 = 0
    /// The sum of the checksums of all records.
    var recordsSum: Int64 = 0
    /// The number of journal entries.
    var entries: Int64 = 0
    /// The sum of the checksums of all journal entries.
    var entriesSum: Int64 = 0
    /// The number of the latest journal entry; no later entry gets the same number.
    var lastEntry: Int64 = 0

    /// The store's id as text.
    var name: String { String(UInt64(bitPattern: store), radix: 16) }

    /// Whether the store is an unfinished copy of a store of another kind.
    var isUnfinishedCopy: Bool { store == 0 }

    mutating func add(record checksum: Int64) {
        records += 1
        recordsSum &+= checksum
    }

    mutating func subtract(record checksum: Int64) {
        records -= 1
        recordsSum &-= checksum
    }

    mutating func add(entry checksum: Int64) {
        entries += 1
        entriesSum &+= checksum
    }

    mutating func subtract(entry checksum: Int64) {
        entries -= 1
        entriesSum &-= checksum
    }

    private var columns: [Int64] { [1, store, commits, records, recordsSum, entries, entriesSum, lastEntry] }

    private var checksum: Int64 {
        var sum = Checksum(0)
        for column in columns { sum.add(column) }
        return sum.value
    }

    /// Reads the totals; nil if their row is missing, or differs from what was written.
    init?(in database: Database) throws {
        var found: Totals?
        try FastStatement(database, "SELECT * FROM totals").run { row in
            var totals = Totals(store: row.integer(1))
            totals.commits = row.integer(2)
            totals.records = row.integer(3)
            totals.recordsSum = row.integer(4)
            totals.entries = row.integer(5)
            totals.entriesSum = row.integer(6)
            totals.lastEntry = row.integer(7)
            found = totals.checksum == row.integer(8) ? totals : nil
        }
        guard let found else { return nil }
        self = found
    }

    /// The totals of an empty store.
    init(store: Int64, commits: Int64 = 0) { (self.store, self.commits) = (store, commits) }

    static let writing = "INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    func write(with statement: FastStatement) throws {
        for (index, column) in columns.enumerated() { try statement.bind(CInt(index + 1), column) }
        try statement.bind(9, checksum)
        try statement.run()
    }
}
