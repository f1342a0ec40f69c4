import ForgeBusProtocol
import ForgeBusStore

/// Opens, decides and ends signals: stores their records, publishes their events and resumes their waiters.
extension WorkerState {
    /// The outcome of opening a signal.
    enum OpenedWait {
        /// The signal waits; `replacing` is the waiter of the owner's earlier wait, which has ended, or nil.
        case waits(replacing: WaiterID?)
        /// The wait is over already, with this outcome.
        case over(WaitOutcome)
    }

    /// Opens a signal.
    ///
    /// - Parameters:
    ///   - opening: The signal, its owner and its rule.
    ///   - requester: The principal that requested the waiting run.
    ///   - causers: More principals that count as requesters of the run.
    ///   - barred: The principals that may not decide this gate, because they decided a gate in its `distinctFrom`.
    /// - Returns: That the signal waits, or the outcome of the wait if the wait is over at once.
    mutating func wait(
        for opening: SignalOpening,
        requester: String?,
        causers: Set<String>,
        barring barred: Set<String>
    ) -> OpenedWait {
        var waiting = opening.waiting
        let (signal, now) = (opening.signal, step.moment)
        if waiting.kind == .gate {
            (waiting.terms.requester, waiting.terms.causers, waiting.terms.barred) = (requester, causers, barred)
            let rule = waiting.terms.rule
            if let flaw = rule.flaw { return .over(.refused(Errors.impossible(signal, flaw))) }
            if rule.needsIdentities, !access.isKeyed { return .over(.refused(Errors.unkeyed(signal))) }
        }
        waiting.deadline = opening.deadline.map { now.advanced(by: $0) }
        switch signals.open(signal, waiting, under: access, at: now) {
        case .taken(let owner): return .over(.refused(Errors.taken(signal, by: owner)))
        case .full:
            return .over(.refused(Errors.tooManyWait(signals.waiting.count, isOfRun: waiting.owner.run != nil)))
        case .decided(let decision, let used, let unused):
            if !used.isEmpty {
                keepSignal(signal)
                step.publish(signal, decision.word)
            }
            journal(used, unused, on: signal, of: waiting.owner)
            return .over(.decided(decision))
        case .waits(let replaced, let used, let unused):
            keepSignal(signal)
            scheduleWakes(of: signal)
            journal(used, unused, on: signal, of: waiting.owner)
            return .waits(replacing: replaced)
        }
    }

    /// Requests wake-ups for the deadline of a signal, for its escalation and for its next reminder.
    private mutating func scheduleWakes(of signal: Name) {
        guard let waiting = signals.waiting[signal] else { return }
        if let deadline = waiting.deadline { step.wake(.gate(signal, waiting.waiter), at: deadline) }
        if let moment = waiting.terms.escalates { step.wake(.escalation(signal, waiting.waiter), at: moment) }
        if let moment = waiting.terms.reminds { step.wake(.reminder(signal, waiting.waiter), at: moment) }
    }

    /// Allows more principals to decide a gate that has waited long enough.
    mutating func escalate(_ signal: Name, _ waiter: WaiterID) {
        guard signals.escalate(signal, waiter, at: step.moment), let waiting = signals.waiting[signal] else {
            return
        }
        keepSignal(signal)
        step.publish(signal, "escalated")
        let details = waiting.terms.rule.json["escalate"]?.object ?? [:]
        let now = step.moment.unixMilliseconds
        journal(JournalEntry(at: now, "escalated", run: waiting.owner.run, signal: signal, details: details))
    }

    /// Reminds watchers of a gate that still waits.
    mutating func remind(_ signal: Name, _ waiter: WaiterID) {
        let now = step.moment
        guard let next = signals.remind(signal, waiter, at: now), let waiting = signals.waiting[signal] else {
            return
        }
        step.publish(signal, "waiting") { $0.waitedMilliseconds = max(0, now.unixMilliseconds - waiting.opened) }
        step.wake(.reminder(signal, waiter), at: next)
    }

    /// Stores the change that a verdict reports, publishes a counted vote, and schedules the end of an early decision.
    mutating func keep(_ verdict: Verdict, on signal: Name) {
        if verdict.isNews { keepSignal(signal) }
        if case .counted(let have, let need) = verdict {
            step.publish(signal, "voted") { ($0.have, $0.need) = (have, need) }
        }
        if case .buffered(let time) = verdict { step.wake(.early(signal), at: step.moment.advanced(by: time)) }
    }

    /// Takes back the early decision or the vote of `principal`.
    mutating func withdraw(_ signal: Name, by principal: String) -> Signals.Withdrawal {
        let withdrawal = signals.withdraw(signal, by: principal, under: access, at: step.moment)
        if case .withdrawn = withdrawal {
            if signals.knows(signal) { keepSignal(signal) } else { step.forget(.signal(signal)) }
            if signals.waiting[signal] != nil { step.publish(signal, "unvoted") }
        }
        return withdrawal
    }

    /// Ends the wait for a signal that nobody decided; `decision` is `expired` or `closed`.
    ///
    /// - Returns: The signal's owner; nil if the signal is decided already, or `waiter` does not wait for it any more.
    @discardableResult
    mutating func close(_ signal: Name, _ waiter: WaiterID, as decision: GateDecision) -> SignalOwner? {
        guard let owner = signals.end(signal, waiter, as: decision, at: step.moment) else { return nil }
        keepSignal(signal)
        journal(decision, on: signal, of: owner)
        return owner
    }

    /// Removes an announced signal that nobody announced again after a restart, and records its closing in the journal.
    ///
    /// - Returns: Whether the signal was removed; false if it was announced again, or `waiter` no longer waits for it.
    mutating func giveUp(_ signal: Name, _ waiter: WaiterID) -> Bool {
        guard let owner = signals.forgetAbandoned(signal, waiter) else { return false }
        step.forget(.signal(signal))
        let why = Errors.notAnnouncedAgain(within: signals.ended.retention)
        journal(.closed(why: why), on: signal, of: owner)
        return true
    }

    /// Forgets expired early decisions on a signal, and keeps the others.
    mutating func dropEarly(_ signal: Name) {
        guard signals.keepsEarly(signal) else { return }
        signals.dropEarly(signal, at: step.moment)
        if signals.keepsEarly(signal) { keepSignal(signal) } else { step.forget(.signal(signal)) }
    }

    /// Gives an open gate of `owner` another rule, and records that in the journal; a new rule alone decides no gate.
    mutating func renew(_ signal: Name, _ rule: GateRule, barring barred: Set<String>, of owner: SignalOwner) {
        guard let waiting = signals.waiting[signal], waiting.owner == owner, waiting.kind == .gate,
            waiting.terms.rule != rule
        else { return }
        // A principal that was barred stays barred as long as the rule names earlier gates.
        let stillBarred = rule.distinctFrom.isEmpty ? [] : barred.union(waiting.terms.barred)
        signals.renew(signal, rule, barring: stillBarred, at: step.moment)
        keepSignal(signal)
        scheduleWakes(of: signal)
        var entry = JournalEntry(at: step.moment.unixMilliseconds, "rule_changed", run: owner.run, signal: signal)
        entry.details = rule.json
        entry.details["requester_may_decide"] = .bool(rule.requesterMayDecide)
        entry.details["action"] = owner.action.map { .string($0) }
        journal(entry)
    }

    /// Forgets expired settled signals, except those of unfinished runs.
    mutating func forgetSettled() {
        let forgotten = signals.forget(at: step.moment) { [runs] in runs[$0] != nil }
        for signal in forgotten { step.forget(.signal(signal)) }
    }

    private mutating func keepSignal(_ signal: Name) {
        if step.keepsRecords, let record = signals.record(of: signal, at: step.moment) { step.keep(.signal(record)) }
    }
}

// Signals of an earlier worker.
extension WorkerState {
    /// Restores the signals of an earlier worker.
    mutating func restore(_ records: [SignalRecord]) {
        let now = step.moment
        signals.restore(records, at: now)
        for record in records {
            for early in signals.early[record.signal] { step.wake(.early(record.signal), at: early.until) }
            if signals.limitAbandoned(record.signal, at: now) { keepSignal(record.signal) }
            scheduleWakes(of: record.signal)
        }
    }

    /// Closes a signal that a run waited for in an earlier worker, and has not opened again.
    ///
    /// Otherwise a decision would get `delivered` although nobody waits for it.
    mutating func closeOrphan(_ signal: Name, why: String) {
        guard let waiting = signals.waiting[signal] else { return }
        close(signal, waiting.waiter, as: .closed(why: why))
    }

    /// Closes the signals that an ended run waited for in an earlier worker, and did not open again.
    mutating func forgetOrphans(of run: Name) {
        for (signal, _) in signals.orphans(of: run) { closeOrphan(signal, why: "The waiting run ended.") }
        signals.forgetOrphans(of: run)
    }
}

extension Verdict {
    /// Whether the verdict changed the signal; a repeated decision does not extend the retention.
    fileprivate var isNews: Bool {
        switch self {
        case .delivered, .counted, .buffered: true
        case .duplicate, .conflict, .expired, .closed, .forbidden, .unknown: false
        }
    }
}
