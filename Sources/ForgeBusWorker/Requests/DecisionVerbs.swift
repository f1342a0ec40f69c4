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
            let cause =
                "The store has little room left, so the worker accepts no early decisions; nothing waits for "
                + "\(decision.signal) yet."
            return out.refuse(received, .busy("disk", cause))
        }
        switch signals.decide(decision, by: received.principal, at: out.moment) {
        case .notRejectable: out.refuse(received, .notRejectable(decision.signal))
        case .refused(let error): out.refuse(received, error)
        case .busy(let limit):
            out.refuse(received, .busy(limit, cause(of: limit, for: received.principal)))
        case .verdict(let verdict, let resuming):
            rule(verdict, on: decision, received, resuming, &runs, &signals, &out)
        case .voted(let verdict, let uncounted, let resuming):
            let place = signals.gates.owner(of: decision.signal)?.run.flatMap { runs.place(of: $0) }
            signals.journal(uncounted: uncounted, on: decision.signal, place: place, &out)
            rule(verdict, on: decision, received, resuming, &runs, &signals, &out)
        }
    }

    /// Why the worker takes no further decision of this kind now.
    private func cause(of limit: String, for principal: AccessPolicy.Principal) -> String {
        let limits = configuration.limits
        if limit == "votes" {
            return "With this vote, the votes on waiting gates would take more than \(limits.votesSizeInBytes) bytes."
        }
        return
            "The worker keeps no further early decision now. It keeps at most \(limits.earlyDecisions) of all principals, "
            + "which take at most \(limits.earlyDecisionsSizeInBytes) bytes together, and at most "
            + "\(limits.earlyDecisionsPerPrincipal) of \(principal.name)."
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

extension BusError {
    fileprivate static func notRejectable(_ signal: Name) -> BusError {
        BusError(
            .notRejectable,
            "\(signal) is a plain signal: it can be completed, but not rejected.",
            next:
                "Leave it open until it may be completed; if it must be possible to reject it, its owner has to open a gate."
        )
    }
}
