import ForgeBusProtocol
import ForgeBusStore

/// The requests that take effect once: the accepted requests in the ledger, and the tasks that the store works on.
struct RequestBook {
    private(set) var ledger: RequestLedger
    /// The unfinished store tasks of operators.
    private(set) var performing: [RequestKey: Performing] = [:]
    let configuration: CoreConfiguration

    /// A store task of an operator, with the request that began it.
    struct Performing {
        let first: Received
        let verb: Name
        let task: StoreTask
        /// The requests of the callers that wait for the outcome; more than one if several connections sent the request.
        var waiting: [Received]
    }

    /// The worker's knowledge about a request that may have come before.
    enum Precedent {
        /// The request is new.
        case none
        /// The same request came before, and had this outcome.
        case known(RequestRecord.Outcome)
        /// The request must be refused with this error.
        case refused(BusError)
    }

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        ledger = RequestLedger(retention: configuration.retention, capacity: configuration.limits.requests)
    }

    /// Returns whether the request is new, came before, or must be refused.
    ///
    /// A request must be refused if its id was used for other content, or if it is new and the ledger is full.
    func precedent(of received: Received) -> Precedent {
        let key = received.key
        let asked = performing.isEmpty ? nil : performing[key]
        switch ledger.rule(on: key, received.fingerprint) {
        // The request of an unfinished store task is not in the ledger yet, but counts like a request in the ledger.
        case .new where asked.map { $0.first.fingerprint != received.fingerprint } == true:
            return .refused(Errors.conflict(received.request.id, nil))
        case .new where asked == nil && ledger.count + performing.count >= configuration.limits.requests:
            return .refused(Errors.ledgerIsFull)
        case .new: return .none
        case .known(let outcome): return .known(outcome)
        case .conflict(let run): return .refused(Errors.conflict(received.request.id, run))
        case .full: return .refused(Errors.ledgerIsFull)
        }
    }

    /// Adds to the ledger a request that began a run.
    mutating func admit(_ received: Received, _ run: Name) {
        ledger.admit(RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: .run(run)))
    }

    /// Adds to the ledger the request for a run that the worker itself requested.
    mutating func admit(_ key: RequestKey, _ run: Name) {
        ledger.admit(RequestRecord(key: key, fingerprint: .none, outcome: .run(run)))
    }

    /// Adds a finished request with its outcome to the ledger and to the store, for the retention.
    mutating func take(_ received: Received, _ outcome: RequestRecord.Outcome, _ out: inout Outbox) {
        let now = out.moment
        var record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: outcome)
        record.until = now.unix(of: now.advanced(by: configuration.retention))
        ledger.admit(record)
        ledger.finish(record.key, at: now)
        out.keep(.request(record))
    }

    /// Starts the retention of a request whose run has ended.
    mutating func finish(_ key: RequestKey, at now: Moment) { ledger.finish(key, at: now) }

    /// Forgets the requests whose retention is over.
    ///
    /// - Returns: The runs that the forgotten requests began.
    mutating func forget(_ out: inout Outbox) -> [Name] {
        ledger.forget(at: out.moment).compactMap { key, outcome in
            out.forget(.request(key))
            if case .run(let run) = outcome { return run } else { return nil }
        }
    }

    /// Restores the requests of an earlier worker.
    ///
    /// - Parameters:
    ///   - requests: The requests with a stored outcome; each was finished when it was stored.
    ///   - runs: The runs, each with the request that began it.
    ///   - now: The current time.
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

// Requests that take effect once, with the answer OK: the same request again gets the same answer.
extension RequestBook {
    /// Returns whether the request must be carried out now; if not, this method answers it.
    ///
    /// The answer is a refusal, or the first answer again if the same request came before.
    func isToBeDone(_ received: Received, _ durability: Durability?, _ out: inout Outbox) -> Bool {
        switch precedent(of: received) {
        case .none:
            guard let error = durability?.shortfall(where: configuration.durability) else { return true }
            out.refuse(received, error)
        case .refused(let error): out.refuse(received, error)
        case .known(.confirmation(let report)): out.answer(received, .ok(report), isReplayed: true)
        case .known(.run), .known(.verdict): fatalError("Internal error: two different commands have the same digest.")
        }
        return false
    }

    /// Finishes a request with the answer OK, and audits it.
    ///
    /// - Parameters:
    ///   - received: The request.
    ///   - report: The content of the answer; this method adds the durability and the retention.
    ///   - event: The event of the audit record.
    ///   - run: The run that the request concerns; nil if it concerns no run, or if `event` names the run.
    ///   - place: How many actions of the run have ended.
    ///   - out: The outbox of the current step.
    mutating func confirm(
        _ received: Received,
        _ report: StateReport,
        _ event: AuditRecord.Event,
        run: Name? = nil,
        place: Int? = nil,
        _ out: inout Outbox
    ) {
        var report = report
        (report.durability, report.retention) = (configuration.durability, configuration.retention)
        take(received, .confirmation(report), &out)
        out.answer(received, .ok(report))
        out.audit(
            AuditRecord(event, received),
            key: received.principal.keyText,
            run: run,
            place: place,
            said: received.key.label
        )
    }
}

// Tasks for the store.
extension RequestBook {
    /// Passes an operator's task to the store, only once even if several connections send the same request.
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
        guard configuration.keepsRecords else { throw Errors.noStore }
        guard let known = performing[received.key] else {
            guard performing.count < configuration.limits.storeTasks else {
                throw .busy("admin", "The store is busy with other tasks of operators.")
            }
            if isShort, case .backup = task {
                throw Errors.noRoomForBackup
            }
            performing[received.key] = Performing(
                first: received,
                verb: request.verb,
                task: task,
                waiting: [received]
            )
            return out.emit(.perform(task, received.key))
        }
        if known.waiting.contains(where: { $0.caller == received.caller }) { return }
        guard known.waiting.count <= configuration.limits.attachedConnections else {
            throw Errors.tooManyForTask
        }
        performing[received.key]?.waiting.append(received)
    }

    /// Ends the waits for store tasks that a new policy no longer allows, and tells their callers why; the tasks go on.
    mutating func endWaits(under policy: AccessPolicy, _ out: inout Outbox) {
        for (key, task) in performing.sorted(by: { $0.key.order < $1.key.order }) {
            performing[key]?.waiting = task.waiting.filter { received in
                guard let error = policy.endOfWait(received.request.command, of: received.principal) else {
                    return true
                }
                out.answer(received, .error(error))
                return false
            }
        }
    }

    /// Sends the outcome of a store task to all callers that wait for it.
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
            var report = StateReport(.done, details: details)
            if asked.task.isKept {
                (report.durability, report.retention) = (configuration.durability, configuration.retention)
                take(asked.first, .confirmation(report), &out)
            }
            if asked.task.isAudited {
                out.allowedBy = access.grant(for: asked.first.request.command, of: asked.first.principal)
                out.audit(.administered(verb: asked.verb), asked.first)
            }
            content = .ok(report)
        case .failure(let error): content = .error(BusError(.storeFailed, error.message, next: error.next))
        }
        for received in asked.waiting { out.answer(received, content) }
    }
}

extension RequestKey {
    /// What the keys of a list are sorted by.
    fileprivate var order: (String, String) { (principal, id.text) }
}
