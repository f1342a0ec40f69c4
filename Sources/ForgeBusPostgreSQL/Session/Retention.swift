#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

/// Decides which old rows a transaction drops, and remembers what is left.
///
/// It makes a statement only if, by what it remembers, the statement may have rows to drop.
struct Retention {
    /// What a statement drops.
    enum Kind {
        case journal, audit, outputs
    }

    /// The number and the time of the oldest journal entry; nil while they are unknown.
    private var oldestEntry: (number: Int64, unixMilliseconds: Int64)?
    /// The time of the oldest audit entry; nil while it is unknown.
    private var oldestAudit: Int64?
    /// The lowest number that a remaining output can have.
    private var firstOutput: Int64 = 0
    /// An upper bound for the size of what actions printed, in bytes; nil while it is unknown.
    var outputsSize: Int64?

    /// The statements that drop what is due after a group was written.
    ///
    /// - Parameters:
    ///   - group: The group, which is written before these statements.
    ///   - lastEntry: The number of the latest journal entry, with those of the group.
    ///   - chain: The ends of the audit, with the entries of the group.
    ///   - holder: The id of the worker's row.
    ///   - options: What to keep.
    /// - Returns: The statements, each with what it drops.
    func statements(
        after group: CommitGroup,
        _ lastEntry: Int64,
        _ chain: AuditChain,
        _ holder: PostgresValue,
        _ options: PostgreSQLStoreOptions
    ) -> [(kind: Kind, statement: PostgresStatement)] {
        var due: [(Kind, PostgresStatement)] = []
        let horizon = options.now() - Int64(options.journalAge / .milliseconds(1))
        if isDue(lastEntry, horizon, Int64(options.journalEntries)) {
            let parameters: [Int64] = [
                oldestEntry?.number ?? 0, Int64(options.journalEntries), horizon,
                Int64(65 + 2 * group.entries.count),
            ]
            let text = "SELECT number, at FROM forgebus.drop_journal($1::integer, $2, $3, $4, $5::integer)"
            due.append((.journal, PostgresStatement(text, [holder] + parameters.map { .integer($0) })))
        }
        if !group.audit.isEmpty,
            chain.count > options.auditEntries || (oldestAudit ?? .min) < group.auditHorizon
        {
            let parameters: [Int64] = [
                chain.anchor.number + 1, Int64(options.auditEntries), group.auditHorizon,
                Int64(65 + 2 * group.audit.count),
            ]
            let text = "SELECT dropped, anchor, at FROM forgebus.drop_audit($1::integer, $2, $3, $4, $5::integer)"
            due.append((.audit, PostgresStatement(text, [holder] + parameters.map { .integer($0) })))
        }
        let size = (outputsSize ?? 0) + group.outputs.reduce(0) { $0 + Int64($1.footprint) }
        if size > options.outputsSizeInBytes {
            let parameters = [firstOutput, size - options.outputsSizeInBytes]
            let text = "SELECT freed, next FROM forgebus.drop_outputs($1::integer, $2, $3)"
            due.append((.outputs, PostgresStatement(text, [holder] + parameters.map { .integer($0) })))
        }
        return due
    }

    private func isDue(_ lastEntry: Int64, _ horizon: Int64, _ most: Int64) -> Bool {
        guard let oldestEntry else { return lastEntry > 0 }
        return oldestEntry.unixMilliseconds < horizon || lastEntry - oldestEntry.number >= most
    }

    /// Records that a transaction was committed, and that its answer was lost.
    ///
    /// - Parameter printedSize: The size of the outputs that the transaction added, in bytes.
    mutating func doubt(printedSize: Int64) {
        oldestAudit = nil
        outputsSize = outputsSize.map { $0 + printedSize }
    }

    /// Remembers what a statement returned.
    mutating func take(_ rows: PostgresRows, of kind: Kind, _ chain: inout AuditChain) {
        switch kind {
        case .journal:
            // NULL means that the statement dropped all entries that it read. The oldest remaining entry is then unknown.
            oldestEntry = rows.isNull(0, 0) ? nil : (rows.integer(0, 0), rows.integer(0, 1))
        case .audit:
            oldestAudit = rows.isNull(0, 2) ? nil : rows.integer(0, 2)
            guard let anchor = Fingerprint(bytes: rows.bytes(0, 1)) else { return }
            chain.drop(through: AuditHead(rows.integer(0, 0), anchor))
        case .outputs:
            outputsSize = outputsSize.map { $0 - rows.integer(0, 0) }
            firstOutput = rows.integer(0, 1)
        }
    }
}
#endif
