import ForgeBusProtocol
import ForgeBusStore

/// Keeps the waits and decisions of signals, with their records and their events.
struct SignalBook {
    private(set) var gates: GateBook
    /// Whether the worker has keys; without keys, rules that name principals cannot work.
    var tellsPrincipalsApart: Bool
    /// The signals that runs waited for in an earlier worker.
    private var orphans: [Name: [Name]] = [:]
    /// Counts the waits restored from an earlier worker.
    private var restoredWaiters: UInt64 = 0

    init(_ gates: GateBook, tellsPrincipalsApart: Bool) {
        self.gates = gates
        self.tellsPrincipalsApart = tellsPrincipalsApart
    }

    /// The outcome of opening a signal.
    enum Opened {
        /// The signal waits; an earlier wait of its owner is over.
        case waits(replacing: WaiterID?)
        /// The wait is over already, with this outcome.
        case over(WaitOutcome)
    }

    /// Opens a signal; `requester` requested the run that waits for it, and `place` is how many of its actions had ended.
    mutating func open(_ opening: SignalOpening, requester: String?, place: Int?, _ out: inout Outbox) -> Opened {
        var waiting = opening.waiting
        let (signal, now) = (opening.signal, out.moment)
        waiting.requester = requester
        waiting.opened = now.unixMilliseconds
        waiting.deadline = opening.deadline.map { now.advanced(by: $0) }
        if waiting.rule.needsIdentities, !tellsPrincipalsApart { return .over(.refused(.unkeyed)) }
        switch gates.open(signal, waiting, at: now) {
        case .taken(let owner): return .over(.refused(.taken(signal, by: owner)))
        case .full: return .over(.refused(.tooManyWait))
        case .decided(let decision, let first):
            if let first {
                keep(signal, &out)
                out.publish(signal, decision.word)
                journal(first, "decided_early", on: signal, of: waiting.owner, place: place, &out)
            }
            return .over(.decided(decision))
        case .waits(let replaced, let early):
            keep(signal, &out)
            for unused in early {
                let why = waiting.flaw(of: unused)
                journal(unused, "early_unused", on: signal, of: waiting.owner, because: why, place: place, &out)
            }
            if let deadline = gates.waiting(under: signal)?.deadline {
                out.wake(.gate(signal, waiting.waiter), at: deadline)
            }
            return .waits(replacing: replaced)
        }
    }

    /// Decides a signal.
    mutating func decide(_ decision: Decision, by principal: String, at now: Moment) -> GateBook.Reply {
        gates.decide(decision, by: principal, at: now)
    }

    /// Stores what a verdict has changed.
    mutating func ruled(_ verdict: Verdict, on signal: Name, _ out: inout Outbox) {
        if verdict.isNews { keep(signal, &out) }
        if case .buffered(let time) = verdict { out.wake(.early(signal), at: out.moment.advanced(by: time)) }
    }

    /// Takes back the early decision of `principal`.
    mutating func withdraw(_ signal: Name, by principal: String, _ out: inout Outbox) -> GateBook.Withdrawal {
        let withdrawal = gates.withdraw(signal, by: principal, at: out.moment)
        if case .withdrawn = withdrawal {
            if gates.keepsEarly(signal) { keep(signal, &out) } else { out.forget(.signal(signal)) }
        }
        return withdrawal
    }

    /// Ends a signal undecided; `place` is how many actions of its run had ended.
    ///
    /// - Returns: Its owner; nil if this waiter does not wait for it any more.
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
        let why = "The worker to which the signal was announced is gone, and nobody announced it again."
        journal(.closed(why: why), on: signal, of: owner, place: nil, &out)
        return true
    }

    private func journal(
        _ decision: GateDecision,
        on signal: Name,
        of owner: SignalOwner,
        place: Int?,
        _ out: inout Outbox
    ) {
        out.publish(signal, decision.word)
        guard out.keepsRecords else { return }
        var entry = JournalEntry(at: out.moment.unixMilliseconds, decision.word, run: owner.run, signal: signal)
        if case .closed(let why) = decision { entry.details["why"] = .string(why) }
        out.journal(entry, place: place)
    }

    /// Records in the journal that a signal opened and used an early decision, or dropped it.
    private func journal(
        _ early: GateBook.Early,
        _ event: String,
        on signal: Name,
        of owner: SignalOwner,
        because why: String? = nil,
        place: Int?,
        _ out: inout Outbox
    ) {
        guard out.keepsRecords else { return }
        var entry = JournalEntry(
            at: out.moment.unixMilliseconds,
            event,
            run: owner.run,
            signal: signal,
            principal: early.principal,
            details: ["decision": .string(early.outcome.word), "sent_at_ms": .integer(early.unixMilliseconds)]
        )
        entry.details["why"] = why.map { .string($0) }
        out.journal(entry, place: place)
    }

    /// Forgets expired early decisions on a signal, and keeps the others.
    mutating func dropEarly(_ signal: Name, _ out: inout Outbox) {
        guard gates.keepsEarly(signal) else { return }
        if gates.dropEarly(signal, at: out.moment) { out.forget(.signal(signal)) } else { keep(signal, &out) }
    }

    /// Gives an open gate of `owner` another rule, and records that in the journal; this decides nothing by itself.
    mutating func renew(_ signal: Name, _ rule: GateRule, of owner: SignalOwner, place: Int?, _ out: inout Outbox) {
        guard let waiting = gates.waiting(under: signal), waiting.owner == owner, waiting.kind == .gate,
            waiting.rule != rule
        else { return }
        gates.renew(signal, rule)
        keep(signal, &out)
        var entry = JournalEntry(at: out.moment.unixMilliseconds, "rule_changed", run: owner.run, signal: signal)
        entry.details["action"] = owner.action.map { .string($0) }
        entry.details["allowed"] = rule.allowed.map { .array($0.sorted().map { .string($0) }) }
        entry.details["requester_may_decide"] = .bool(rule.requesterMayDecide)
        out.journal(entry, place: place)
    }

    /// Forgets expired settled signals, except those of unfinished runs.
    mutating func forgetSettled(_ out: inout Outbox, isUnfinished: (Name) -> Bool) {
        for signal in gates.forget(at: out.moment, isUnfinished: isUnfinished) { out.forget(.signal(signal)) }
    }

    /// Reduces the decisions of an ended run to digests, because nobody asks again.
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
            guard let deadline = waiting.deadline else { continue }
            out.wake(.gate(record.signal, waiter), at: deadline)
        }
        gates.restore(settled: settled)
    }

    /// Reduces the decisions of ended runs to digests, because nobody asks again.
    mutating func digest(where isOver: (Name) -> Bool) { gates.digest(where: isOver) }

    /// Names a restored wait; the worker's own waits have small numbers.
    mutating func mintWaiter() -> WaiterID {
        restoredWaiters += 1
        return WaiterID(number: UInt64.max - restoredWaiters)
    }

    /// Closes signals that a run waited for in an earlier worker, and does not wait for again.
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

    /// Closes the signals that an ended run waited for in an earlier worker, and not again since.
    mutating func forgetOrphans(of run: Name, place: Int?, _ out: inout Outbox) {
        guard !orphans.isEmpty, orphans[run] != nil else { return }
        closeOrphans(of: run, why: "The waiting run ended.", place: place, &out)
        orphans[run] = nil
    }
}

extension Outbox {
    /// Publishes a signal's new state: `waiting`, `approved`, `rejected`, `expired` or `closed`.
    mutating func publish(_ signal: Name, _ state: String) {
        publish(.signal(signal), ["signal": .string(signal.text), "state": .string(state)])
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

extension BusError {
    /// The error for an owner: a run whose action failed with it has ended, and its request gets that result again.
    fileprivate static let tooManyWait = BusError(
        .busy,
        "Too many signals wait for a decision.",
        next: "Send the request again later, under a new id.",
        details: ["limit": "waiting"]
    )

    fileprivate static let unkeyed = BusError(
        .forbidden,
        "The gate limits who may decide, but without keys the worker cannot tell senders apart.",
        next: "Give the worker keys and an access policy, or remove the gate's rule."
    )

    /// The signal belongs to another owner; nil does not name it.
    static func taken(
        _ signal: Name,
        by owner: String?,
        next: String = "Open the signal under another id, for instance with the run's id in it."
    ) -> BusError {
        BusError(.idTaken, "The signal \(signal) belongs to \(owner ?? "somebody else").", next: next)
    }
}
