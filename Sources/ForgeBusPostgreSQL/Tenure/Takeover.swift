#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// Takes a worker's name over: at once if nobody holds it, or else when its holder has not renewed the lease for as long
/// as the lease lasts.
///
/// The time is measured on this machine's clock, from the moment at which this process first saw the latest renewal. No
/// wall clock counts. The observation begins anew with each connection, and after a crash of the server or a fail-over,
/// because the server may have lost the latest renewals.
struct Takeover {
    let options: PostgreSQLStoreOptions
    /// The highest number of commits that this process has seen; a server with fewer lacks some.
    private(set) var highest: (identity: String, epoch: Int64, number: Int64)?
    /// The reason for the wait that was reported last; nil if none was reported.
    private var told: PostgreSQLStoreOptions.Standby?

    init(_ options: PostgreSQLStoreOptions) { self.options = options }

    /// The lease as one observation shows it.
    private struct Sight: Equatable {
        var id: Int64
        var identity: String
        var epoch: Int64
        /// Nil if nobody holds the name.
        var renewal: Int64?
        var lease: Duration
        /// The process that holds the name, or held it last.
        var process: String
        /// Whether its definitions are others than those of this process, so that only its stop frees the name.
        var hasOtherDefinitions: Bool
        /// A token that changes after a crash of the server or a fail-over; nil just after that.
        var boot: String?

        /// Why a process that wants the name waits; nil if nobody holds the name.
        func standby(hasFailed: Bool) -> PostgreSQLStoreOptions.Standby? {
            guard renewal != nil else { return nil }
            guard hasOtherDefinitions else { return .held(by: process) }
            return hasFailed ? .failedWithOtherDefinitions(process) : .heldWithOtherDefinitions(by: process)
        }
    }

    /// Observes the lease until this process holds the name.
    ///
    /// - Parameters:
    ///   - connection: A connection, which nothing else uses meanwhile.
    ///   - isCancelled: Whether to give up.
    /// - Returns: The tenure, and the state of the worker's row.
    /// - Throws: `StoreError` if the database cannot be used; `CancellationError` after giving up.
    mutating func run(_ connection: PostgresConnection, isCancelled: () -> Bool) throws -> (Tenure, WorkerRow) {
        try introduce(connection)
        var sight: Sight?
        var since = options.clock()
        while true {
            if isCancelled() { throw CancellationError() }
            let seen = try observe(connection)
            options.observed?()
            // The time is read after the observation, because the holder may have renewed the lease during a long
            // observation.
            let now = options.clock()
            if seen != sight { (sight, since) = (seen, now) }
            let hasFailed = now - since >= seen.lease
            tell(seen.standby(hasFailed: hasFailed))
            if seen.renewal == nil || hasFailed && !seen.hasOtherDefinitions {
                switch try take(seen, connection) {
                case .taken(let tenure, let row): return (tenure, row)
                case .late: sight = nil
                case .blocked: break
                }
            }
            Thread.sleep(forTimeInterval: options.observationInterval / .seconds(1))
        }
    }

    /// Tells why this process waits, if that has changed.
    private mutating func tell(_ standby: PostgreSQLStoreOptions.Standby?) {
        if let standby, standby != told { options.waits?(standby) }
        told = standby ?? told
    }

    private func introduce(_ connection: PostgresConnection) throws {
        let statement = PostgresStatement(
            "SELECT forgebus.introduce($1, $2)",
            [.text(options.name), .text(StoreIdentity.random())]
        )
        _ = try connection.commit([statement], until: .now + options.patience)
    }

    private mutating func observe(_ connection: PostgresConnection) throws -> Sight {
        let statement = PostgresStatement(
            """
            SELECT id, identity, leases.epoch, renewal, lease_ms, number,
                forgebus.boot(), process, (definitions <> $2 AND definitions <> '' AND $2 <> '')::integer
            FROM forgebus.workers JOIN forgebus.leases ON leases.worker = workers.id WHERE name = $1
            """,
            [.text(options.name), .text(options.definitions)]
        )
        let rows = try connection.read([statement], until: .now + options.patience)[0]
        guard rows.count == 1, let identity = rows.text(0, 1) else {
            throw Errors.rowGone(options.name)
        }
        let sight = Sight(
            id: rows.integer(0, 0),
            identity: identity,
            epoch: rows.integer(0, 2),
            renewal: rows.isNull(0, 3) ? nil : rows.integer(0, 3),
            lease: .milliseconds(rows.integer(0, 4)),
            process: rows.text(0, 7) ?? "",
            hasOtherDefinitions: rows.integer(0, 8) == 1 && !options.replacesDefinitions,
            boot: rows.text(0, 6)
        )
        guard identity != WorkerPlace.unfinishedCopy || options.loadsUnfinishedCopies else {
            throw Errors.unfinishedCopy(options.name)
        }
        try remember(identity, sight.epoch, rows.integer(0, 5))
        return sight
    }

    /// Refuses a server that has fewer commits than another one had before.
    private mutating func remember(_ identity: String, _ epoch: Int64, _ number: Int64) throws(StoreError) {
        if let highest, highest.identity == identity, (epoch, number) < (highest.epoch, highest.number) {
            throw Errors.lacksCommits(options.name, (epoch, number), (highest.epoch, highest.number))
        }
        highest = (identity, epoch, number)
    }

    /// The outcome of an attempt to take the name.
    private enum Attempt {
        case taken(Tenure, WorkerRow)
        /// Another process was faster, or the holder has renewed its lease after all.
        case late
        /// A transaction of the holder was still open; its connection was ended.
        case blocked
    }

    private func take(_ seen: Sight, _ connection: PostgresConnection) throws -> Attempt {
        let token = StoreIdentity.random() + StoreIdentity.random()
        let statement = PostgresStatement(
            "SELECT \(WorkerRow.columns) FROM forgebus.take($1, $2, $3, $4, $5, $6, $7)",
            [
                .text(options.name), .integer(seen.epoch), .integer(seen.renewal), .text(token),
                .integer(Int64(options.lease / .milliseconds(1))), .text(options.process), .text(options.definitions),
            ]
        )
        let sent = options.clock()
        let rows: PostgresRows
        do throws(PostgresFailure) {
            rows = try connection.commit([statement], until: .now + options.patience)[0]
        } catch {
            switch error {
            case .refused(state: "FB005", _): return .late
            case .refused(state: "55P03", _):
                try cutOff(seen, connection)
                return .blocked
            case .refused, .unsuitable, .lost, .warned: throw error
            }
        }
        let row = WorkerRow(rows)
        let tenure = Tenure(
            of: WorkerPlace(name: options.name, id: seen.id, identity: seen.identity),
            token: token,
            epoch: row.epoch,
            lease: options.lease,
            margin: options.margin,
            takenAt: sent,
            clock: options.clock,
            changed: options.leaseChanged
        )
        return .taken(tenure, row)
    }

    /// Ends a transaction that the old holder has left open: its process may be suspended, and must not keep the name.
    private func cutOff(_ seen: Sight, _ connection: PostgresConnection) throws(PostgresFailure) {
        let statement = PostgresStatement(
            "SELECT forgebus.cut_off($1::integer, $2, $3)",
            [.integer(seen.id), .integer(seen.epoch), .integer(seen.renewal)]
        )
        _ = try connection.commit([statement], until: .now + options.patience)
    }
}

/// The row of a worker, which each of its commits changes.
struct WorkerRow {
    static let columns = "epoch, number, last_entry, audit_number, audit_hash, audit_dropped, audit_anchor"

    let epoch: Int64
    let number: Int64
    let lastEntry: Int64
    let chain: AuditChain

    /// Reads the only row of an answer with ``columns``.
    init(_ rows: PostgresRows) {
        (epoch, number, lastEntry) = (rows.integer(0, 0), rows.integer(0, 1), rows.integer(0, 2))
        let zeros = AuditHead.start.hash
        chain = AuditChain(
            anchor: AuditHead(rows.integer(0, 5), Fingerprint(bytes: rows.bytes(0, 6)) ?? zeros),
            head: AuditHead(rows.integer(0, 3), Fingerprint(bytes: rows.bytes(0, 4)) ?? zeros)
        )
    }
}
#endif
