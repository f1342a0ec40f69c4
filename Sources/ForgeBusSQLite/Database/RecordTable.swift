import ForgeBusStore
import GRDB

/// The table with one row for each record of the store.
///
/// Owned by the thread that uses the database connection.
struct RecordTable {
    private let find: FastStatement
    private let put: FastStatement
    private let remove: FastStatement
    private let read: FastStatement
    private let database: Database

    init(_ database: Database) throws {
        self.database = database
        find = try FastStatement(database, "SELECT checksum FROM records WHERE kind = ? AND key = ?")
        put = try FastStatement(
            database,
            "INSERT OR REPLACE INTO records (kind, key, value, checksum) VALUES (?, ?, ?, ?)"
        )
        remove = try FastStatement(database, "DELETE FROM records WHERE kind = ? AND key = ?")
        read = try FastStatement(
            database,
            "SELECT kind, key, value, checksum FROM records WHERE kind = ? AND key = ?"
        )
    }

    /// Writes `record`, and replaces an earlier record under the same key.
    func put(_ record: StoreRecord, in totals: inout Totals) throws {
        var key = record.key.text
        let kind = Int64(record.key.kind.rawValue)
        let value = record.encoded
        try key.withUTF8 { key in
            let key = UnsafeRawBufferPointer(key)
            if let old = try checksum(kind, key) { totals.subtract(record: old) }
            let checksum = Self.checksum(kind, key, value)
            try put.bind(1, kind)
            try put.bind(2, key)
            try put.bind(3, value)
            try put.bind(4, checksum)
            try put.run()
            totals.add(record: checksum)
        }
    }

    /// Removes the record under `key`.
    ///
    /// - Returns: Whether there was a record under `key`.
    func remove(_ key: StoreKey, in totals: inout Totals) throws -> Bool {
        var text = key.text
        let kind = Int64(key.kind.rawValue)
        return try text.withUTF8 { key in
            let key = UnsafeRawBufferPointer(key)
            guard let old = try checksum(kind, key) else { return false }
            try remove.bind(1, kind)
            try remove.bind(2, key)
            try remove.run()
            totals.subtract(record: old)
            return true
        }
    }

    /// Reads the record under `key`, and compares it with its checksum; nil if there is none.
    ///
    /// - Throws: ``RowFlaw`` for a record that differs from what was written; `StoreError` for a record that this
    ///   program cannot read.
    func record(under key: StoreKey) throws -> StoreRecord? {
        var text = key.text
        var found: StoreRecord?
        try text.withUTF8 { bytes in
            try read.bind(1, Int64(key.kind.rawValue))
            try read.bind(2, UnsafeRawBufferPointer(bytes))
            try read.run { row in
                let value = row.bytes(2)
                _ = try Self.key(row.integer(0), row.bytes(1), value, row.integer(3))
                found = try StoreRecord(encoded: value, under: key)
            }
        }
        return found
    }

    /// Reads the texts of the next ended runs after the first `count`, in the order of the runs' ids.
    ///
    /// - Throws: As ``all(_:)``.
    static func texts(_ database: Database, after count: Int64, limit: Int) throws -> [RunTexts] {
        let statement = try FastStatement(
            database,
            "SELECT kind, key, value, checksum FROM records WHERE kind = ? ORDER BY key LIMIT ? OFFSET ?"
        )
        try statement.bind(1, Int64(StoreKey.Kind.texts.rawValue))
        try statement.bind(2, Int64(limit))
        try statement.bind(3, count)
        var found: [RunTexts] = []
        try statement.run { row in
            let value = row.bytes(2)
            let key = try key(row.integer(0), row.bytes(1), value, row.integer(3))
            if case .texts(let texts) = try StoreRecord(encoded: value, under: key) { found.append(texts) }
        }
        return found
    }

    /// Reads every record, compares it with its checksum, and passes it to `body`.
    ///
    /// - Returns: The number of the records and the sum of their checksums.
    /// - Throws: ``RowFlaw`` for the first record that differs from what was written; `StoreError` for a record that
    ///   this program cannot read.
    func all(_ body: (StoreRecord) -> Void) throws -> (count: Int64, sum: Int64) {
        var count: Int64 = 0
        var sum: Int64 = 0
        try FastStatement(database, "SELECT kind, key, value, checksum FROM records").run { row in
            let checksum = row.integer(3)
            let value = row.bytes(2)
            let key = try Self.key(row.integer(0), row.bytes(1), value, checksum)
            body(try StoreRecord(encoded: value, under: key))
            count += 1
            sum &+= checksum
        }
        return (count, sum)
    }

    /// The number of records of each kind.
    func counts() throws -> [(kind: StoreKey.Kind, count: Int64)] {
        let counting = try FastStatement(database, "SELECT count(*) FROM records WHERE kind = ?")
        return try StoreKey.Kind.allCases.map { kind in
            var count: Int64 = 0
            try counting.bind(1, Int64(kind.rawValue))
            try counting.run { count = $0.integer(0) }
            return (kind, count)
        }
    }

    private func checksum(_ kind: Int64, _ key: UnsafeRawBufferPointer) throws -> Int64? {
        var found: Int64?
        try find.bind(1, kind)
        try find.bind(2, key)
        try find.run { found = $0.integer(0) }
        return found
    }

    /// Checks a row against its checksum and returns its key.
    private static func key(_ kind: Int64, _ key: [UInt8], _ value: [UInt8], _ sum: Int64) throws -> StoreKey {
        guard key.withUnsafeBytes({ checksum(kind, $0, value) }) == sum,
            let text = String(validating: key, as: UTF8.self), let kind = StoreKey.Kind(rawValue: Int(kind)),
            let key = StoreKey(kind, text: text)
        else { throw RowFlaw(flaw: "a record differs from what was written") }
        return key
    }

    /// The checksum of a row.
    static func checksum(_ kind: Int64, _ key: UnsafeRawBufferPointer, _ value: [UInt8]) -> Int64 {
        var sum = Checksum(1)
        sum.add(kind)
        sum.add(key)
        sum.add(value)
        return sum.value
    }
}

/// A row that differs from what was written.
struct RowFlaw: Error {
    /// What is wrong, in words that can follow a colon.
    var flaw: String
}
