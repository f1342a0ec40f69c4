import ForgeBusStore

// Copies from and to other kinds of stores.
extension StoreSession {
    /// How many rows a page has at most.
    private static let page = 500

    var header: StoreHeader { StoreHeader(identity: totals.name, audit: audit.chain) }

    /// The next rows of `part` after `place`.
    func page(of part: StorePart, after place: Int64?) throws -> StorePage {
        switch part {
        case .journal:
            let page = try journal.page(after: place ?? 0, limit: Self.page)
            return StorePage(.journal(page.entries), endingAt: page.last)
        case .texts:
            let texts = try RecordTable.texts(database, after: place ?? 0, limit: Self.page)
            return StorePage(.texts(texts), endingAt: texts.isEmpty ? nil : (place ?? 0) + Int64(texts.count))
        case .outputs:
            let page = try OutputTable.page(database, after: place ?? 0, limit: Self.page)
            return StorePage(.outputs(page.rows), endingAt: page.last)
        case .audit:
            var links: [AuditLink] = []
            try audit.read(after: place ?? audit.chain.anchor.number) {
                links.append($0)
                return links.count < Self.page
            }
            return StorePage(.audit(links), endingAt: links.last?.number)
        }
    }

    /// Makes an empty store an unfinished copy; empties an earlier unfinished copy first.
    func beginCopy(of header: StoreHeader) throws {
        let isEmpty = totals.records == 0 && totals.entries == 0 && audit.chain == AuditChain() && outputs.size == 0
        guard isEmpty || totals.isUnfinishedCopy else {
            throw Errors.occupied(
                files.main,
                records: totals.records,
                entries: totals.entries,
                audit: audit.chain.count
            )
        }
        try copying { totals, chain in
            for table in ["records", "journal", "outputs", "audit"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            totals = Totals(store: 0, commits: totals.commits)
            chain = AuditChain(anchor: header.audit.anchor, head: header.audit.anchor)
        }
        forgetOutputs()
        try settle()
    }

    /// Appends entries to the audit, as they are in another store.
    func append(_ links: [AuditLink]) throws {
        try copying { _, chain in
            for link in links { try audit.append(link) }
            if let last = links.last { chain = AuditChain(anchor: chain.anchor, head: last.head) }
        }
    }

    /// Gives the copy the identity of the original.
    func endCopy(of header: StoreHeader) throws {
        guard let store = UInt64(header.identity, radix: 16) else {
            throw Errors.badIdentity(header.identity)
        }
        try copying { totals, _ in totals.store = Int64(bitPattern: store) }
        try settle()
    }
}
