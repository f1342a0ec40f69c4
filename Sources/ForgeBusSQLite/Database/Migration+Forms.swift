import GRDB

extension Migration {
    /// Puts the byte 1, the number of the form of all these records, before the value of each record.
    static let forms = Migration(to: 2) { database in
        // A store that is being created has no totals and no records yet.
        guard var totals = try Totals(in: database) else { return }
        var rows: [(kind: Int64, key: [UInt8], value: [UInt8])] = []
        try FastStatement(database, "SELECT kind, key, value FROM records").run { row in
            rows.append((row.integer(0), row.bytes(1), [1] + row.bytes(2)))
        }
        let update = try FastStatement(
            database,
            "UPDATE records SET value = ?, checksum = ? WHERE kind = ? AND key = ?"
        )
        totals.recordsSum = 0
        for row in rows {
            let checksum = row.key.withUnsafeBytes { RecordTable.checksum(row.kind, $0, row.value) }
            try update.bind(1, row.value)
            try update.bind(2, checksum)
            try update.bind(3, row.kind)
            try update.bind(4, row.key)
            try update.run()
            totals.recordsSum &+= checksum
        }
        try totals.write(with: FastStatement(database, Totals.writing))
    }
}
