import ForgeBusProtocol
import ForgeBusStore

/// Requests that are done once: those that were, with what came of them, and those that the store is doing.
struct RequestBook {
    private(set) var ledger: RequestLedger
    /// What operators asked of the store and is not done.
    private(set) var performing: [RequestKey: Performing] = [:]
    private let configuration: CoreConfiguration

    /// What an operator asked of the store, and everybody who is to hear what came of it.
    struct Performing {
        let first: Received
        var others: [Received] = []

        var all: [Received] { [first] + others }
    }

    /// What is known of a request that was taken before.
    enum Precedent {
        /// It is new.
        case none
        /// This came of it.
        case known(RequestRecord.Outcome)
        /// It cannot be taken.
        case refused(BusError)
    }

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        ledger = RequestLedger(retention: configuration.retention, capacity: configuration.limits.requests)
    }

    /// What is known of the request.
    func precedent(of received: Received) -> Precedent {
        let key = received.key
        let asked = performing.isEmpty ? nil : performing[key]
        switch ledger.rule(on: key, received.fingerprint) {
        // What the store is about to have done is kept like what is done.
        case .new where asked.map { $0.first.fingerprint != received.fingerprint } == true:
            return .refused(.conflict(received.request.id, nil))
        case .new where asked == nil && ledger.count + performing.count >= configuration.limits.requests:
            return .refused(.ledgerIsFull)
        case .new: return .none
        case .known(let outcome): return .known(outcome)
        case .conflict(let run): return .refused(.conflict(received.request.id, run))
        case .full: return .refused(.ledgerIsFull)
        }
    }

    /// The request began a run.
    mutating func admit(_ received: Received, _ run: RunID) {
        ledger.admit(RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: .run(run)))
    }

    /// The request was done at once: it is kept for the retention.
    mutating func take(_ received: Received, _ outcome: RequestRecord.Outcome, _ out: inout Outbox) {
        let now = out.moment
        var record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: outcome)
        record.until = now.unix(of: now.advanced(by: configuration.retention))
        ledger.admit(record)
        ledger.finish(record.key, at: now)
        out.keep(.request(record))
    }

    /// The request came to its end.
    mutating func finish(_ key: RequestKey, at now: Moment) { ledger.finish(key, at: now) }

    /// Forgets what is due.
    ///
    /// - Returns: The runs that were begun by what was forgotten.
    mutating func forget(_ out: inout Outbox) -> [RunID] {
        ledger.forget(at: out.moment).compactMap { key, outcome in
            out.forget(.request(key))
            if case .run(let run) = outcome { return run } else { return nil }
        }
    }

    /// Takes over the requests that an earlier worker took: those that it did at once, and those that began runs.
    mutating func restore(_ requests: [RequestRecord], _ runs: [RunRecord], at now: Moment) {
        func end(_ until: Int64) -> Moment { now.at(unix: until, atMost: configuration.retention) }
        for record in requests { ledger.admit(record) }
        for record in runs {
            let outcome = RequestRecord.Outcome.run(record.run)
            ledger.admit(RequestRecord(key: record.request, fingerprint: record.fingerprint, outcome: outcome))
        }
        ledger.restore(
            finished: requests.map { ($0.key, end($0.until ?? now.unixMilliseconds)) }
                + runs.compactMap { run in run.end.map { (run.request, end($0.until)) } }
        )
    }
}

// What the store does, beside everything else.
extension RequestBook {
    /// Has the store do it, once for all connections that ask under this id.
    ///
    /// - Throws: ``BusError`` with code `unknown_verb`, `bad_body` or `busy`; then nothing is done.
    mutating func perform(
        _ request: AdminRequest,
        _ received: Received,
        isShort: Bool,
        _ out: inout Outbox
    ) throws(BusError) {
        let task = try StoreTask(request)
        guard configuration.keepsRecords else { throw .noStore }
        guard let known = performing[received.key] else {
            guard performing.count < configuration.limits.storeTasks else {
                throw .busy("admin", "The store is busy with what operators asked.")
            }
            if isShort, case .backup = task {
                throw .busy("disk", "The store has little room left: there is none for a copy.")
            }
            performing[received.key] = Performing(first: received)
            return out.emit(.perform(task, received.key))
        }
        if known.all.contains(where: { $0.caller == received.caller }) { return }
        guard known.others.count < configuration.limits.attachedConnections else {
            throw .busy("attached", "Too many connections wait for this.")
        }
        performing[received.key]?.others.append(received)
    }

    /// The store has done it, or could not: who asked, and what they are told.
    mutating func performed(
        _ key: RequestKey,
        _ result: Result<JSONObject, StoreError>,
        _ out: inout Outbox
    ) -> (asked: Performing, content: Answer.Content)? {
        guard let asked = performing.removeValue(forKey: key) else { return nil }
        switch result {
        case .success(let details):
            let report = StateReport(
                .done,
                durability: configuration.durability,
                retention: configuration.retention,
                details: details
            )
            take(asked.first, .confirmation(report), &out)
            return (asked, .ok(report))
        case .failure(let error):
            return (asked, .error(BusError(.storeFailed, error.message, next: error.next)))
        }
    }
}

extension StoreTask {
    /// What a verb of ADMIN asks of the store.
    ///
    /// - Throws: ``BusError`` with code `unknown_verb`, and `bad_body` for arguments that the verb does not take.
    init(_ request: AdminRequest) throws(BusError) {
        let keys = request.arguments.entries.map(\.key)
        switch request.verb.text {
        case "store.verify", "store.stats":
            if let key = keys.first { throw .badArgument(request.verb, "takes no argument \(Printable.quoted(key))") }
            self = request.verb == "store.verify" ? .verify : .stats
        case "store.backup":
            if let key = keys.first(where: { $0 != "name" }) {
                throw .badArgument(request.verb, "takes no argument \(Printable.quoted(key))")
            }
            guard let name = request.arguments["name"]?.string.flatMap({ try? Name($0) }) else {
                throw .badArgument(request.verb, "needs the `name` of the copy, a name of its own grammar")
            }
            self = .backup(name: name)
        default:
            throw BusError(
                .unknownVerb,
                "This worker knows no verb \(Printable.quoted(request.verb.text)).",
                next: "Send one of store.verify, store.stats, store.backup."
            )
        }
    }
}

extension BusError {
    fileprivate static let noStore = BusError(
        .unknownVerb,
        "This worker has no store: its records live in its own books.",
        next: "Give the worker a store."
    )

    fileprivate static var ledgerIsFull: BusError { .busy("ledger", "The answers of too many requests are kept.") }

    static func conflict(_ id: RequestID, _ run: RunID?) -> BusError {
        BusError(
            .idConflict,
            "The id \(Printable.quoted(id.text)) was used for other content\(run.map { ", which began run \($0)" } ?? "").",
            next: "Send new content under a new id.",
            details: run.map { ["run": .string($0.text)] } ?? [:]
        )
    }

    fileprivate static func badArgument(_ verb: Name, _ flaw: String) -> BusError {
        BusError(
            .badBody,
            "The verb \(verb) \(flaw).",
            next: "Send {} to store.verify and store.stats, {\"name\":…} to store.backup."
        )
    }
}
