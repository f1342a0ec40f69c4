import CSQLite
import GRDB

/// A prepared statement that binds and reads values without wrapper objects, which would take time for every row.
///
/// Owned by the thread that uses the database connection.
struct FastStatement {
    private let statement: Statement
    private let connection: SQLiteConnection

    init(_ database: Database, _ sql: String) throws {
        statement = try database.makeStatement(sql: sql)
        connection = database.sqliteConnection!
    }

    private var raw: SQLiteStatement { statement.sqliteStatement }

    func bind(_ index: CInt, _ number: Int64) throws { try check(sqlite3_bind_int64(raw, index, number)) }

    func bind(_ index: CInt, _ bytes: UnsafeRawBufferPointer) throws {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return try check(sqlite3_bind_zeroblob(raw, index, 0))
        }
        try check(forge_sqlite3_bind_copy(raw, index, base, CInt(bytes.count)))
    }

    func bind(_ index: CInt, _ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try bind(index, $0) } }

    /// Binds text as bytes, because some functions of SQLite end a text at its first NUL.
    func bind(_ index: CInt, _ text: String?) throws {
        guard var text else { return try check(sqlite3_bind_null(raw, index)) }
        try text.withUTF8 { try bind(index, UnsafeRawBufferPointer($0)) }
    }

    /// Runs the statement to its end, and calls `row` for each row.
    ///
    /// - Returns: Whether there was a row.
    @discardableResult
    func run(_ row: (FastStatement) throws -> Void = { _ in }) throws -> Bool {
        try runWhile { statement in
            try row(statement)
            return true
        }
    }

    /// Runs the statement and calls `row` for each row, until no row is left or `row` returns false.
    ///
    /// - Returns: Whether there was a row.
    @discardableResult
    func runWhile(_ row: (FastStatement) throws -> Bool) throws -> Bool {
        defer { sqlite3_reset(raw) }
        var found = false
        while true {
            switch sqlite3_step(raw) {
            case SQLITE_ROW:
                found = true
                guard try row(self) else { return found }
            case SQLITE_DONE: return found
            case let code: throw error(code)
            }
        }
    }

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(raw, column) }

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    func bytes(_ column: CInt) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(raw, column))
        guard count > 0, let base = sqlite3_column_blob(raw, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The text in a column; nil for NULL, and for bytes that are not UTF-8.
    func text(_ column: CInt) -> String? {
        guard !isNull(column) else { return nil }
        return String(validating: bytes(column), as: UTF8.self)
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: CInt) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
    }
}
