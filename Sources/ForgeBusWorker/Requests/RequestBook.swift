import ForgeBusProtocol
import ForgeBusStore

/// Requests that are done once: those that were, with what came of them, and those that the store is doing.
struct RequestBook {
    private(set) var ledger: RequestLedger
    /// What operators asked of the store and is not done.
    private(set) var performing: [RequestKey: Performing] = [:]
    let configuration: CoreConfiguration

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

// What is done once, and answered with OK: the same request again gets the same answer.
extension RequestBook {
    /// Whether the request is to be done now; otherwise it was answered: it was done before, or cannot be taken.
    func isToBeDone(_ received: Received, _ durability: Durability?, _ out: inout Outbox) -> Bool {
        switch precedent(of: received) {
        case .none:
            guard let error = durability?.shortfall(where: configuration.durability) else { return true }
            out.refuse(received, error)
        case .refused(let error): out.refuse(received, error)
        case .known(.confirmation(let report)): out.answer(received, .ok(report), isReplayed: true)
        case .known(.run), .known(.verdict): fatalError("The fingerprint covers the command.")
        }
        return false
    }

    /// The request was done; `place` tells how many actions of the run that it is about had ended.
    mutating func confirm(_ received: Received, _ report: StateReport, place: Int?, _ out: inout Outbox) {
        var report = report
        (report.durability, report.retention) = (configuration.durability, configuration.retention)
        take(received, .confirmation(report), &out)
        out.answer(received, .ok(report))
        out.audit(report, received, place: place)
    }
}

// What the store does, beside everything else.
extension RequestBook {
    /// What an operator asks: the store does it, once for all connections that ask under this id.
    mutating func administer(_ request: AdminRequest, _ received: Received, isShort: Bool, _ out: inout Outbox) {
        guard isToBeDone(received, nil, &out) else { return }
        do throws(BusError) {
            try perform(request, received, isShort: isShort, &out)
        } catch {
            out.refuse(received, error)
        }
    }

    private mutating func perform(
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

    /// The store has done it, or could not; a principal whose key was taken away meanwhile hears nothing more.
    mutating func performed(
        _ key: RequestKey,
        _ result: Result<JSONObject, StoreError>,
        _ access: AccessPolicy,
        _ out: inout Outbox
    ) {
        guard let asked = performing.removeValue(forKey: key) else { return }
        let content: Answer.Content
        switch result {
        case .success(let details):
            let report = StateReport(
                .done,
                durability: configuration.durability,
                retention: configuration.retention,
                details: details
            )
            take(asked.first, .confirmation(report), &out)
            out.audit(report, asked.first, place: nil)
            content = .ok(report)
        case .failure(let error): content = .error(BusError(.storeFailed, error.message, next: error.next))
        }
        for asking in asked.all where access.stands(asking.principal) {
            out.answer(asking.caller, asked.first.request.id, content)
        }
    }
}
