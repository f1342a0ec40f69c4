import ForgeBusProtocol
import ForgeBusStore
import GRDB

/// The table of the text that actions printed.
///
/// The rows are only for people to read. So the totals of the store do not count them, and the store drops the
/// oldest rows when there are too many. Owned by the thread that uses the database connection.
struct OutputTable {
    /// The approximate number of bytes that the rows take; the ``StoreSession`` sets it after each commit.
    var size: Int64
    private let append: FastStatement
    private let oldest: FastStatement
    private let drop: FastStatement
    private let sizeOfRun: FastStatement
    private let dropRun: FastStatement
    private let ofRun: FastStatement

    private static let columns =
        "number, run, action, attempt, at, output, output_omitted, errors, errors_omitted, size, checksum, failure"

    init(_ database: Database) throws {
        append = try FastStatement(
            database,
            "INSERT INTO outputs (\(Self.columns)) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        oldest = try FastStatement(database, "SELECT number, size FROM outputs ORDER BY number LIMIT 64")
        drop = try FastStatement(database, "DELETE FROM outputs WHERE number <= ?")
        sizeOfRun = try FastStatement(database, "SELECT coalesce(sum(size), 0) FROM outputs WHERE run = ?")
        dropRun = try FastStatement(database, "DELETE FROM outputs WHERE run = ?")
        ofRun = try FastStatement(
            database,
            "SELECT \(Self.columns) FROM outputs WHERE run = ?1 AND (?2 IS NULL OR action = ?2) ORDER BY number DESC"
        )
        size = try Int64.fetchOne(database, sql: "SELECT coalesce(sum(size), 0) FROM outputs") ?? 0
    }

    /// Appends a row, and adds its size to `size`.
    func append(_ output: ActionOutput, to size: inout Int64) throws {
        let footprint = Int64(output.footprint)
        try append.bind(1, output.run.text)
        try append.bind(2, output.action)
        try append.bind(3, Int64(output.attempt))
        try append.bind(4, output.unixMilliseconds)
        try append.bind(5, output.output.text)
        try append.bind(6, Int64(output.output.omittedBytes))
        try append.bind(7, output.errors.text)
        try append.bind(8, Int64(output.errors.omittedBytes))
        try append.bind(9, footprint)
        try append.bind(10, Self.checksum(output))
        try append.bind(11, output.failure)
        try append.run()
        size += footprint
    }

    /// Drops the oldest rows until `size` is at most `limit` bytes, but at most 512 rows in one call.
    ///
    /// The limit of 512 rows keeps a commit short when an operator has lowered `limit`; the next commits drop further
    /// rows.
    func drop(beyond limit: Int64, from size: inout Int64) throws {
        for _ in 0..<8 where size > limit {
            var last: Int64?
            try oldest.run { row in
                guard size > limit else { return }
                last = row.integer(0)
                size -= row.integer(1)
            }
            // No row is left, so `size` was not the sum of the rows.
            guard let last else { return size = 0 }
            try drop.bind(1, last)
            try drop.run()
        }
    }

    /// Removes what the actions of `run` printed, and subtracts its size from `size`.
    func remove(of run: Name, from size: inout Int64) throws {
        if size == 0 { return }
        try sizeOfRun.bind(1, run.text)
        try sizeOfRun.run { size -= $0.integer(0) }
        try dropRun.bind(1, run.text)
        try dropRun.run()
    }

    /// Returns what the latest attempts at actions of `run` printed, oldest first.
    ///
    /// - Parameters:
    ///   - run: The id of the run.
    ///   - action: The id of the only action whose outputs to return; nil means all actions.
    ///   - limit: A number of bytes; the method reads rows, latest first, until they have at least this size.
    /// - Returns: The rows, one for each attempt.
    /// - Throws: ``RowFlaw`` for a row that differs from what was written.
    func rows(of run: Name, action: String?, limit: Int) throws -> [ActionOutput] {
        var (found, size): ([ActionOutput], Int64) = ([], 0)
        try ofRun.bind(1, run.text)
        try ofRun.bind(2, action)
        try ofRun.runWhile { row in
            found.append(try Self.output(row))
            size += row.integer(9)
            return size < limit
        }
        return found.reversed()
    }

    /// Reads at most `limit` rows after the one with number `last`, oldest first.
    ///
    /// - Returns: The rows, and the number of the latest of them; nil if there are none.
    /// - Throws: ``RowFlaw`` for a row that differs from what was written.
    static func page(_ database: Database, after last: Int64, limit: Int) throws -> (rows: [ActionOutput], last: Int64?)
    {
        let statement = try FastStatement(
            database,
            "SELECT \(columns) FROM outputs WHERE number > ? ORDER BY number LIMIT ?"
        )
        try statement.bind(1, last)
        try statement.bind(2, Int64(limit))
        var (rows, latest): ([ActionOutput], Int64?) = ([], nil)
        try statement.run { row in
            rows.append(try output(row))
            latest = row.integer(0)
        }
        return (rows, latest)
    }

    /// Reads every row, and compares it with its checksum.
    ///
    /// - Throws: ``RowFlaw`` for the first row that differs from what was written.
    static func check(_ database: Database) throws {
        try FastStatement(database, "SELECT \(columns) FROM outputs").run { _ = try output($0) }
    }

    private static func output(_ row: FastStatement) throws -> ActionOutput {
        guard let run = row.text(1).flatMap({ try? Name($0) }), let action = row.text(2), let output = row.text(5),
            let errors = row.text(7)
        else { throw flaw }
        let found = ActionOutput(
            of: action,
            in: run,
            attempt: Int(row.integer(3)),
            at: row.integer(4),
            failure: row.text(11),
            output: PrintedText(output, omittedBytes: Int(row.integer(6))),
            errors: PrintedText(errors, omittedBytes: Int(row.integer(8)))
        )
        guard checksum(found) == row.integer(10), row.integer(9) == Int64(found.footprint) else { throw flaw }
        return found
    }

    private static let flaw = RowFlaw(flaw: "the printed output of an action differs from what was written")

    private static func checksum(_ output: ActionOutput) -> Int64 {
        var sum = Checksum(3)
        sum.add(output.run.text)
        sum.add(output.action)
        sum.add(Int64(output.attempt))
        sum.add(output.unixMilliseconds)
        sum.add(output.failure)
        for stream in [output.output, output.errors] {
            sum.add(stream.text)
            sum.add(Int64(stream.omittedBytes))
        }
        return sum.value
    }
}
