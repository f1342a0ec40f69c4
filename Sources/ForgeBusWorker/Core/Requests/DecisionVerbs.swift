import ForgeBusProtocol
import ForgeBusStore

/// Carries out COMPLETE, REJECT and WITHDRAW.
extension WorkerState {
    mutating func decide(_ decision: Decision, _ received: Received) {
        switch precedent(of: received) {
        case .none: break
        case .refused(let error): return step.refuse(received, error)
        case .known(.verdict(let report)): return step.answer(received, .verdict(report), isReplayed: true)
        case .known(.run), .known(.confirmation):
            fatalError("Internal error: two different commands have the same digest.")
        }
        if let error = decision.durability?.shortfall(where: configuration.durability) {
            return step.refuse(received, error)
        }
        // An early decision is new work, and the last room of the store is reserved for started work.
        if isShort, signals.owner(of: decision.signal) == nil {
            return step.refuse(received, Errors.noRoomForEarly(decision.signal))
        }
        switch signals.decide(
            decision,
            by: received.principal.name,
            via: received.principal.via,
            under: access,
            at: step.moment
        ) {
        case .refused(let error): step.refuse(received, error)
        case .ruled(let verdict, let uncounted, let resuming):
            journal(uncounted: uncounted, on: decision.signal)
            rule(verdict, on: decision, received, resuming)
        }
    }

    /// Takes back an early decision or a vote of the sender.
    mutating func withdraw(_ request: WithdrawRequest, _ received: Received) {
        guard isToBeDone(received, request.durability) else { return }
        let run = signals.owner(of: request.signal)?.run
        let state: StateReport.State =
            switch withdraw(request.signal, by: received.principal.name) {
            case .withdrawn: .withdrawn
            case .nothing: .nothing
            case .decided: .decided
            }
        let event = AuditRecord.Event.withdrawn(request.signal, state: state.rawValue)
        confirm(received, StateReport(state), event, run: run)
    }

    private mutating func rule(
        _ verdict: Verdict,
        on decision: Decision,
        _ received: Received,
        _ resuming: Signals.Resumption?
    ) {
        let parkingReason = resuming?.owner.run.flatMap { runs[$0]?.parkingReason }
        let report = VerdictReport(
            signal: SignalID(decision.signal),
            verdict: verdict,
            durability: configuration.durability,
            retention: configuration.retention,
            parkingReason: parkingReason
        )
        take(received, .verdict(report))
        keep(verdict, on: decision.signal)
        step.answer(received, .verdict(report))
        let run = step.keepsRecords ? signals.owner(of: decision.signal)?.run : nil
        let event = AuditRecord.Event.decided(
            decision.signal,
            outcome: decision.outcome.word,
            verdict: verdict.word
        )
        audit(event, received, run: run, said: decision.outcome.shown)
        guard let (waiter, owner, outcome) = resuming else { return }
        step.publish(decision.signal, decision.outcome.word)
        signalEnded(decision.signal, waiter, of: owner, as: outcome)
    }
}
