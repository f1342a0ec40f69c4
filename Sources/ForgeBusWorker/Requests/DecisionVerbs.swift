import ForgeBusProtocol
import ForgeBusStore

/// Carries out COMPLETE, REJECT and WITHDRAW.
extension RequestBook {
    mutating func decide(
        _ decision: Decision,
        _ received: Received,
        _ terms: Circumstances,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        switch precedent(of: received) {
        case .none: break
        case .refused(let error): return out.refuse(received, error)
        case .known(.verdict(let report)): return out.answer(received, .verdict(report), isReplayed: true)
        case .known(.run), .known(.confirmation):
            fatalError("Internal error: two different commands have the same digest.")
        }
        if let error = decision.durability?.shortfall(where: configuration.durability) {
            return out.refuse(received, error)
        }
        // An early decision is new work, and the last room of the store is reserved for started work.
        if terms.isShort, signals.gates.owner(of: decision.signal) == nil {
            return out.refuse(received, Errors.noRoomForEarly(decision.signal))
        }
        switch signals.decide(decision, by: received.principal, at: out.moment) {
        case .notRejectable: out.refuse(received, Errors.notRejectable(decision.signal))
        case .refused(let error): out.refuse(received, error)
        case .busy(let limit):
            out.refuse(received, busy(limit, for: received.principal, signals))
        case .verdict(let verdict, let resuming):
            rule(verdict, on: decision, received, resuming, &runs, &signals, &out)
        case .voted(let verdict, let uncounted, let resuming):
            let place = signals.gates.owner(of: decision.signal)?.run.flatMap { runs.place(of: $0) }
            signals.journal(uncounted: uncounted, on: decision.signal, place: place, &out)
            rule(verdict, on: decision, received, resuming, &runs, &signals, &out)
        }
    }

    /// The error that says why the worker takes no further decision of this kind now.
    private func busy(_ limit: String, for principal: AccessPolicy.Principal, _ signals: SignalBook) -> BusError {
        let limits = configuration.limits
        if limit == "votes" { return Errors.tooManyVotes(limit, sizeInBytes: limits.votesSizeInBytes) }
        if signals.gates.keepsMostEarlyDecisions(of: principal.name) {
            return Errors.tooManyEarly(limit, of: principal.name, most: limits.earlyDecisionsPerPrincipal)
        }
        let size = limits.earlyDecisionsSizeInBytes
        return Errors.tooManyEarly(limit, most: limits.earlyDecisions, sizeInBytes: size)
    }

    /// Takes back an early decision or a vote of the sender.
    mutating func withdraw(
        _ request: WithdrawRequest,
        _ received: Received,
        _ runs: RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard isToBeDone(received, request.durability, &out) else { return }
        let run = signals.gates.owner(of: request.signal)?.run
        let state: StateReport.State =
            switch signals.withdraw(request.signal, by: received.principal.name, &out) {
            case .withdrawn: .withdrawn
            case .nothing: .nothing
            case .decided: .decided
            }
        let event = AuditRecord.Event.withdrawn(request.signal, state: state.rawValue)
        confirm(received, StateReport(state), event, run: run, place: run.flatMap { runs.place(of: $0) }, &out)
    }

    private mutating func rule(
        _ verdict: Verdict,
        on decision: Decision,
        _ received: Received,
        _ resuming: (waiter: WaiterID, owner: SignalOwner, with: GateDecision)?,
        _ runs: inout RunBook,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let parkingReason = resuming?.owner.run.flatMap { runs[$0]?.parkingReason }
        let report = VerdictReport(
            signal: SignalID(decision.signal),
            verdict: verdict,
            durability: configuration.durability,
            retention: configuration.retention,
            parkingReason: parkingReason
        )
        take(received, .verdict(report), &out)
        signals.ruled(verdict, on: decision.signal, &out)
        out.answer(received, .verdict(report))
        let run = out.keepsRecords ? signals.gates.owner(of: decision.signal)?.run : nil
        let event = AuditRecord.Event.decided(
            decision.signal,
            outcome: decision.outcome.word,
            verdict: verdict.word
        )
        let place = run.flatMap { runs.place(of: $0) }
        var said = decision.outcome.shown
        said.add(received.key.label)
        out.audit(AuditRecord(event, received), key: received.principal.keyText, run: run, place: place, said: said)
        guard let (waiter, owner, outcome) = resuming else { return }
        out.publish(decision.signal, decision.outcome.word)
        runs.signalEnded(decision.signal, waiter, of: owner, as: outcome, &signals, &out)
    }
}
