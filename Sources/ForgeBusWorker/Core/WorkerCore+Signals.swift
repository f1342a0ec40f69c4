import ForgeBusProtocol
import ForgeBusStore

/// What decisions and waits do: they meet in the gate book, whichever comes first.
extension WorkerCore {
    mutating func decide(_ decision: Decision, _ received: Received, at now: Moment) {
        switch ledger.rule(on: received.key, received.fingerprint) {
        case .known(.verdict(let report)):
            let answer = Answer(to: received.request.id, .verdict(report), isReplayed: true)
            return emit(.answer(answer, to: received.peer))
        case .conflict(let run): return refuse(received, .conflict(received.request.id, run))
        case .full: return refuse(received, .busy("ledger", "The answers of too many requests are kept."))
        case .known(.run): fatalError("The fingerprint covers the command: a decision is no run.")
        case .new: break
        }
        if let error = shortfall(of: decision.durability, given: configuration.durability) {
            return refuse(received, error)
        }
        switch gates.decide(decision, by: received.principal.name, at: now) {
        case .notRejectable: refuse(received, .notRejectable(decision.signal))
        case .busy(let limit): refuse(received, .busy(limit, "Too many decisions wait for their signals."))
        case .verdict(let verdict, let resuming): rule(verdict, on: decision, received, resuming, at: now)
        }
    }

    private mutating func rule(
        _ verdict: Verdict,
        on decision: Decision,
        _ received: Received,
        _ resuming: (waiter: WaiterID, owner: SignalOwner, with: GateDecision)?,
        at now: Moment
    ) {
        let report = VerdictReport(
            signal: decision.signal,
            verdict: verdict,
            durability: configuration.durability,
            retention: configuration.retention
        )
        let record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: .verdict(report))
        ledger.admit(record)
        ledger.finish(received.key, at: now)
        keep(.request(record))
        if let record = gates.record(of: decision.signal) { keep(.signal(record)) }
        if case .buffered(let time) = verdict { deadlines.add(.early(decision.signal), at: now.advanced(by: time)) }
        emit(.answer(Answer(to: received.request.id, .verdict(report)), to: received.peer))
        if let resuming { conclude(decision.signal, resuming.waiter, resuming.owner, with: resuming.with) }
    }

    mutating func open(_ opening: SignalOpening, at now: Moment) {
        let waiting = opening.waiting
        if let run = waiting.owner.run, !mayWait(run) {
            return emit(.resume(waiting.waiter, .decided(.closed(why: "Its run is over."))))
        }
        switch gates.open(opening.signal, waiting, at: now) {
        case .taken(let owner): emit(.resume(waiting.waiter, .refused(.taken(opening.signal, by: owner))))
        case .full:
            let error = BusError.busy("waiting", "Too many signals wait.")
            emit(.resume(waiting.waiter, .refused(error)))
        case .decided(let decision):
            if let record = gates.record(of: opening.signal) { keep(.signal(record)) }
            emit(.resume(waiting.waiter, .decided(decision)))
        case .waits(let replaced):
            if let replaced { supersede(replaced, of: waiting.owner) }
            if let record = gates.record(of: opening.signal) { keep(.signal(record)) }
            if let deadline = opening.deadline {
                deadlines.add(.gate(opening.signal, waiting.waiter), at: now.advanced(by: deadline))
            }
            emit(.resume(waiting.waiter, .registered))
            if case .action(let run, let action) = waiting.owner {
                suspend(run, action, opening.signal, waiting.waiter)
            }
        }
    }

    /// The owner opened the signal again: it has one wait, and the one before ends, so that nobody waits for ever.
    private mutating func supersede(_ waiter: WaiterID, of owner: SignalOwner) {
        if let run = owner.run { runs[run]?.waits[waiter] = nil }
        emit(.resume(waiter, .decided(.closed(why: "Its owner opened it again."))))
    }

    private func mayWait(_ run: RunID) -> Bool {
        guard let run = runs[run] else { return false }
        if case .stopping = run.state { return false }
        return true
    }

    /// The run waits: it gives its slot to another.
    private mutating func suspend(_ id: RunID, _ action: String, _ signal: SignalID, _ waiter: WaiterID) {
        guard var run = runs[id] else { return }
        run.waits[waiter] = signal
        let gaveSlot = run.holdsSlot
        run.holdsSlot = false
        run.isActive = false
        runs[id] = run
        tell(.waiting(action: action, signal: signal), of: id, toAll: true)
        guard gaveSlot else { return }
        countActive(run.principal, -1)
        queues[run.pipeline]?.release()
        fillSlots(of: run.pipeline)
    }

    /// The wait is over: whoever waited resumes, a run as soon as it has a slot again.
    private mutating func conclude(
        _ signal: SignalID,
        _ waiter: WaiterID,
        _ owner: SignalOwner,
        with decision: GateDecision
    ) {
        decided[waiter] = decision
        guard case .action(let id, let action) = owner, let run = runs[id], run.waits[waiter] != nil else {
            return hand(decision, to: waiter)
        }
        tell(.resumed(action: action, signal: signal), of: id, toAll: true)
        guard !run.holdsSlot else { return resumeHoldingSlot(id, waiter) }
        // If another of its waits was decided before, it has joined already.
        let hasJoined = run.waits.keys.contains { $0 != waiter && decided[$0] != nil }
        if !hasJoined { queues[run.pipeline]?.rejoin(id) }
        fillSlots(of: run.pipeline)
    }

    /// A run that waited has a slot again: one for all of its waits that were decided meanwhile.
    mutating func resume(_ id: RunID) {
        guard let run = runs[id] else { fatalError("The queue held a run that is not known.") }
        runs[id]?.holdsSlot = true
        runs[id]?.isActive = true
        countActive(run.principal, 1)
        let waiters = run.waits.keys.filter { decided[$0] != nil }
        for waiter in waiters.sorted(by: { $0.number < $1.number }) { resumeHoldingSlot(id, waiter) }
    }

    private mutating func resumeHoldingSlot(_ id: RunID, _ waiter: WaiterID) {
        runs[id]?.waits[waiter] = nil
        if let decision = decided[waiter] { hand(decision, to: waiter) }
    }

    private mutating func hand(_ decision: GateDecision, to waiter: WaiterID) {
        decided[waiter] = nil
        emit(.resume(waiter, .decided(decision)))
    }

    /// The deadline passed.
    mutating func expire(_ signal: SignalID, _ waiter: WaiterID, at now: Moment) {
        end(signal, waiter, as: .expired, at: now)
    }

    /// Whoever waited gave up.
    mutating func withdraw(_ signal: SignalID, _ waiter: WaiterID, why: String, at now: Moment) {
        end(signal, waiter, as: .closed(why: why), at: now)
    }

    private mutating func end(_ signal: SignalID, _ waiter: WaiterID, as decision: GateDecision, at now: Moment) {
        guard let owner = gates.end(signal, waiter, as: decision, at: now) else { return }
        if let record = gates.record(of: signal) { keep(.signal(record)) }
        conclude(signal, waiter, owner, with: decision)
    }

    /// The run is over for its signals: those it waits for are closed, and it resumes without a slot of its own.
    mutating func closeWaits(of id: RunID, why: String, at now: Moment) {
        for (waiter, signal) in runs[id]?.waits.sorted(by: { $0.key.number < $1.key.number }) ?? [] {
            let closed = GateDecision.closed(why: why)
            if gates.end(signal, waiter, as: closed, at: now) != nil, let record = gates.record(of: signal) {
                keep(.signal(record))
            }
            hand(decided[waiter] ?? closed, to: waiter)
        }
        runs[id]?.waits = [:]
    }
}

extension BusError {
    fileprivate static func notRejectable(_ signal: SignalID) -> BusError {
        BusError(
            .notRejectable,
            "\(signal) is a plain signal: it can only be completed.",
            next: "Send COMPLETE, or let whoever waits open a gate instead."
        )
    }

    fileprivate static func taken(_ signal: SignalID, by owner: String) -> BusError {
        BusError(
            .idTaken,
            "The signal \(signal) belongs to \(owner).",
            next: "Open it under an id of its own, for instance with the run's id in it."
        )
    }
}
