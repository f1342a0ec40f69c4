import ForgeBusProtocol

/// What another access policy does, and what is said of who did or tried what.
extension WorkerCore {
    /// Another policy holds from the next message on; who is none of it any more hears nothing more.
    mutating func replaceAccess(with policy: AccessPolicy, by cause: String) {
        let old = access.digest
        access = policy
        for (id, run) in runs where !run.listeners.isEmpty {
            let remaining = run.listeners.filter { mayHear($0, of: run) }
            runs[id]?.listeners = remaining
        }
        watches.closeAll { !policy.stands($0) }
        evaluations.forgetAll { !policy.stands($0) }
        emit(.audit(AuditRecord(.accessReplaced(old: old, new: policy.digest, by: cause))))
    }

    private func mayHear(_ listener: Run.Listener, of run: Run) -> Bool {
        let known = AccessPolicy.KnownRun(owner: run.principal, pipeline: run.pipeline)
        return access.stands(listener.principal)
            && access.ruling(for: listener.principal, .read, on: run.id, known: known) == .allowed
    }

    /// Says what became of a decision.
    mutating func audit(_ decision: Decision, _ verdict: Verdict, _ received: Received) {
        let event = AuditRecord.Event.decided(
            decision.signal,
            outcome: decision.outcome.word,
            verdict: verdict.word
        )
        audit(event, received)
    }

    /// Says that something was done that is done once and answered with OK.
    mutating func audit(_ report: StateReport, _ received: Received) {
        switch received.request.command {
        case .cancel(let request): audit(.cancelled(request.run, state: report.state.rawValue), received)
        case .redrive(let request): audit(.redriven(request.run, state: report.state.rawValue), received)
        case .mode(let request): audit(.modeSet(monitors: request.monitors, screen: request.screen), received)
        case .admin(let request): audit(.administered(verb: request.verb), received)
        case .hello, .notify, .run, .attach, .decide, .show, .list, .watch, .unwatch, .ping: break
        }
    }

    /// Says that a grant was missing, if that is why a request was refused.
    mutating func audit(_ error: BusError, _ received: Received) {
        guard error.code == .forbidden, let grant = error.details["grant"]?.string else { return }
        audit(.refused(grant: grant), received)
    }

    private mutating func audit(_ event: AuditRecord.Event, _ received: Received) {
        let record = AuditRecord(event, principal: received.principal.name, request: received.request.id)
        emit(.audit(record))
    }
}
