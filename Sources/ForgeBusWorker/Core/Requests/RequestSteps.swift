import ForgeBusProtocol
import ForgeBusStore

/// Gives each request that has an effect this effect once.
extension WorkerState {
    /// The worker's knowledge about a request that may have come before.
    enum Precedent {
        /// The request is new.
        case none
        /// The same request came before, and had this outcome.
        case known(RequestRecord.Outcome)
        /// The request must be refused with this error.
        case refused(BusError)
    }

    /// Returns whether the request is new, came before, or must be refused.
    ///
    /// A request must be refused if its id was used for other content, or if it is new and the ledger is full.
    func precedent(of received: Received) -> Precedent {
        let key = received.key
        let first = tasks.first(under: key)
        switch ledger.rule(on: key, received.fingerprint) {
        // The request of an unfinished store task is not in the ledger yet, but counts like a request in the ledger.
        case .new where first.map { $0.fingerprint != received.fingerprint } == true:
            return .refused(Errors.conflict(received.request.id, nil))
        case .new where first == nil && ledger.count + tasks.count >= configuration.limits.requests:
            return .refused(Errors.ledgerIsFull)
        case .new: return .none
        case .known(let outcome): return .known(outcome)
        case .conflict(let run): return .refused(Errors.conflict(received.request.id, run))
        case .full: return .refused(Errors.ledgerIsFull)
        }
    }

    /// Adds a finished request with its outcome to the ledger and to the store, for the retention.
    mutating func take(_ received: Received, _ outcome: RequestRecord.Outcome) {
        let now = step.moment
        var record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: outcome)
        record.until = now.unix(of: now.advanced(by: configuration.retention))
        ledger.admit(record)
        ledger.finish(record.key, at: now)
        step.keep(.request(record))
    }

    /// Forgets the requests whose retention is over, and the runs that they began.
    mutating func forgetRequests() {
        for (key, outcome) in ledger.forget(at: step.moment) {
            step.forget(.request(key))
            if case .run(let run) = outcome { forget(run) }
        }
    }
}

// Requests with the answer OK: the same request again gets the same answer.
extension WorkerState {
    /// Returns whether the request must be carried out now; if not, this method answers it.
    ///
    /// The answer is a refusal, or the first answer again if the same request came before.
    mutating func isToBeDone(_ received: Received, _ durability: Durability?) -> Bool {
        switch precedent(of: received) {
        case .none:
            guard let error = durability?.shortfall(where: configuration.durability) else { return true }
            step.refuse(received, error)
        case .refused(let error): step.refuse(received, error)
        case .known(.confirmation(let report)): step.answer(received, .ok(report), isReplayed: true)
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
    mutating func confirm(_ received: Received, _ report: StateReport, _ event: AuditRecord.Event, run: Name? = nil) {
        var report = report
        (report.durability, report.retention) = (configuration.durability, configuration.retention)
        take(received, .confirmation(report))
        step.answer(received, .ok(report))
        audit(event, received, run: run)
    }

    /// Audits the effect of a request, and writes it into the journal.
    ///
    /// - Parameters:
    ///   - event: The effect.
    ///   - received: The request.
    ///   - run: The run that the effect concerns, if `event` does not name it.
    ///   - said: What the sender sent besides its label.
    mutating func audit(
        _ event: AuditRecord.Event,
        _ received: Received,
        run: Name? = nil,
        said: @autoclosure () -> JSONObject = [:]
    ) {
        let record = AuditRecord(event, received)
        let place = step.keepsRecords ? (run ?? record.run).flatMap { runs.place(of: $0) } : nil
        var content: JSONObject { said().adding(received.key.label) }
        step.audit(record, key: received.principal.keyText, run: run, place: place, said: content)
    }
}
