import ForgeBusProtocol
import ForgeBusStore

/// What decisions and waits do: they meet in the gate book, whichever comes first.
extension WorkerCore {
    mutating func decide(_ decision: Decision, _ received: Received, at now: Moment) {
        switch precedent(of: received, under: received.key) {
        case .none: break
        case .refused: return
        case .known(.verdict(let report)):
            let answer = Answer(to: received.request.id, .verdict(report), isReplayed: true)
            return emit(.answer(answer, to: received.caller))
        case .known(.run), .known(.confirmation): fatalError("The fingerprint covers the command.")
        }
        if let error = shortfall(of: decision.durability, given: configuration.durability) {
            return refuse(received, error)
        }
        // What decides nothing that waits is new work, and the reserve is not for that.
        if isShort, gates.owner(of: decision.signal) == nil {
            return refuse(received, .busy("disk", "The disk of the store is nearly full; what waits can be decided."))
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
        take(received, .verdict(report), at: now)
        if verdict.isNews { keepSignal(decision.signal, at: now) }
        if case .buffered(let time) = verdict { deadlines.add(.early(decision.signal), at: now.advanced(by: time)) }
        emit(.answer(Answer(to: received.request.id, .verdict(report)), to: received.caller))
        audit(decision, verdict, received, at: now)
        guard let resuming else { return }
        publish(decision.signal, decision.outcome.word)
        conclude(decision.signal, resuming.waiter, resuming.owner, with: resuming.with)
    }

    mutating func open(_ opening: SignalOpening, at now: Moment) {
        var waiting = opening.waiting
        waiting.requester = waiting.owner.run.flatMap { runs[$0]?.principal }
        waiting.deadline = opening.deadline.map { now.advanced(by: $0) }
        let (waiter, run) = (waiting.waiter, waiting.owner.run)
        if let error = unkeyed(waiting.rule) { return hand(.refused(error), to: waiter, of: run) }
        if let run, !mayWait(run) {
            return hand(.decided(.closed(why: "Its run is over.")), to: waiter, of: run)
        }
        switch gates.open(opening.signal, waiting, at: now) {
        case .taken(let owner): hand(.refused(.taken(opening.signal, by: owner)), to: waiter, of: run)
        case .full: hand(.refused(.tooManyWait), to: waiter, of: run)
        case .decided(let decision, let isNews):
            if isNews {
                keepSignal(opening.signal, at: now)
                publish(opening.signal, decision.word)
            }
            hand(.decided(decision), to: waiter, of: run)
        case .waits(let replaced):
            if let replaced { supersede(replaced, of: waiting.owner) }
            keepSignal(opening.signal, at: now)
            if let deadline = gates.waiting(under: opening.signal)?.deadline {
                deadlines.add(.gate(opening.signal, waiter), at: deadline)
            }
            if !isResting(run, waiter) { emit(.resume(waiter, .registered)) }
            publish(opening.signal, "waiting")
            if case .action(let run, let action) = waiting.owner {
                let change = RunProgress.Change.waiting(action: action, signal: opening.signal)
                suspend(run, waiting.waiter, .signal(opening.signal), telling: change, toAll: true)
            }
        }
    }

    /// Why a rule cannot be kept here; nil if it can.
    private func unkeyed(_ rule: GateRule) -> BusError? {
        guard rule.needsIdentities, !access.isKeyed else { return nil }
        return BusError(
            .forbidden,
            "The gate says who may decide it, and without keys nobody is told apart.",
            next: "Give the worker keys and an access policy, or leave the rule out."
        )
    }

    /// The owner opened the signal again: it has one wait, and the one before ends, so that nobody waits for ever.
    private mutating func supersede(_ waiter: WaiterID, of owner: SignalOwner) {
        if let run = owner.run { runs[run]?.waits[waiter] = nil }
        emit(.resume(waiter, .decided(.closed(why: "Its owner opened it again."))))
    }

    /// The wait is over: whoever waited resumes, a run as soon as it has a slot again.
    private mutating func conclude(
        _ signal: SignalID,
        _ waiter: WaiterID,
        _ owner: SignalOwner,
        with decision: GateDecision
    ) {
        guard case .action(let run, let action) = owner, runs[run]?.waits[waiter] != nil else {
            return hand(.decided(decision), to: waiter, of: nil)
        }
        tell(.resumed(action: action, signal: signal), of: run, toAll: true)
        proceed(run, waiter, with: .decided(decision))
    }

    /// The store keeps what is known of the signal now.
    mutating func keepSignal(_ signal: SignalID, at now: Moment) {
        guard configuration.keepsRecords, let record = gates.record(of: signal, at: now) else { return }
        keep(.signal(record))
    }

    /// The deadline passed.
    mutating func expire(_ signal: SignalID, _ waiter: WaiterID, at now: Moment) {
        if let owner = gates.forgetAbandoned(signal, waiter) { return giveUp(signal, of: owner) }
        end(signal, waiter, as: .expired, at: now)
    }

    /// Nobody has announced the signal again: it is as if nobody ever had.
    private mutating func giveUp(_ signal: SignalID, of owner: SignalOwner) {
        let decision = GateDecision.closed(
            why: "The worker it was announced to is gone, and nobody announced it again."
        )
        forget(.signal(signal))
        journal(decision, on: signal, of: owner)
        publish(signal, decision.word)
    }

    /// Early decisions whose time is over are forgotten, by the store too; those of others may be kept on.
    mutating func dropEarly(_ signal: SignalID, at now: Moment) {
        guard gates.keepsEarly(signal) else { return }
        if gates.dropEarly(signal, at: now) {
            forget(.signal(signal))
        } else if let record = gates.record(of: signal, at: now) {
            keep(.signal(record))
        }
    }

    /// Whoever waited gave up.
    mutating func withdraw(_ signal: SignalID, _ waiter: WaiterID, why: String, at now: Moment) {
        end(signal, waiter, as: .closed(why: why), at: now)
    }

    private mutating func end(_ signal: SignalID, _ waiter: WaiterID, as decision: GateDecision, at now: Moment) {
        guard let owner = close(signal, waiter, as: decision, at: now) else { return }
        conclude(signal, waiter, owner, with: decision)
    }

    /// The signal ends undecided.
    ///
    /// - Returns: Whose it was; nil when this waiter does not wait for it any more.
    @discardableResult
    mutating func close(_ signal: SignalID, _ waiter: WaiterID, as decision: GateDecision, at now: Moment)
        -> SignalOwner?
    {
        guard let owner = gates.end(signal, waiter, as: decision, at: now) else { return nil }
        keepSignal(signal, at: now)
        journal(decision, on: signal, of: owner)
        publish(signal, decision.word)
        return owner
    }
}

extension Verdict {
    /// Whether it changes what is known of the signal; what stands is kept as long as it was to be, whoever asks again.
    fileprivate var isNews: Bool {
        switch self {
        case .delivered, .counted, .buffered: true
        case .duplicate, .conflict, .expired, .closed, .forbidden, .unknown: false
        }
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

    /// Said to whoever opens a signal: a run of which an action failed so has ended, and the same request gets that again.
    fileprivate static let tooManyWait = BusError(
        .busy,
        "Too many signals wait.",
        next: "Run it anew, under another id, when fewer do.",
        details: ["limit": "waiting"]
    )

    /// The signal is somebody else's; who that is stays unsaid where `owner` is nil.
    static func taken(
        _ signal: SignalID,
        by owner: String?,
        next: String = "Open it under an id of its own, for instance with the run's id in it."
    ) -> BusError {
        BusError(.idTaken, "The signal \(signal) belongs to \(owner ?? "somebody else").", next: next)
    }
}
