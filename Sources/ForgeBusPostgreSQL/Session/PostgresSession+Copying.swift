#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

// Copies from and to other kinds of stores.
extension PostgresSession {
    /// How many rows a page has at most.
    private static let page = 500
    /// The size in bytes at which a page of outputs is full.
    private static let pageSizeInBytes: Int64 = 8 << 20

    var header: StoreHeader { StoreHeader(identity: tenure.place.identity, epoch: tenure.epoch, audit: chain) }

    /// The next rows of `part` after `place`.
    func page(of part: StorePart, after place: Int64?) throws -> StorePage {
        switch part {
        case .journal:
            let rows = try journalRows(after: place ?? 0, limit: Int64(Self.page))
            let entries = try (0..<rows.count).map { try entry(rows, $0) }
            return StorePage(.journal(entries), endingAt: rows.count == 0 ? nil : rows.integer(rows.count - 1, 8))
        case .texts:
            let texts = try texts(after: place ?? 0)
            return StorePage(.texts(texts), endingAt: texts.isEmpty ? nil : (place ?? 0) + Int64(texts.count))
        case .outputs: return try outputs(after: place ?? 0)
        case .audit:
            var links: [AuditLink] = []
            try eachLink(after: place ?? chain.anchor.number) {
                links.append($0)
                return links.count < Self.page
            }
            return StorePage(.audit(links), endingAt: links.last?.number)
        }
    }

    /// The texts of the next ended runs after the first `count`.
    private func texts(after count: Int64) throws -> [RunTexts] {
        let rows = try read(
            """
            SELECT key, value FROM (
                SELECT key, value, sum(octet_length(value)) OVER (ORDER BY key) - octet_length(value) AS before FROM (
                    SELECT key, value FROM forgebus.records WHERE worker = $1::integer AND kind = $2::smallint
                    ORDER BY key LIMIT $3 OFFSET $4
                ) AS page
            ) AS sized WHERE before < $5 ORDER BY key
            """,
            [
                holder, .integer(Int64(StoreKey.Kind.texts.rawValue)), .integer(Int64(Self.page)), .integer(count),
                .integer(Self.pageSizeInBytes),
            ]
        )
        return try (0..<rows.count).compactMap { row in
            guard let text = String(validating: rows.bytes(row, 0), as: UTF8.self),
                let key = StoreKey(.texts, text: text)
            else { throw flaw(Errors.badKey(Int64(StoreKey.Kind.texts.rawValue), rows.bytes(row, 0))) }
            guard case .texts(let texts) = try StoreRecord(encoded: rows.bytes(row, 1), under: key) else { return nil }
            return texts
        }
    }

    private func outputs(after place: Int64) throws -> StorePage {
        let rows = try read(
            """
            SELECT action, attempt, at, failure, output, output_omitted, errors, errors_omitted, run, number FROM (
                SELECT *, sum(size) OVER (ORDER BY number) - size AS before FROM (
                    SELECT * FROM forgebus.outputs WHERE worker = $1::integer AND number > $2 ORDER BY number LIMIT $3
                ) AS page
            ) AS sized WHERE before < $4 ORDER BY number
            """,
            [holder, .integer(place), .integer(Int64(Self.page)), .integer(Self.pageSizeInBytes)]
        )
        let outputs = try (0..<rows.count).map { row in
            guard let run = rows.text(row, 8).flatMap({ try? Name($0) }) else {
                throw flaw("an output has no valid run id")
            }
            return output(rows, row, of: run)
        }
        return StorePage(.outputs(outputs), endingAt: rows.count == 0 ? nil : rows.integer(rows.count - 1, 9))
    }

    /// Makes an empty store an unfinished copy; an earlier unfinished copy is removed first.
    func beginCopy(of header: StoreHeader) throws {
        if tenure.place.identity != WorkerPlace.unfinishedCopy {
            let rows = try read(
                """
                SELECT (SELECT count(*) FROM forgebus.records WHERE worker = $1::integer),
                    (SELECT count(*) FROM forgebus.journal WHERE worker = $1::integer),
                    (SELECT count(*) FROM forgebus.outputs WHERE worker = $1::integer)
                """,
                [holder]
            )
            guard (0..<3).allSatisfy({ rows.integer(0, $0) == 0 }), chain == AuditChain() else {
                throw Errors.occupied(
                    tenure.place.name,
                    records: rows.integer(0, 0),
                    entries: rows.integer(0, 1),
                    outputs: rows.integer(0, 2),
                    audit: chain.count
                )
            }
        }
        let start = AuditChain(anchor: header.audit.anchor, head: header.audit.anchor)
        let marking = PostgresStatement(
            """
            UPDATE forgebus.workers SET identity = $2, records = 0, last_entry = 0, audit_dropped = $3, audit_anchor = $4
            WHERE id = $1::integer
            """,
            [
                holder, .text(WorkerPlace.unfinishedCopy), .integer(start.anchor.number),
                .bytes(start.anchor.hash.bytes),
            ]
        )
        _ = try copying([marking], start)
        forgetEntries()
        for table in ["records", "journal", "outputs", "audit"] { while try remove(from: table) > 0 {} }
    }

    /// Removes some rows that an earlier unfinished copy has left; returns how many.
    private func remove(from table: String) throws -> Int64 {
        let text = """
            WITH gone AS (
                DELETE FROM forgebus.\(table) WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM forgebus.\(table) WHERE worker = $1::integer LIMIT 10000
                )) RETURNING 1
            ) SELECT count(*) FROM gone
            """
        return try copying([PostgresStatement(text, [holder])], chain)[0].integer(0, 0)
    }

    /// Appends entries to the audit, as they are in another store.
    func append(_ links: [AuditLink]) throws {
        guard let last = links.last else { return }
        _ = try copying([GroupStatements.chaining(links, holder)], AuditChain(anchor: chain.anchor, head: last.head))
    }

    /// Gives the copy the identity of the original.
    func endCopy(of header: StoreHeader) throws {
        let naming = PostgresStatement(
            """
            UPDATE forgebus.workers SET identity = $2, epoch = greatest(epoch, $3,
                (SELECT max(substring(forgebus.readable(key) from $4)::bigint) FROM forgebus.records
                    WHERE worker = $1::integer AND kind = 2),
                (SELECT max(substring(run from $4)::bigint) FROM forgebus.journal WHERE worker = $1::integer),
                (SELECT max(substring(run from $4)::bigint) FROM forgebus.outputs WHERE worker = $1::integer)
            ) WHERE id = $1::integer
            """,
            // The ids of runs are NAME-EPOCH-N.
            [
                holder, .text(header.identity), .integer(header.epoch),
                .text("^\(tenure.place.name)-([0-9]{1,15})-[0-9]+$"),
            ]
        )
        _ = try copying([naming], chain)
    }
}
#endif
