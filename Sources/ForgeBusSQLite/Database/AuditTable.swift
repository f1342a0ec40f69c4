import ForgeBusProtocol
import ForgeBusStore
import GRDB

/// The tables of the audit: one has the entries, and the other has one row with the two ends of the chain.
///
/// Owned by the thread that uses the database connection.
struct AuditTable {
    /// The ends of the chain after the last commit; the session sets them when a commit is done.
    var chain: AuditChain
    private let database: Database
    private let append: FastStatement
    private let oldest: FastStatement
    private let drop: FastStatement
    private let end: FastStatement
    /// The time of the oldest entry, in milliseconds since 1970; `Int64.min` while that time is unknown.
    private var oldestTime: Int64 = .min

    private static let columns = "number, at, entry, hash"
    static let writing = "INSERT OR REPLACE INTO audit_chain VALUES (1, ?, ?, ?, ?, ?)"

    init(_ database: Database, _ chain: AuditChain) throws {
        self.database = database
        self.chain = chain
        append = try FastStatement(database, "INSERT INTO audit (\(Self.columns)) VALUES (?, ?, ?, ?)")
        oldest = try FastStatement(database, "SELECT number, at, hash FROM audit ORDER BY number LIMIT ?")
        drop = try FastStatement(database, "DELETE FROM audit WHERE number <= ?")
        end = try FastStatement(database, Self.writing)
    }

    /// Appends entries to `chain`, drops old entries, and writes the ends of `chain`.
    ///
    /// One call drops at most 65 entries, plus two for each appended entry; later calls drop the rest.
    ///
    /// - Parameters:
    ///   - entries: The entries to append.
    ///   - horizon: Entries from before this time, in milliseconds since 1970, are dropped.
    ///   - most: The number of entries to keep; if there are more, the oldest are dropped.
    ///   - chain: The ends of the chain, which this method changes.
    /// - Throws: An error of SQLite.
    mutating func append(
        _ entries: [AuditEntry],
        horizon: Int64,
        atMost most: Int,
        to chain: inout AuditChain
    ) throws {
        for entry in entries { try append(chain.append(entry)) }
        if chain.count > most || oldestTime < horizon {
            try drop(olderThan: horizon, beyond: Int64(most), atMost: 64 + 2 * entries.count, from: &chain)
        }
        try Self.write(chain, with: end)
    }

    /// Writes the row of an entry.
    func append(_ link: AuditLink) throws {
        try append.bind(1, link.number)
        try append.bind(2, link.unixMilliseconds)
        try append.bind(3, link.bytes)
        try append.bind(4, link.hash.bytes)
        try append.run()
    }

    /// Writes the ends of the chain.
    func write(_ chain: AuditChain) throws { try Self.write(chain, with: end) }

    /// Drops at most `limit + 1` of the oldest entries: those older than `time`, and those beyond the number `most`.
    ///
    /// This method never drops the newest entry.
    private mutating func drop(
        olderThan time: Int64,
        beyond most: Int64,
        atMost limit: Int,
        from chain: inout AuditChain
    ) throws {
        var last: AuditHead?
        var kept: Int64?
        let head = chain.head
        try oldest.bind(1, Int64(limit + 1))
        try oldest.run { row in
            let number = row.integer(0)
            guard kept == nil else { return }
            let isSurplus = head.number - number >= most || row.integer(1) < time
            guard isSurplus, number < head.number else { return kept = row.integer(1) }
            last = AuditHead(number, try Self.hash(row, 2))
        }
        oldestTime = kept ?? .min
        guard let last else { return }
        try drop.bind(1, last.number)
        try drop.run()
        chain.drop(through: last)
    }
}

// These methods write, read and check the ends of the chain.
extension AuditTable {
    /// Writes the row with the ends of the chain.
    static func write(_ chain: AuditChain, with statement: FastStatement) throws {
        try statement.bind(1, chain.head.number)
        try statement.bind(2, chain.head.hash.bytes)
        try statement.bind(3, chain.anchor.number)
        try statement.bind(4, chain.anchor.hash.bytes)
        try statement.bind(5, checksum(chain))
        try statement.run()
    }

    /// Reads the ends of the chain, and checks that the oldest and the newest entry are the entries at these ends.
    ///
    /// - Throws: ``RowFlaw`` if the row is missing or was changed, or if a hash is not 32 bytes long; `AuditFlaw` if
    ///   the oldest or the newest entry is not at its end of the chain.
    static func chain(in database: Database) throws -> AuditChain {
        var found: AuditChain?
        try FastStatement(database, "SELECT number, hash, dropped, anchor, checksum FROM audit_chain").run { row in
            let chain = AuditChain(
                anchor: AuditHead(row.integer(2), try hash(row, 3)),
                head: AuditHead(row.integer(0), try hash(row, 1))
            )
            if checksum(chain) == row.integer(4) { found = chain }
        }
        guard let chain = found else {
            throw RowFlaw(flaw: "the row with the first and last hash of its audit is missing or was changed")
        }
        try checkEnds(of: chain, database)
        return chain
    }

    private static func checkEnds(of chain: AuditChain, _ database: Database) throws {
        let first = try Int64.fetchOne(database, sql: "SELECT min(number) FROM audit") ?? chain.anchor.number + 1
        let expected = chain.anchor.number + 1
        guard first >= expected else { throw AuditFlaw(first, "was dropped, but is in the store again") }
        guard first == expected else { throw AuditFlaw(expected, "is missing: entry \(first) is in its place") }
        let table = try AuditTable(database, chain)
        do { try table.checkNewest() } catch {
            // An earlier entry may be bad, too. If so, this error names the first bad entry.
            try table.check()
            throw error
        }
    }

    private func checkNewest() throws {
        let before = try head(at: max(chain.head.number - 1, chain.anchor.number))
        var check = AuditCheck(after: before)
        try read(after: before.number) {
            try check.add($0)
            return true
        }
        try check.end(at: chain.head)
    }

    private static func checksum(_ chain: AuditChain) -> Int64 {
        var sum = Checksum(3)
        for end in [chain.head, chain.anchor] {
            sum.add(end.number)
            sum.add(end.hash.bytes)
        }
        return sum.value
    }

    private static func hash(_ row: FastStatement, _ column: CInt) throws -> Fingerprint {
        guard let hash = Fingerprint(bytes: row.bytes(column)) else {
            throw RowFlaw(flaw: "a hash in its audit is not 32 bytes long, so it was changed")
        }
        return hash
    }
}

// These methods read and check the entries.
extension AuditTable {
    /// Reads a page of entries.
    func page(_ query: AuditQuery) throws -> AuditPage {
        let start = try query.start(in: chain) { try time(of: $0) }
        var page = AuditPage(after: try head(at: start), of: chain)
        try read(after: start) { page.add($0) }
        return page
    }

    /// Checks the whole chain; if `kept` is not nil, also checks that the chain contains that entry with that hash.
    ///
    /// - Returns: The answer for the operator.
    func report(through kept: AuditHead?) throws -> JSONObject {
        try AuditCheck.report(on: chain, through: kept) { body in
            try read(after: chain.anchor.number) {
                try body($0)
                return true
            }
        }
    }

    /// Checks the whole chain.
    ///
    /// - Throws: `AuditFlaw` with the first bad entry.
    func check() throws {
        var check = AuditCheck(after: chain.anchor)
        try read(after: chain.anchor.number) {
            try check.add($0)
            return true
        }
        try check.end(at: chain.head)
    }

    /// Reads entries in the order of their numbers, until `body` returns false.
    func read(after number: Int64, _ body: (AuditLink) throws -> Bool) throws {
        let statement = try FastStatement(
            database,
            "SELECT \(Self.columns) FROM audit WHERE number > ? ORDER BY number LIMIT ?"
        )
        var (last, goesOn) = (number, true)
        while goesOn {
            try statement.bind(1, last)
            try statement.bind(2, Int64(AuditPage.limit))
            var count = 0
            try statement.run { row in
                guard goesOn else { return }
                (last, count) = (row.integer(0), count + 1)
                // If the column contains no hash, this hash of zeros makes the check report the entry.
                let hash = Fingerprint(bytes: row.bytes(3)) ?? AuditHead.start.hash
                goesOn = try body(AuditLink(last, at: row.integer(1), row.bytes(2), hash: hash))
            }
            if count < AuditPage.limit { return }
        }
    }

    /// The number and the hash of an entry; if the entry was dropped, those of the last dropped entry.
    private func head(at number: Int64) throws -> AuditHead {
        guard number > chain.anchor.number else { return chain.anchor }
        var found: AuditHead?
        let statement = try FastStatement(database, "SELECT hash FROM audit WHERE number = ?")
        try statement.bind(1, number)
        try statement.run { found = AuditHead(number, try Self.hash($0, 0)) }
        guard let found else { throw AuditFlaw(number, "is missing") }
        return found
    }

    private func time(of number: Int64) throws -> Int64 {
        guard let time = try Int64.fetchOne(database, sql: "SELECT at FROM audit WHERE number = ?", arguments: [number])
        else { throw AuditFlaw(number, "is missing") }
        return time
    }
}
