#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// The statements that write a group of changes.
///
/// If it is unknown whether the statements were committed, they can be sent again with the same number of the commit.
struct GroupStatements {
    /// The statements after the one that fences; each calls one function of the schema.
    private(set) var list: [PostgresStatement] = []
    /// Whether the first statement changes records, and returns the size of the removed outputs.
    let changesRecords: Bool
    /// The size of the outputs that are added.
    let printedSize: Int64
    /// The new entries of the audit.
    let links: [AuditLink]

    /// - Parameters:
    ///   - group: The changes.
    ///   - worker: The id of the worker's row.
    ///   - lastEntry: The number of the latest journal entry before this group.
    ///   - chain: The ends of the audit, which this method changes.
    init(_ group: CommitGroup, of worker: Int64, after lastEntry: Int64, _ chain: inout AuditChain) {
        links = group.audit.map { chain.append($0) }
        printedSize = group.outputs.reduce(0) { $0 + Int64($1.footprint) }
        let holder = PostgresValue.integer(worker)
        changesRecords = !group.changes.isEmpty
        if changesRecords { list.append(Self.changing(group.changes, holder)) }
        if !group.entries.isEmpty { list.append(Self.noting(group.entries, after: lastEntry, holder)) }
        if !group.outputs.isEmpty { list.append(Self.printing(group.outputs, holder)) }
        if !links.isEmpty { list.append(Self.chaining(links, holder)) }
    }

    private static func changing(
        _ changes: [(key: StoreKey, record: StoreRecord?)],
        _ holder: PostgresValue
    ) -> PostgresStatement {
        let kept = changes.compactMap(\.record)
        let gone = changes.filter { $0.record == nil }.map(\.key)
        let runs = gone.compactMap { if case .run(let run) = $0 { run.text } else { nil } }
        return PostgresStatement(
            "SELECT forgebus.change($1::integer, $2, $3, $4, $5, $6, $7, $8)",
            [
                holder, .smallIntegers(kept.map { Int16($0.key.kind.rawValue) }), .bytes(kept.map(\.key.bytes)),
                .bytes(kept.map(\.encoded)), .json(kept.map { $0.summary.map { JSONValue.object($0).encoded } }),
                .smallIntegers(gone.map { Int16($0.kind.rawValue) }), .bytes(gone.map(\.bytes)), .texts(runs),
            ]
        )
    }

    private static func noting(
        _ entries: [JournalEntry],
        after last: Int64,
        _ holder: PostgresValue
    ) -> PostgresStatement {
        PostgresStatement(
            "SELECT forgebus.note($1::integer, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            [
                holder, .integer(last), .integers(entries.map(\.unixMilliseconds)),
                .bytes(entries.map { Array($0.event.utf8) }), .texts(entries.map(\.run?.text)),
                .texts(entries.map(\.signal?.text)), .texts(entries.map(\.monitor?.text)),
                .bytes(entries.map { $0.principal.map { Array($0.utf8) } }), .texts(entries.map(\.request?.text)),
                .json(entries.map { JSONValue.object($0.details).encoded }),
            ]
        )
    }

    private static func printing(_ outputs: [ActionOutput], _ holder: PostgresValue) -> PostgresStatement {
        PostgresStatement(
            "SELECT forgebus.print($1::integer, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            [
                holder, .texts(outputs.map(\.run.text)), .bytes(outputs.map { Array($0.action.utf8) }),
                .integers(outputs.map { Int64($0.attempt) }), .integers(outputs.map(\.unixMilliseconds)),
                .bytes(outputs.map { $0.failure.map { Array($0.utf8) } }),
                .bytes(outputs.map { Array($0.output.text.utf8) }),
                .integers(outputs.map { Int64($0.output.omittedBytes) }),
                .bytes(outputs.map { Array($0.errors.text.utf8) }),
                .integers(outputs.map { Int64($0.errors.omittedBytes) }),
                .integers(outputs.map { Int64($0.footprint) }),
            ]
        )
    }

    /// The statement that writes entries of the audit.
    static func chaining(_ links: [AuditLink], _ holder: PostgresValue) -> PostgresStatement {
        PostgresStatement(
            "SELECT forgebus.audit($1::integer, $2, $3, $4, $5)",
            [
                holder, .integers(links.map(\.number)), .integers(links.map(\.unixMilliseconds)),
                .bytes(links.map(\.bytes)), .bytes(links.map(\.hash.bytes)),
            ]
        )
    }
}

extension StoreKey {
    /// The key's text as bytes: it may contain a zero byte, which a text of PostgreSQL cannot.
    var bytes: [UInt8] { Array(text.utf8) }
}
#endif
