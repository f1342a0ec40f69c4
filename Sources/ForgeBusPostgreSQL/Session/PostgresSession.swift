#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// An open store: its connection, its tenure, and what it knows of its tables.
///
/// Owned by the store's thread.
final class PostgresSession {
    let options: PostgreSQLStoreOptions
    let tenure: Tenure
    /// The number of the latest commit; each commit has the next number.
    ///
    /// If the answer to a commit is lost, the number in the database shows whether the commit happened.
    private(set) var number: Int64
    private(set) var lastEntry: Int64
    private(set) var chain: AuditChain
    /// The number of groups, of commits in them and of rows that they changed, since the store was loaded.
    private(set) var groups = 0
    private(set) var commits = 0
    private(set) var rows = 0

    /// Nil while the connection is lost.
    private var connection: PostgresConnection?
    private var retention = Retention()
    /// The error of the first commit that failed; every later commit fails with it.
    private var failure: StoreError?
    /// Whether the store is being closed; the session then stops waiting for a server that is away for longer than the
    /// patience of the options.
    private let isClosing: () -> Bool
    /// Since when the server does not work; nil while it works.
    private var awaySince: ContinuousClock.Instant?
    /// How many attempts have failed since then.
    private var attempts = 0

    init(_ opened: PostgresOpening.Opened, _ options: PostgreSQLStoreOptions, isClosing: @escaping () -> Bool) {
        (connection, tenure) = (opened.connection, opened.tenure)
        self.options = options
        self.isClosing = isClosing
        (number, lastEntry, chain) = (opened.row.number, opened.row.lastEntry, opened.row.chain)
    }

    private var place: WorkerPlace { tenure.place }
    var holder: PostgresValue { .integer(place.id) }
    private var deadline: ContinuousClock.Instant { .now + min(options.patience, max(.zero, tenure.left)) }

    // MARK: Reading

    /// Runs a statement that changes nothing; after an interruption, again.
    func read(_ text: String, _ parameters: [PostgresValue] = []) throws -> PostgresRows {
        let statement = PostgresStatement(text, parameters)
        while true {
            do throws(PostgresFailure) {
                let rows = try connected().read([statement], until: deadline)[0]
                isBack()
                return rows
            } catch {
                guard error.isInterruption else { throw error }
                try wait(after: error)
            }
        }
    }

    /// Checks that the records that were read are complete: a connection may have led to a server that lacked some of
    /// them.
    func settle() throws {
        while true {
            do throws(PostgresFailure) {
                let row = try confirmed()
                guard row.number == number else { throw ahead(row) }
                return isBack()
            } catch {
                guard error.isPassing else { throw error.loss ?? StoreError(error, options) }
                try wait(after: error)
            }
        }
    }

    // MARK: Connecting

    private func connected() throws(PostgresFailure) -> PostgresConnection {
        if let connection { return connection }
        let new = try PostgresConnection(options.target, for: "forgebus \(place.name)")
        try new.check(isReplicated: options.replicated, until: deadline)
        connection = new
        return new
    }

    /// Drops a lost connection, and pauses.
    ///
    /// - Throws: The tenure's error if it has ended meanwhile; an error of the server if the store is being closed and the
    ///   server does not come back.
    private func wait(after failure: PostgresFailure) throws(StoreError) {
        if let loss = failure.loss { tenure.lose(loss) }
        if let error = tenure.error { throw error }
        if case .lost = failure { connection = nil }
        let since = awaySince ?? .now
        if awaySince == nil { options.troubles?(failure.cause) }
        awaySince = since
        if isClosing(), .now - since > options.patience { throw StoreError(failure, options) }
        Thread.sleep(forTimeInterval: Reconnection.pause(after: attempts) / .seconds(1))
        attempts += 1
    }

    private func isBack() {
        guard awaySince != nil else { return }
        (awaySince, attempts) = (nil, 0)
        options.troubles?(nil)
    }
}

extension PostgresSession: LaneSession {
    var timing: GroupTiming { GroupTiming(size: options.groupSize, delay: options.groupDelay) }

    func begin(at now: UInt64) {}

    func tidy() {}

    var nextLook: UInt64? { nil }

    func lookIfDue(at now: UInt64) {}

    func close() {
        guard tenure.holds, failure == nil, let connection else { return }
        let function = tenure.isReleased ? "release" : "leave"
        let release = PostgresStatement("SELECT forgebus.\(function)($1::integer, $2)", [holder, .text(tenure.token)])
        _ = try? connection.commit([release], until: deadline)
    }

    /// Commits the group; while the server is away, tries again until the tenure ends.
    func commit(_ group: CommitGroup, of count: Int) throws(StoreError) {
        if let failure { throw failure }
        do {
            try write(group)
        } catch {
            failure = error
            throw error
        }
        groups += 1
        commits += count
        rows += group.changes.count + group.entries.count + group.outputs.count + group.audit.count
    }

    /// Changes the worker's row and its audit in a transaction of its own, for a copy of another store.
    ///
    /// The copy must be made again if the answer is lost.
    ///
    /// - Parameters:
    ///   - statements: The changes.
    ///   - next: The ends of the audit after them.
    /// - Returns: What the statements returned.
    /// - Throws: ``PostgresFailure``.
    func copying(_ statements: [PostgresStatement], _ next: AuditChain) throws -> [PostgresRows] {
        let transaction = [fence(entries: 0, to: next.head)] + statements
        let answers = try commit(transaction)
        (number, chain) = (number + 1, next)
        return Array(answers.dropFirst())
    }

    /// Begins to count the journal's entries at 1: a copy begins with an empty journal.
    func forgetEntries() { lastEntry = 0 }

    private func write(_ group: CommitGroup) throws(StoreError) {
        var chain = chain
        let changes = GroupStatements(group, of: place.id, after: lastEntry, &chain)
        // Whether an attempt may have been committed, and whether the latest one may.
        var (wasInDoubt, isInDoubt) = (false, false)
        while true {
            if let error = tenure.error { throw error }
            do throws(PostgresFailure) {
                if connection == nil || isInDoubt {
                    let row = try confirmed()
                    if wasInDoubt, row.number == number + 1 { return takeOver(row, changes) }
                    guard row.number == number else { throw ahead(row) }
                    isInDoubt = false
                }
                try commit(changes, of: group, chain)
                return isBack()
            } catch {
                // An earlier attempt, on a connection that seemed to be lost, was committed after all.
                let isLate = error.isAhead && wasInDoubt
                switch error {
                case .lost, .warned: (wasInDoubt, isInDoubt) = (true, true)
                case .refused, .unsuitable:
                    isInDoubt = isInDoubt || isLate
                    guard isLate || error.isPassing || error.loss != nil else { throw StoreError(error, options) }
                }
                if !isLate { try wait(after: error) }
            }
        }
    }

    private func commit(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresRows] {
        try connected().commit(statements, isReplicated: options.replicated, until: deadline)
    }

    private func ahead(_ row: WorkerRow) -> PostgresFailure {
        .refused(
            state: "FB009",
            message: Errors.isAhead(place.name, row.number, of: number)
        )
    }

    /// Sends the whole transaction, and records the answers of the server.
    private func commit(
        _ changes: GroupStatements,
        of group: CommitGroup,
        _ chain: AuditChain
    ) throws(PostgresFailure) {
        if !group.outputs.isEmpty, retention.outputsSize == nil { retention.outputsSize = try sizeOfOutputs() }
        let entry = lastEntry + Int64(group.entries.count)
        let dropping = retention.statements(after: group, entry, chain, holder, options)
        let transaction =
            [fence(entries: group.entries.count, to: changes.links.last?.head)] + changes.list
            + dropping.map(\.statement)
        let answers = try commit(transaction)
        (number, lastEntry, self.chain) = (number + 1, entry, chain)
        let removed = changes.changesRecords ? answers[1].integer(0, 0) : 0
        retention.outputsSize = retention.outputsSize.map { $0 + changes.printedSize - removed }
        for (rows, drop) in zip(answers[(1 + changes.list.count)...], dropping) {
            retention.take(rows, of: drop.kind, &self.chain)
        }
    }

    /// The statement with which a transaction begins: it counts the commit, new journal entries, and the audit up to `head`.
    private func fence(entries: Int, to head: AuditHead?) -> PostgresStatement {
        PostgresStatement(
            "SELECT forgebus.fence($1::integer, $2, $3, $4, $5, $6, $7, $8, $9)",
            tenure.proof + [
                .boolean(options.replicated), .integer(number), .integer(Int64(entries)), .integer(head?.number),
                .bytes(head?.hash.bytes),
            ]
        )
    }

    /// Waits until every transaction that a lost connection may have left open has ended, then returns the worker's row.
    private func confirmed() throws(PostgresFailure) -> WorkerRow {
        let statement = PostgresStatement(
            "SELECT \(WorkerRow.columns) FROM forgebus.confirm($1::integer, $2, $3, $4, $5, $6)",
            tenure.proof + [.boolean(options.replicated), .integer(number)]
        )
        return WorkerRow(try commit([statement])[0])
    }

    /// Takes the state from `row` after a commit that happened, but whose answer was lost.
    private func takeOver(_ row: WorkerRow, _ changes: GroupStatements) {
        (number, lastEntry, chain) = (row.number, row.lastEntry, row.chain)
        retention.doubt(printedSize: changes.printedSize)
        isBack()
    }

    private func sizeOfOutputs() throws(PostgresFailure) -> Int64 {
        let text = "SELECT coalesce(sum(size), 0)::bigint FROM forgebus.outputs WHERE worker = $1::integer"
        return try connected().read([PostgresStatement(text, [holder])], until: deadline)[0].integer(0, 0)
    }
}
#endif
