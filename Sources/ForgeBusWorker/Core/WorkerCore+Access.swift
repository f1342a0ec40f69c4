import ForgeBusProtocol
import ForgeBusStore

/// What another access policy does, and what is said of who did or tried what.
extension WorkerCore {
    /// Another policy holds from the next message on; who is none of it any more hears nothing more.
    mutating func replaceAccess(with policy: AccessPolicy, by cause: String, at now: Moment) {
        let old = access.digest
        access = policy
        for (id, run) in runs where !run.listeners.isEmpty {
            let remaining = run.listeners.filter { mayHear($0, of: run) }
            runs[id]?.listeners = remaining
        }
        watches.closeAll { !policy.stands($0) }
        evaluations.forgetAll { !policy.stands($0) }
        tell(AuditRecord(.accessReplaced(old: old, new: policy.digest, by: cause)), at: now)
    }

    private func mayHear(_ listener: Run.Listener, of run: Run) -> Bool {
        let known = AccessPolicy.KnownRun(owner: run.principal, pipeline: run.pipeline)
        return access.stands(listener.principal)
            && access.ruling(for: listener.principal, .read, on: run.id, known: known) == .allowed
    }

    /// Says what became of a decision.
    mutating func audit(_ decision: Decision, _ verdict: Verdict, _ received: Received, at now: Moment) {
        let event = AuditRecord.Event.decided(
            decision.signal,
            outcome: decision.outcome.word,
            verdict: verdict.word
        )
        let run = configuration.keepsRecords ? gates.owner(of: decision.signal)?.run : nil
        audit(event, received, run: run, at: now)
    }

    /// Says that something was done that is done once and answered with OK.
    mutating func audit(_ report: StateReport, _ received: Received, at now: Moment) {
        switch received.request.command {
        case .cancel(let request): audit(.cancelled(request.run, state: report.state.rawValue), received, at: now)
        case .redrive(let request): audit(.redriven(request.run, state: report.state.rawValue), received, at: now)
        case .mode(let request): audit(.modeSet(monitors: request.monitors, screen: request.screen), received, at: now)
        case .admin(let request): audit(.administered(verb: request.verb), received, at: now)
        case .hello, .notify, .run, .attach, .decide, .show, .list, .watch, .unwatch, .ping: break
        }
    }

    /// Says that a grant was missing, if that is why a request was refused.
    mutating func audit(_ error: BusError, _ received: Received) {
        guard error.code == .forbidden, let grant = error.details["grant"]?.string else { return }
        // Not journalled: whoever may do nothing writes nothing.
        emit(.audit(AuditRecord(.refused(grant: grant), received)))
    }

    private mutating func audit(
        _ event: AuditRecord.Event,
        _ received: Received,
        run: RunID? = nil,
        at now: Moment
    ) {
        tell(AuditRecord(event, received), run: run, key: received.principal.keyText, at: now)
    }

    /// Tells the audit, and writes it down.
    private mutating func tell(_ record: AuditRecord, run: RunID? = nil, key: String? = nil, at now: Moment) {
        emit(.audit(record))
        guard configuration.keepsRecords else { return }
        var entry = JournalEntry(record, at: now.unixMilliseconds)
        if let run { entry.run = run }
        entry.details["key"] = key.map { .string($0) }
        append(entry)
    }
}

extension AuditRecord {
    fileprivate init(_ event: Event, _ received: Received) {
        self.init(event, principal: received.principal.name, request: received.request.id)
    }
}
