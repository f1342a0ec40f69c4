/// Copies the whole contents of one store to another store, and compares the two stores.
///
/// Neither store may be loaded or used by a worker. Until the copy is complete and compared, no worker can use the
/// target. An interrupted copy can be begun again.
public struct StoreTransfer: Sendable {
    private let source: any CopyableStore
    private let target: any CopyableStore

    /// Prepares to copy `source` to `target`.
    public init(from source: any CopyableStore, to target: any CopyableStore) {
        self.source = source
        self.target = target
    }

    /// The largest number of records or outputs in one commit.
    private static let batch = 500
    /// The size in bytes at which a commit is full.
    private static let batchSizeInBytes = 4 << 20

    /// Copies, compares, and closes both stores.
    ///
    /// - Returns: How much was copied, and its checksum.
    /// - Throws: ``StoreError`` with code `usage` when the target has contents already; `unsound` when the copy differs from
    ///   the original; the error of either store.
    public func run() async throws(StoreError) -> StoreDigest {
        let records = try await source.load()
        do throws(StoreError) {
            let digest = try await copy(records)
            await source.close()
            return digest
        } catch {
            await source.close()
            await target.close()
            throw error
        }
    }

    private func copy(_ records: [StoreRecord]) async throws(StoreError) -> StoreDigest {
        let header = try await source.header()
        _ = try await target.load()
        try await target.beginCopy(of: header)
        try await commitAll(records.map { .put($0) })
        var digest = StoreDigest(of: records)
        for part in StorePart.allCases {
            try await eachPage(of: part, in: source) { rows throws(StoreError) in
                digest.add(rows)
                switch rows {
                case .journal(let entries): try await commitAll(entries.map { .append($0) })
                case .texts(let texts): try await commitAll(texts.map { .put(.texts($0)) })
                case .outputs(let outputs): try await commitAll(outputs.map { .output($0) })
                case .audit(let links): try await target.append(links)
                }
            }
        }
        // Read again, as the next worker will.
        await target.close()
        let copied = try await target.load()
        var found = StoreDigest(of: copied)
        for part in StorePart.allCases {
            try await eachPage(of: part, in: target) { rows throws(StoreError) in found.add(rows) }
        }
        let audit = try await target.header().audit
        guard found == digest, audit == header.audit else {
            throw Errors.differentCopy(found.difference(from: digest, audit, header.audit))
        }
        try await source.checkUnchanged()
        try await target.endCopy(of: header)
        await target.close()
        return digest
    }

    /// Commits the changes, a few at a time.
    private func commitAll(_ changes: [StoreChange]) async throws(StoreError) {
        var (batch, size): ([StoreChange], Int) = ([], 0)
        for change in changes {
            batch.append(change)
            size += change.sizeInBytes
            guard batch.count == Self.batch || size >= Self.batchSizeInBytes else { continue }
            try await commit(batch)
            (batch, size) = ([], 0)
        }
        if !batch.isEmpty { try await commit(batch) }
    }

    private func commit(_ changes: [StoreChange]) async throws(StoreError) {
        let error = await withCheckedContinuation { continuation in
            target.commit(changes) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private func eachPage(
        of part: StorePart,
        in store: any CopyableStore,
        _ body: (StorePage.Rows) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        var place: Int64?
        while true {
            let page = try await store.page(of: part, after: place)
            guard let next = page.place else { return }
            try await body(page.rows)
            place = next
        }
    }
}

/// How many rows a store has, and a checksum of all of them.
public struct StoreDigest: Hashable, Sendable {
    /// The number of records.
    public private(set) var records: Int
    /// The number of journal entries.
    public private(set) var journal = 0
    /// The number of outputs of actions.
    public private(set) var outputs = 0
    /// The number of audit entries.
    public private(set) var audit = 0
    /// The SHA-256 digest of all rows: each row is hashed together with the digest of those before it.
    public private(set) var checksum = AuditHead.start.hash

    /// Begins with the records, in whatever order they come.
    init(of records: [StoreRecord]) {
        self.records = records.count
        let keyed = records.map { (key: Array("\($0.key.kind.rawValue) \($0.key.text)".utf8), bytes: $0.encoded) }
        for record in keyed.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            add(record.key)
            add(record.bytes)
        }
    }

    mutating func add(_ rows: StorePage.Rows) {
        switch rows {
        case .journal(let entries):
            journal += entries.count
            for entry in entries { add(entry.identifyingBytes) }
        case .texts(let texts):
            records += texts.count
            for text in texts {
                add(Array(text.run.text.utf8))
                add(StoreRecord.texts(text).encoded)
            }
        case .outputs(let printed):
            outputs += printed.count
            for output in printed { add(output.identifyingBytes) }
        case .audit(let links):
            audit += links.count
            for link in links {
                add(Array("\(link.number) \(link.unixMilliseconds)".utf8) + link.bytes + link.hash.bytes)
            }
        }
    }

    private mutating func add(_ bytes: [UInt8]) { checksum = checksum.chained(to: bytes) }

    /// What differs from the digest of the original, as a part of a sentence; the chains are those of both audits.
    fileprivate func difference(
        from original: StoreDigest,
        _ chain: AuditChain,
        _ originalChain: AuditChain
    ) -> String {
        let numbers = [
            ("records", Int64(records), Int64(original.records)),
            ("journal entries", Int64(journal), Int64(original.journal)),
            ("outputs", Int64(outputs), Int64(original.outputs)),
            ("audit entries", Int64(audit), Int64(original.audit)),
            ("first audit entry", chain.anchor.number + 1, originalChain.anchor.number + 1),
        ]
        let different = numbers.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) instead of \($0.2)" }
        return different.isEmpty ? "it has as many entries, but not the same ones" : different.joined(separator: ", ")
    }
}

extension StoreChange {
    /// The approximate size of what the change writes.
    fileprivate var sizeInBytes: Int {
        switch self {
        case .put(let record): record.encoded.count
        case .append(let entry): 256 + entry.encodedDetails.count
        case .output(let output): output.footprint
        case .remove, .audit: 256
        }
    }
}

extension JournalEntry {
    fileprivate var identifyingBytes: [UInt8] {
        var writer = RecordWriter()
        writer.put(unixMilliseconds)
        for text in [event, run?.text, signal?.text, monitor?.text, principal, request?.text] {
            writer.put(text) { $0.put($1) }
        }
        writer.put(details)
        return writer.bytes
    }
}

extension ActionOutput {
    fileprivate var identifyingBytes: [UInt8] {
        var writer = RecordWriter()
        writer.put(run.text)
        writer.put(action)
        writer.put(Int64(attempt))
        writer.put(unixMilliseconds)
        writer.put(failure) { $0.put($1) }
        for stream in [output, errors] {
            writer.put(stream.text)
            writer.put(Int64(stream.omittedBytes))
        }
        return writer.bytes
    }
}
