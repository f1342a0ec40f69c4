#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

// Reading the tables.
extension PostgresSession {
    /// How many rows one answer of the server has at most.
    private static let page: Int64 = 5_000
    /// The size in bytes at which an answer with records is full.
    private static let pageSizeInBytes: Int64 = 16 << 20

    /// All records that are loaded; they are read in pages, so that memory holds no second copy of them.
    func records() throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        try eachRecord(but: .texts) { records.append($0) }
        return records
    }

    private func eachRecord(but left: StoreKey.Kind? = nil, _ body: (StoreRecord) -> Void) throws {
        var (kind, key): (Int64, [UInt8]) = (-1, [])
        while true {
            let rows = try read(
                """
                SELECT kind, key, value FROM (
                    SELECT *, sum(octet_length(value)) OVER (ORDER BY kind, key) - octet_length(value) AS before FROM (
                        SELECT kind, key, value FROM forgebus.records
                        WHERE worker = $1::integer AND (kind, key) > ($2::smallint, $3) AND kind <> $6::smallint
                        ORDER BY kind, key LIMIT $4
                    ) AS page
                ) AS sized WHERE before < $5 ORDER BY kind, key
                """,
                [
                    holder, .integer(kind), .bytes(key), .integer(Self.page), .integer(Self.pageSizeInBytes),
                    .integer(Int64(left?.rawValue ?? -1)),
                ]
            )
            if rows.count == 0 { return }
            for row in 0..<rows.count {
                (kind, key) = (rows.integer(row, 0), rows.bytes(row, 1))
                guard let found = StoreKey.Kind(rawValue: Int(kind)), let text = String(validating: key, as: UTF8.self),
                    let key = StoreKey(found, text: text)
                else {
                    throw flaw(Errors.badKey(kind, rows.bytes(row, 1)))
                }
                do {
                    body(try StoreRecord(encoded: rows.bytes(row, 2), under: key))
                } catch {
                    throw Errors.unreadable(tenure.place.name, error)
                }
            }
        }
    }

    /// The texts of an ended run; nil if the store has none.
    func texts(of run: Name) throws -> RunTexts? {
        let key = StoreKey.texts(run)
        let rows = try read(
            "SELECT value FROM forgebus.records WHERE worker = $1::integer AND kind = $2::smallint AND key = $3",
            [holder, .integer(Int64(key.kind.rawValue)), .bytes(Array(key.text.utf8))]
        )
        guard rows.count == 1, case .texts(let texts) = try StoreRecord(encoded: rows.bytes(0, 0), under: key) else {
            return nil
        }
        return texts
    }

    /// The latest `limit` journal entries about `name`, oldest first.
    func history(of name: Name, limit: Int) throws -> [JournalEntry] {
        let latest = ["run", "signal", "monitor"].map { column in
            """
            (SELECT number FROM forgebus.journal WHERE worker = $1::integer AND \(column) = $2
            ORDER BY number DESC LIMIT $3)
            """
        }
        let rows = try read(
            """
            SELECT at, event, run, signal, monitor, principal, request, details::text FROM forgebus.journal
            WHERE worker = $1::integer AND number IN (\(latest.joined(separator: " UNION "))) ORDER BY number DESC LIMIT $3
            """,
            [holder, .text(name.text), .integer(Int64(max(0, limit)))]
        )
        return try (0..<rows.count).reversed().map { try entry(rows, $0) }
    }

    func entry(_ rows: PostgresRows, _ row: Int) throws -> JournalEntry {
        func name(_ column: Int) throws -> Name? { try rows.text(row, column).map { try Name($0) } }
        do {
            guard let details = try JSONValue(parsing: rows.bytes(row, 7)[...]).object else {
                throw flaw("the details of a journal entry are not a JSON object")
            }
            return JournalEntry(
                at: rows.integer(row, 0),
                String(decoding: rows.bytes(row, 1), as: UTF8.self),
                run: try name(2),
                signal: try name(3),
                monitor: try name(4),
                principal: rows.text(row, 5),
                request: try rows.text(row, 6).map { try RequestID($0) },
                details: details
            )
        } catch let error as BusError {
            throw flaw(Errors.badEntry(error))
        }
    }

    /// Returns what the latest attempts at actions of `run` printed, oldest first; nil for `action` means all actions.
    func outputs(of run: Name, action: String?, limit: Int) throws -> [ActionOutput] {
        let rows = try read(
            """
            SELECT action, attempt, at, failure, output, output_omitted, errors, errors_omitted FROM (
                SELECT *, sum(size) OVER (ORDER BY number DESC) - size AS before FROM forgebus.outputs
                WHERE worker = $1::integer AND run = $2 AND ($3::bytea IS NULL OR action = $3)
            ) AS latest WHERE before < $4 ORDER BY number
            """,
            [holder, .text(run.text), .bytes(action.map { Array($0.utf8) }), .integer(Int64(limit))]
        )
        return (0..<rows.count).map { output(rows, $0, of: run) }
    }

    /// Reads a row of outputs that begins with the column `action`.
    func output(_ rows: PostgresRows, _ row: Int, of run: Name) -> ActionOutput {
        func text(_ column: Int) -> String { String(decoding: rows.bytes(row, column), as: UTF8.self) }
        return ActionOutput(
            of: text(0),
            in: run,
            attempt: Int(rows.integer(row, 1)),
            at: rows.integer(row, 2),
            failure: rows.isNull(row, 3) ? nil : text(3),
            output: PrintedText(text(4), omittedBytes: Int(rows.integer(row, 5))),
            errors: PrintedText(text(6), omittedBytes: Int(rows.integer(row, 7)))
        )
    }

    /// Reads the whole store and says whether every record, every journal entry and the audit can be read.
    func verify() throws -> JSONObject {
        do {
            var records: Int64 = 0
            try eachRecord { _ in records += 1 }
            let text = "SELECT records FROM forgebus.workers WHERE id = $1::integer"
            let expected = try read(text, [holder]).integer(0, 0)
            guard records == expected else { throw flaw(Errors.missingRecords(expected: expected, found: records)) }
            let entries = try verifyJournal()
            let audit = try auditReport(through: nil)
            guard audit["sound"] == true else { throw flaw(audit["flaw"]?.string ?? "its audit is not sound") }
            return ["sound": true, "records": .integer(records), "journal": .integer(entries)]
        } catch let error as StoreError where error.code == .unsound {
            return ["sound": false, "flaw": .string(error.message), "next": .string(error.next)]
        }
    }

    private func verifyJournal() throws -> Int64 {
        var (last, count): (Int64, Int64) = (0, 0)
        while true {
            let page = try journalRows(after: last, limit: Self.page)
            for row in 0..<page.count {
                let number = page.integer(row, 8)
                guard count == 0 || number == last + 1 else { throw flaw(Errors.missingEntry(last + 1)) }
                _ = try entry(page, row)
                (last, count) = (number, count + 1)
            }
            guard page.count < Self.page else { continue }
            guard count == 0 || last == lastEntry else { throw flaw(Errors.missingEntry(last + 1)) }
            return count
        }
    }

    /// Reads journal entries after the one with number `last`; the last column is the number.
    func journalRows(after last: Int64, limit: Int64) throws -> PostgresRows {
        try read(
            """
            SELECT at, event, run, signal, monitor, principal, request, details::text, number FROM forgebus.journal
            WHERE worker = $1::integer AND number > $2 ORDER BY number LIMIT $3
            """,
            [holder, .integer(last), .integer(limit)]
        )
    }

    /// Counts the records of each kind, and tells the sizes of the tables.
    func stats() throws -> JSONObject {
        let rows = try read(
            "SELECT kind, count(*) FROM forgebus.records WHERE worker = $1::integer GROUP BY kind",
            [holder]
        )
        var records = JSONObject()
        for kind in StoreKey.Kind.allCases { records["\(kind)"] = 0 }
        for row in 0..<rows.count {
            guard let kind = StoreKey.Kind(rawValue: Int(rows.integer(row, 0))) else { continue }
            records["\(kind)"] = .integer(rows.integer(row, 1))
        }
        let others = try read(
            """
            SELECT (SELECT count(*) FROM forgebus.journal WHERE worker = $1::integer), current_database()::text,
                current_setting('server_version'), current_setting('data_checksums'),
                (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
                WHERE relnamespace = 'forgebus'::regnamespace AND relkind = 'r')
            """,
            [holder]
        )
        return [
            "store": "postgresql", "database": .string(others.text(0, 1) ?? ""), "worker": .string(tenure.place.name),
            "epoch": .integer(tenure.epoch), "number": .integer(number), "server": .string(others.text(0, 2) ?? ""),
            "page_checksums": .string(others.text(0, 3) ?? ""), "size": .integer(others.integer(0, 4)),
            "records": .object(records), "journal": .integer(others.integer(0, 0)), "audit": .integer(chain.count),
            "commits": .integer(Int64(commits)), "groups": .integer(Int64(groups)),
            "rows": .integer(Int64(self.rows)),
        ]
    }

    func flaw(_ text: String) -> StoreError {
        Errors.damaged(tenure.place.name, text)
    }
}

// The audit.
extension PostgresSession {
    /// Reads a page of entries.
    func auditPage(_ query: AuditQuery) throws -> AuditPage {
        let start = try query.start(in: chain) { number in try auditRow(number).integer(0, 0) }
        let anchor = start > chain.anchor.number ? try auditHead(at: start) : chain.anchor
        var page = AuditPage(after: anchor, of: chain)
        try eachLink(after: start) { page.add($0) }
        return page
    }

    /// Checks the whole chain; if `kept` is not nil, also checks that the chain contains that entry with that hash.
    func auditReport(through kept: AuditHead?) throws -> JSONObject {
        try AuditCheck.report(on: chain, through: kept) { body in
            try eachLink(after: chain.anchor.number) {
                try body($0)
                return true
            }
        }
    }

    private func auditHead(at number: Int64) throws -> AuditHead {
        AuditHead(number, Fingerprint(bytes: try auditRow(number).bytes(0, 1)) ?? AuditHead.start.hash)
    }

    private func auditRow(_ number: Int64) throws -> PostgresRows {
        let rows = try read(
            "SELECT at, hash FROM forgebus.audit WHERE worker = $1::integer AND number = $2",
            [holder, .integer(number)]
        )
        guard rows.count == 1 else { throw AuditFlaw(number, "is missing") }
        return rows
    }

    func eachLink(after number: Int64, _ body: (AuditLink) throws -> Bool) throws {
        var last = number
        while true {
            let rows = try read(
                """
                SELECT number, at, entry, hash FROM forgebus.audit WHERE worker = $1::integer AND number > $2
                ORDER BY number LIMIT $3
                """,
                [holder, .integer(last), .integer(Int64(AuditPage.limit))]
            )
            for row in 0..<rows.count {
                last = rows.integer(row, 0)
                // If the column contains no hash, this hash of zeros makes the check report the entry.
                let hash = Fingerprint(bytes: rows.bytes(row, 3)) ?? AuditHead.start.hash
                let goesOn = try body(AuditLink(last, at: rows.integer(row, 1), rows.bytes(row, 2), hash: hash))
                if !goesOn { return }
            }
            if rows.count < AuditPage.limit { return }
        }
    }
}
#endif
