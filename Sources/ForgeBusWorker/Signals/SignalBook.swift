import ForgeBusProtocol
import ForgeBusStore

/// Keeps the waits and decisions of signals, stores their records and publishes their events.
struct SignalBook {
    private(set) var gates: GateBook
    /// The access policy in force, which says who may decide; without keys, rules that name principals cannot work.
    var policy: AccessPolicy
    /// The signals that runs waited for in an earlier worker, by run.
    private var orphans: [Name: [Name]] = [:]
    /// Counts the waits restored from an earlier worker.
    private var restoredWaiters: UInt64 = 0

    init(_ gates: GateBook, _ policy: AccessPolicy) {
        self.gates = gates
        self.policy = policy
    }

    /// The outcome of opening a signal.
    enum Opened {
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
    ///   - place: How many actions of the run have ended; nil outside runs.
    ///   - out: Takes the records and publications.
    /// - Returns: That the signal waits, or the outcome of the wait if the wait is over at once.
    mutating func open(
        _ opening: SignalOpening,
        requester: String?,
        causers: Set<String>,
        barring barred: Set<String>,
        place: Int?,
        _ out: inout Outbox
    ) -> Opened {
        var waiting = opening.waiting
        let (signal, now) = (opening.signal, out.moment)
        if waiting.kind == .gate {
            (waiting.terms.requester, waiting.terms.causers, waiting.terms.barred) = (requester, causers, barred)
            let rule = waiting.terms.rule
            if let flaw = rule.flaw { return .over(.refused(Errors.impossible(signal, flaw))) }
            if rule.needsIdentities, !policy.isKeyed { return .over(.refused(Errors.unkeyed(signal))) }
        }
        waiting.deadline = opening.deadline.map { now.advanced(by: $0) }
        switch gates.open(signal, waiting, under: policy, at: now) {
        case .taken(let owner): return .over(.refused(Errors.taken(signal, by: owner)))
        case .full:
            return .over(.refused(Errors.tooManyWait(gates.waitingCount, isOfRun: waiting.owner.run != nil)))
        case .decided(let decision, let used, let unused):
            if !used.isEmpty {
                keep(signal, &out)
                out.publish(signal, decision.word)
            }
            journal(used, unused, on: signal, of: waiting.owner, place: place, &out)
            return .over(.decided(decision))
        case .waits(let replaced, let used, let unused):
            keep(signal, &out)
            wake(signal, &out)
            journal(used, unused, on: signal, of: waiting.owner, place: place, &out)
            return .waits(replacing: replaced)
        }
    }

    /// Requests wake-ups for the deadline of a signal, for its escalation and for its next reminder.
    private func wake(_ signal: Name, _ out: inout Outbox) {
        guard let waiting = gates.waiting(under: signal) else { return }
        if let deadline = waiting.deadline { out.wake(.gate(signal, waiting.waiter), at: deadline) }
        if let moment = waiting.terms.escalates { out.wake(.escalation(signal, waiting.waiter), at: moment) }
        if let moment = waiting.terms.reminds { out.wake(.reminder(signal, waiting.waiter), at: moment) }
    }

    /// Allows more principals to decide a gate that has waited long enough.
    mutating func escalate(_ signal: Name, _ waiter: WaiterID, place: Int?, _ out: inout Outbox) {
        guard gates.escalate(signal, waiter, at: out.moment), let waiting = gates.waiting(under: signal) else { return }
        keep(signal, &out)
        out.publish(signal, "escalated")
        let details = waiting.terms.rule.json["escalate"]?.object ?? [:]
        let now = out.moment.unixMilliseconds
        out.journal(
            JournalEntry(at: now, "escalated", run: waiting.owner.run, signal: signal, details: details),
            place: place
        )
    }

    /// Reminds watchers of a gate that still waits.
    mutating func remind(_ signal: Name, _ waiter: WaiterID, _ out: inout Outbox) {
        let now = out.moment
        guard let next = gates.remind(signal, waiter, at: now), let waiting = gates.waiting(under: signal) else {
            return
        }
        out.publish(
            .signal(signal),
            [
                "signal": .string(signal.text), "state": "waiting",
                "waited_ms": .integer(max(0, now.unixMilliseconds - waiting.opened)),
            ]
        )
        out.wake(.reminder(signal, waiter), at: next)
    }

    /// Decides a signal, or keeps the decision as an early one; ``ruled(_:on:_:)`` then stores the change.
    mutating func decide(
        _ decision: Decision,
        by principal: AccessPolicy.Principal,
        at now: Moment
    ) -> GateBook.Reply {
        gates.decide(decision, by: principal.name, via: principal.via, under: policy, at: now)
    }

    /// Stores the change that a verdict reports, publishes a counted vote, and schedules the end of an early decision.
    mutating func ruled(_ verdict: Verdict, on signal: Name, _ out: inout Outbox) {
        if verdict.isNews { keep(signal, &out) }
        if case .counted(let have, let need) = verdict {
            out.publish(
                .signal(signal),
                [
                    "signal": .string(signal.text), "state": "voted", "have": .integer(Int64(have)),
                    "need": .integer(Int64(need)),
                ]
            )
        }
        if case .buffered(let time) = verdict { out.wake(.early(signal), at: out.moment.advanced(by: time)) }
    }

    /// Takes back the early decision or the vote of `principal`.
    mutating func withdraw(_ signal: Name, by principal: String, _ out: inout Outbox) -> GateBook.Withdrawal {
        let withdrawal = gates.withdraw(signal, by: principal, under: policy, at: out.moment)
        if case .withdrawn = withdrawal {
            if gates.knows(signal) { keep(signal, &out) } else { out.forget(.signal(signal)) }
            if gates.waiting(under: signal) != nil { out.publish(signal, "unvoted") }
        }
        return withdrawal
    }

    /// Ends the wait for a signal that nobody decided; `decision` is `expired` or `closed`.
    ///
    /// The number `place` says how many actions of the waiting run have ended so far.
    ///
    /// - Returns: The signal's owner; nil if the signal is decided already, or `waiter` does not wait for it any more.
    @discardableResult
    mutating func end(
        _ signal: Name,
        _ waiter: WaiterID,
        as decision: GateDecision,
        place: Int?,
        _ out: inout Outbox
    ) -> SignalOwner? {
        guard let owner = gates.end(signal, waiter, as: decision, at: out.moment) else { return nil }
        keep(signal, &out)
        journal(decision, on: signal, of: owner, place: place, &out)
        return owner
    }

    /// Removes an announced signal that nobody announced again after a restart, and records its closing in the journal.
    ///
    /// - Returns: Whether the signal was removed; false if it was announced again, or `waiter` no longer waits for it.
    mutating func giveUp(_ signal: Name, _ waiter: WaiterID, _ out: inout Outbox) -> Bool {
        guard let owner = gates.forgetAbandoned(signal, waiter) else { return false }
        out.forget(.signal(signal))
        let why = Errors.notAnnouncedAgain(within: gates.retention)
        journal(.closed(why: why), on: signal, of: owner, place: nil, &out)
        return true
    }

    /// Forgets expired early decisions on a signal, and keeps the others.
    mutating func dropEarly(_ signal: Name, _ out: inout Outbox) {
        guard gates.keepsEarly(signal) else { return }
        if gates.dropEarly(signal, at: out.moment) { out.forget(.signal(signal)) } else { keep(signal, &out) }
    }

    /// Gives an open gate of `owner` another rule, and records that in the journal; a new rule alone decides no gate.
    mutating func renew(
        _ signal: Name,
        _ rule: GateRule,
        barring barred: Set<String>,
        of owner: SignalOwner,
        place: Int?,
        _ out: inout Outbox
    ) {
        guard let waiting = gates.waiting(under: signal), waiting.owner == owner, waiting.kind == .gate,
            waiting.terms.rule != rule
        else { return }
        // A principal that was barred stays barred as long as the rule names earlier gates.
        let stillBarred = rule.distinctFrom.isEmpty ? [] : barred.union(waiting.terms.barred)
        gates.renew(signal, rule, barring: stillBarred, at: out.moment)
        keep(signal, &out)
        wake(signal, &out)
        var entry = JournalEntry(at: out.moment.unixMilliseconds, "rule_changed", run: owner.run, signal: signal)
        entry.details = rule.json
        entry.details["requester_may_decide"] = .bool(rule.requesterMayDecide)
        entry.details["action"] = owner.action.map { .string($0) }
        out.journal(entry, place: place)
    }

    /// Forgets expired settled signals, except those of unfinished runs.
    mutating func forgetSettled(_ out: inout Outbox, isUnfinished: (Name) -> Bool) {
        for signal in gates.forget(at: out.moment, isUnfinished: isUnfinished) { out.forget(.signal(signal)) }
    }

    /// Reduces the decisions of an ended run to digests, because nobody opens its signals again.
    mutating func digest(of run: Name) { gates.digest(of: run) }

    private func keep(_ signal: Name, _ out: inout Outbox) {
        if out.keepsRecords, let record = gates.record(of: signal, at: out.moment) { out.keep(.signal(record)) }
    }
}

// Signals of an earlier worker.
extension SignalBook {
    /// Restores the signals of an earlier worker.
    mutating func restore(_ records: [SignalRecord], _ out: inout Outbox) {
        let now = out.moment
        var settled: [(signal: Name, until: Moment)] = []
        for record in records {
            let waiter = mintWaiter()
            if let until = gates.restore(record, waiter, at: now) {
                settled.append((record.signal, min(until, now.advanced(by: gates.retention))))
            }
            for end in gates.earlyEnds(record.signal) { out.wake(.early(record.signal), at: end) }
            if gates.limitAbandoned(record.signal, at: now) { keep(record.signal, &out) }
            guard let waiting = gates.waiting(under: record.signal) else { continue }
            if let run = waiting.owner.run { orphans[run, default: []].append(record.signal) }
            wake(record.signal, &out)
        }
        gates.restore(settled: settled)
    }

    /// Reduces the decisions of ended runs to digests, because nobody opens their signals again.
    mutating func digest(where isOver: (Name) -> Bool) { gates.digest(where: isOver) }

    /// Returns an id for a restored wait; it differs from those of new waits, which have small numbers.
    mutating func mintWaiter() -> WaiterID {
        restoredWaiters += 1
        return WaiterID(number: UInt64.max - restoredWaiters)
    }

    /// Closes the signals that a run waited for in an earlier worker, and has not opened again.
    ///
    /// Otherwise a decision would get `delivered` although nobody waits for it.
    mutating func closeOrphans(
        of run: Name,
        why: String,
        place: Int?,
        _ out: inout Outbox,
        where isLeft: (Name, SignalOwner) -> Bool = { _, _ in true }
    ) {
        for signal in orphans[run] ?? [] {
            guard let waiting = gates.waiting(under: signal), waiting.isOrphaned, waiting.owner.run == run,
                isLeft(signal, waiting.owner)
            else { continue }
            end(signal, waiting.waiter, as: .closed(why: why), place: place, &out)
        }
    }

    /// Closes the signals that an ended run waited for in an earlier worker, and did not open again.
    mutating func forgetOrphans(of run: Name, place: Int?, _ out: inout Outbox) {
        guard !orphans.isEmpty, orphans[run] != nil else { return }
        closeOrphans(of: run, why: "The waiting run ended.", place: place, &out)
        orphans[run] = nil
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
