import DequeModule
import ForgeBusProtocol
import ForgeBusStore

/// All signals and gates: the open waits, the decisions, and the early decisions.
///
/// The first decision that the core handles wins and never changes. Each decision gets an exact verdict, whether it
/// comes before, during or after the wait. The table keeps the sent bytes while the waiter may open the signal again,
/// and after that only a digest of them.
struct Signals {
    /// The state of one signal; every entry takes as much memory as the largest case, so large cases are `indirect`.
    private enum Entry {
        indirect case waiting(Waiting)
        indirect case settled(Settled)
        case early([Early])
    }

    private var entries = LargeTable<Name, Entry>()
    /// Settled signals in the order in which they expire.
    private var settled: Deque<(signal: Name, until: Moment)> = []
    /// How many signals at the front of ``settled`` have only a digest of their decision, for lack of room.
    private var digested = 0
    /// The settled signals of each unfinished run.
    private(set) var endedSignals: [Name: [Name]] = [:]
    /// How many bytes all decisions that are kept whole take; a decision no larger than a digest does not count.
    private(set) var settledSize = 0
    private let limits: WorkerLimits
    let retention: Duration
    private let declared: [NamePattern]?
    /// The signals that gates of pipelines may wait for.
    private let gates: [NamePattern]
    /// The signals that wait, in the order in which they opened.
    private(set) var waitingOrder = NameIndex()
    /// How many bytes the votes on waiting gates take.
    private(set) var votesSize = 0
    private var earlyBounds: EarlyBounds
    /// The signals that runs waited for in an earlier worker, by run.
    private var orphans: [Name: [Name]] = [:]
    /// Counts the waits restored from an earlier worker.
    private var restoredWaiters: UInt64 = 0

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - limits: The limits of the worker.
    ///   - retention: How long a settled signal is kept.
    ///   - declared: The patterns of all signals that somebody may ever wait for; nil if they are unknown.
    ///   - gates: The patterns of the signals that gates of pipelines may wait for.
    init(limits: WorkerLimits, retention: Duration, declared: [NamePattern]? = nil, gates: [NamePattern] = []) {
        self.limits = limits
        earlyBounds = EarlyBounds(limits)
        self.retention = retention
        self.declared = declared
        self.gates = gates
    }

    /// Whether anybody may ever wait for the signal.
    private func isDeclared(_ signal: Name) -> Bool {
        declared.map { $0.contains { $0.matches(signal) } } ?? true
    }

    /// How many settled signals are kept.
    var settledCount: Int { settled.count }

    /// When the next settled signal expires.
    var nextExpiry: Moment? { settled.first?.until }

    /// How many signals wait.
    var waitingCount: Int { waitingOrder.count }

    /// The wait for a signal; nil if nobody waits for it.
    func waiting(under signal: Name) -> Waiting? {
        if case .waiting(let waiting) = entries[signal] { waiting } else { nil }
    }

    /// The ended wait of the run for a signal; nil if there is none.
    func settled(under signal: Name, of run: Name) -> Settled? {
        guard case .settled(let settled) = entries[signal], settled.waiting.owner.run == run else { return nil }
        return settled
    }

    /// Whether `waiter` still waits for the signal.
    func isWaiting(_ signal: Name, _ waiter: WaiterID) -> Bool {
        if case .waiting(let waiting) = entries[signal] { waiting.waiter == waiter } else { false }
    }

    /// The signals with early decisions, in no order.
    var earlySignals: some Sequence<Name> {
        entries.lazy.filter { if case .early = $0.value { true } else { false } }.map(\.key)
    }

    /// The early decisions on a signal, in the order in which they came.
    func early(on signal: Name) -> [Early] {
        if case .early(let early) = entries[signal] { early } else { [] }
    }

    /// Whether the signal waits, is settled or has early decisions.
    func knows(_ signal: Name) -> Bool { entries[signal] != nil }

    /// Whether the table keeps early decisions on the signal.
    func keepsEarly(_ signal: Name) -> Bool { !early(on: signal).isEmpty }

    /// The state of a signal; nil if it is unknown.
    func state(of signal: Name) -> State? {
        switch entries[signal] {
        case .waiting(let waiting): .waiting(owner: waiting.owner.label)
        case .settled(let settled): settled.state
        case .early(let early): .early(by: early.map(\.principal))
        case nil: nil
        }
    }

    /// The decision on a signal and its time, as JSON for a reader; nil if nobody decided the signal.
    func shownDecision(on signal: Name) -> JSONObject? {
        if case .settled(let settled) = entries[signal] { settled.shown } else { nil }
    }

    /// The record of a signal; nil if the signal is unknown, or if the table has only a digest of its decision.
    ///
    /// For a settled signal, call this method right after the signal has settled: its retention counts from `now`.
    func record(of signal: Name, at now: Moment) -> SignalRecord? {
        let state: SignalRecord.State
        switch entries[signal] {
        case .waiting(let waiting):
            state = .waiting(SignalRecord.Wait(waiting), deadline: waiting.deadline.map { now.unix(of: $0) })
        case .settled(let settled):
            guard let ending = settled.record else { return nil }
            let until = now.unix(of: now.advanced(by: retention))
            state = .settled(settled.waitRecord, ending, until: until)
        case .early(let early): state = .early(early.map { SignalRecord.Early($0, at: now) })
        case nil: return nil
        }
        return SignalRecord(signal: signal, state: state)
    }

    /// Opens the wait for a signal.
    ///
    /// If the owner opens a decided signal again, it gets the earlier decision, so that a resumed run never waits
    /// twice. If only a digest of that decision is kept, the owner gets `closed`. But a process that announced the
    /// signal gets an approval without a value, whether the decision is kept whole or as a digest. If the signal still
    /// waits, the new wait of the owner replaces the former one.
    mutating func open(_ signal: Name, _ opening: Waiting, under policy: AccessPolicy, at now: Moment) -> Opening {
        var opening = opening
        opening.opened = now.unixMilliseconds
        switch entries[signal] {
        case .waiting(let waiting):
            guard waiting.isSameOwner(as: opening) else { return .taken(by: waiting.owner.text) }
            opening.opened = waiting.opened
            var terms = waiting.terms
            terms.renew(opening.terms.rule, opened: waiting.opened, at: now)
            let own = opening.terms
            (terms.requester, terms.causers, terms.barred) = (own.requester, own.causers, own.barred)
            terms.message = own.message
            opening.terms = terms
            // A gate's deadline counts from its first opening, also if that was in an earlier worker.
            if waiting.isOrphaned, waiting.kind == .gate, opening.kind == .gate { opening.deadline = waiting.deadline }
            votesSize += opening.votesSize - waiting.votesSize
            entries[signal] = .waiting(opening)
            return .waits(replacing: waiting.waiter)
        case .settled(let settled):
            guard settled.waiting.isSameOwner(as: opening) else { return .taken(by: settled.waiting.owner.text) }
            return .decided(settled.decision)
        case .early(let early):
            let opened = open(signal, opening, with: early.filter { $0.until > now }, under: policy, at: now)
            if case .full = opened { return opened }
            earlyBounds.forget(early)
            return opened
        case nil: return wait(signal, opening, at: now)
        }
    }

    /// Opens a signal, and applies its early decisions in the order in which they came: as the decision, or as votes.
    private mutating func open(
        _ signal: Name,
        _ opening: Waiting,
        with early: [Early],
        under policy: AccessPolicy,
        at now: Moment
    ) -> Opening {
        var opening = opening
        var used: [Early] = []
        var unused: [Unused] = []
        for (place, decision) in early.enumerated() {
            if let why = opening.flaw(of: decision, on: signal, under: policy) {
                unused.append(Unused(early: decision, why: why))
                continue
            }
            if opening.terms.rule.isQuorum {
                let count = opening.count(decision.vote, on: signal, under: policy)
                guard count.isDecisive || hasRoom(for: opening.votesSize + decision.vote.size) else {
                    let why = Errors.earlyVoteTooLarge(sizeInBytes: limits.votesSizeInBytes)
                    unused.append(Unused(early: decision, why: why))
                    continue
                }
                opening.terms.votes = count.votes
                guard count.isDecisive else {
                    used.append(decision)
                    continue
                }
            }
            used.append(decision)
            let why = "The earlier decision of the principal \"\(decision.principal)\" decided the signal."
            unused += early.dropFirst(place + 1).map { Unused(early: $0, why: why) }
            let outcome = settle(signal, opening, with: decision.vote, at: now)
            return .decided(outcome, using: used, dropping: unused)
        }
        return wait(signal, opening, using: used, dropping: unused, at: now)
    }

    /// Whether the limit allows `size` more bytes of votes on waiting gates.
    private func hasRoom(for size: Int) -> Bool { votesSize + size <= limits.votesSizeInBytes }

    private mutating func wait(
        _ signal: Name,
        _ opening: Waiting,
        using used: [Early] = [],
        dropping unused: [Unused] = [],
        at now: Moment
    ) -> Opening {
        guard waitingCount < limits.waitingSignals else { return .full }
        var opening = opening
        opening.terms.schedule(opened: opening.opened, at: now)
        entries[signal] = .waiting(opening)
        waitingOrder.insert(signal, at: opening.opened)
        votesSize += opening.votesSize
        return .waits(replacing: nil, using: used, dropping: unused)
    }

    /// Decides a signal, or keeps the decision until somebody waits for it.
    mutating func decide(
        _ decision: Decision,
        by principal: String,
        via: String? = nil,
        under policy: AccessPolicy,
        at now: Moment
    ) -> Reply {
        let time = now.unixMilliseconds
        let vote = Vote(outcome: decision.outcome, principal: principal, via: via, unixMilliseconds: time)
        switch entries[decision.signal] {
        case .waiting(let waiting):
            if let why = waiting.objection(to: principal, under: policy) { return .verdict(.forbidden(why: why)) }
            guard waiting.kind.takes(decision.outcome) else { return .notRejectable }
            if waiting.kind == .gate {
                let terms = waiting.terms
                if terms.rule.isQuorum || !terms.votes.isEmpty {
                    return cast(vote, on: decision.signal, waiting, policy, now)
                }
                if let error = terms.rule.flaw(of: decision.outcome) { return .refused(error) }
            }
            stopWaiting(decision.signal, waiting)
            let outcome = settle(decision.signal, waiting, with: vote, at: now)
            return .verdict(.delivered, resuming: (waiting.waiter, waiting.owner, outcome))
        case .settled(let settled):
            if let why = settled.waiting.objection(to: principal, under: policy) {
                return .verdict(.forbidden(why: why))
            }
            return .verdict(settled.verdict(on: vote))
        case .early(let early): return keep(decision, vote, beside: early.filter { $0.until > now }, at: now)
        case nil: return keep(decision, vote, beside: [], at: now)
        }
    }

    /// Counts a vote on a gate, and decides the gate if it now has enough votes.
    private mutating func cast(
        _ vote: Vote,
        on signal: Name,
        _ waiting: Waiting,
        _ policy: AccessPolicy,
        _ now: Moment
    ) -> Reply {
        var waiting = waiting
        let before = waiting.votesSize
        if let own = waiting.terms.votes.first(where: { $0.principal == vote.principal }),
            own.via != nil, waiting.flaw(of: own, on: signal, under: policy) != nil
        {
            // The old vote, which another principal sent for the voter, no longer counts; it must not keep the voter from
            // voting.
            waiting.terms.votes.removeAll { $0.principal == own.principal }
        }
        if let own = waiting.terms.votes.first(where: { $0.principal == vote.principal }) {
            guard own.outcome.isSame(as: vote.outcome) else { return .verdict(.conflict(own.standing)) }
            return recount(own, as: vote, on: signal, waiting, policy, now)
        }
        if let error = waiting.terms.rule.flaw(of: vote.outcome) { return .refused(error) }
        let count = waiting.count(vote, on: signal, under: policy)
        waiting.terms.votes = count.votes
        if count.isDecisive {
            stopWaiting(signal, waiting)
            votesSize -= before
            let outcome = settle(signal, waiting, with: vote, at: now)
            let resuming = (waiting.waiter, waiting.owner, outcome)
            return .voted(.delivered, uncounted: count.uncounted, resuming: resuming)
        }
        let growth = waiting.votesSize - before
        guard hasRoom(for: growth) else { return .busy(limit: "votes") }
        votesSize += growth
        entries[signal] = .waiting(waiting)
        let verdict = Verdict.counted(have: count.have, need: count.need)
        return .voted(verdict, uncounted: count.uncounted, resuming: nil)
    }

    /// Counts a gate's votes again, because `vote` repeats the vote `own` of its principal.
    ///
    /// The policy or the gate's rule may have changed since the last vote. If the votes are enough now, the gate is
    /// decided; otherwise the repeated vote is a duplicate.
    private mutating func recount(
        _ own: Vote,
        as vote: Vote,
        on signal: Name,
        _ waiting: Waiting,
        _ policy: AccessPolicy,
        _ now: Moment
    ) -> Reply {
        var recounted = waiting
        recounted.terms.votes.removeAll { $0.principal == own.principal }
        let count = recounted.count(own, on: signal, under: policy)
        guard count.isDecisive else { return .verdict(.duplicate) }
        recounted.terms.votes = count.votes
        stopWaiting(signal, waiting)
        votesSize -= waiting.votesSize
        let outcome = settle(signal, recounted, with: vote, at: now)
        return .voted(.delivered, uncounted: count.uncounted, resuming: (waiting.waiter, waiting.owner, outcome))
    }

    /// Keeps a decision on a signal that nobody waits for yet; at most one decision of each principal.
    private mutating func keep(_ decision: Decision, _ vote: Vote, beside others: [Early], at now: Moment) -> Reply {
        var others = others
        if let place = others.firstIndex(where: { $0.principal == vote.principal }) {
            let own = others[place]
            guard own.outcome.isSame(as: decision.outcome) else { return .verdict(.conflict(own.vote.standing)) }
            // A sender that now asks the worker to keep its decision wants that a gate can use the decision, too.
            let isNews = !own.isAsked && decision.keep.map { $0 > .zero } ?? false
            guard isNews else { return .verdict(.duplicate) }
            others.remove(at: place)
        }
        if let why = whyUnkept(decision) { return .verdict(.unknown(why: why)) }
        let keep = decision.keep ?? WireLimits.defaultKeep
        let early = Early(vote: vote, until: now.advanced(by: keep), isAsked: decision.keep != nil)
        var before: [Early] = []
        if case .early(let early) = entries[decision.signal] { before = early }
        var bounds = earlyBounds
        bounds.forget(before)
        for other in others { bounds.keep(other) }
        guard bounds.haveRoom(for: early) else { return .busy(limit: "early") }
        bounds.keep(early)
        earlyBounds = bounds
        entries[decision.signal] = .early(others + [early])
        return .verdict(.buffered(for: keep))
    }

    /// Whether the table keeps as many early decisions of the principal as the limit for one principal allows.
    func keepsMostEarlyDecisions(of principal: String) -> Bool { earlyBounds.areReached(by: principal) }

    /// Why a decision that nobody waits for is not kept; nil if it is kept.
    private func whyUnkept(_ decision: Decision) -> String? {
        if !isDeclared(decision.signal) { return Errors.undeclared(decision.signal) }
        switch decision.keep {
        case .zero: return Errors.unkept(decision.signal)
        case nil where gates.contains { $0.matches(decision.signal) }: return Errors.gateNotWaiting(decision.signal)
        case nil where decision.outcome.kind == .rejected: return Errors.rejectionNotKept(decision.signal)
        case _: return nil
        }
    }

    /// Takes back the early decision or the vote of `principal`; afterwards ``record(of:at:)`` gives the new record.
    mutating func withdraw(
        _ signal: Name,
        by principal: String,
        under policy: AccessPolicy,
        at now: Moment
    ) -> Withdrawal {
        switch entries[signal] {
        case .early(let early):
            guard let own = early.first(where: { $0.principal == principal && $0.until > now }) else { return .nothing }
            let others = early.filter { $0.principal != principal }
            entries[signal] = others.isEmpty ? nil : .early(others)
            earlyBounds.forget([own])
            return .withdrawn
        case .waiting(var waiting):
            let votes = waiting.terms.votes
            guard let own = votes.firstIndex(where: { $0.principal == principal }) else { return .nothing }
            votesSize -= votes[own].size
            waiting.terms.votes.remove(at: own)
            entries[signal] = .waiting(waiting)
            return .withdrawn
        case .settled(let settled)
        where settled.isDecided && settled.waiting.objection(to: principal, under: policy) == nil:
            return .decided
        case .settled, nil: return .nothing
        }
    }

    /// Lets the principals of the rule's escalation decide from now on, if the gate has waited long enough.
    ///
    /// - Returns: Whether the gate has escalated now; false before its time, if it escalated before, or if this waiter
    ///   no longer waits for it.
    mutating func escalate(_ signal: Name, _ waiter: WaiterID, at now: Moment) -> Bool {
        guard case .waiting(var waiting) = entries[signal], waiting.waiter == waiter, waiting.terms.escalate(at: now)
        else { return false }
        entries[signal] = .waiting(waiting)
        return true
    }

    /// Sets the next reminder of a gate.
    ///
    /// - Returns: The moment of the reminder after this one; nil if it is not time for a reminder, or if `waiter` no
    ///   longer waits.
    mutating func remind(_ signal: Name, _ waiter: WaiterID, at now: Moment) -> Moment? {
        guard case .waiting(var waiting) = entries[signal], waiting.waiter == waiter,
            let next = waiting.terms.remind(at: now)
        else { return nil }
        entries[signal] = .waiting(waiting)
        return next
    }

    /// Restores a signal of an earlier worker; if the signal still waits, `waiter` gets the decision.
    ///
    /// - Returns: When a settled signal expires; nil for any other signal.
    mutating func restore(_ record: SignalRecord, _ waiter: WaiterID, at now: Moment) -> Moment? {
        switch record.state {
        case .waiting(let wait, let deadline):
            var waiting = Waiting(wait, waiter, deadline: deadline.map { now.at(unix: $0) })
            waiting.terms.schedule(opened: waiting.opened, at: now)
            entries[record.signal] = .waiting(waiting)
            waitingOrder.insert(record.signal, at: waiting.opened)
            votesSize += waiting.votesSize
        case .settled(let wait, let ending, let until):
            let settled = Settled(ending, Waiting(wait, waiter, deadline: nil))
            entries[record.signal] = .settled(settled)
            settledSize += settled.size
            if let run = settled.waiting.owner.run { endedSignals[run, default: []].append(record.signal) }
            return now.at(unix: until)
        case .early(let records):
            let early = records.map { Early($0, at: now) }
            entries[record.signal] = .early(early)
            for decision in early { earlyBounds.keep(decision) }
        }
        return nil
    }

    /// Limits the wait of a signal that a process announced to an earlier worker, and nobody has announced again.
    ///
    /// The signal then waits at most for the retention; otherwise it could wait for ever.
    ///
    /// - Returns: Whether the limit is new, and the store must keep it.
    mutating func limitAbandoned(_ signal: Name, at now: Moment) -> Bool {
        guard case .waiting(var waiting) = entries[signal], waiting.isAbandoned else { return false }
        let latest = now.advanced(by: retention)
        // An earlier worker may have set a limit already; that limit is too late only if the clock was set back since.
        guard waiting.deadline.map({ $0 > latest }) ?? true else { return false }
        waiting.deadline = latest
        entries[signal] = .waiting(waiting)
        return true
    }

    /// Forgets an undecided signal that no process announced again.
    ///
    /// - Returns: Its former owner; nil for any other signal, or if this waiter no longer waits for the signal.
    mutating func forgetAbandoned(_ signal: Name, _ waiter: WaiterID) -> SignalOwner? {
        guard case .waiting(let waiting) = entries[signal], waiting.waiter == waiter, waiting.isAbandoned else {
            return nil
        }
        stopWaiting(signal, waiting)
        entries[signal] = nil
        return waiting.owner
    }

    /// Returns an id for a restored wait; it differs from those of new waits, which have small numbers.
    mutating func mintWaiter() -> WaiterID {
        restoredWaiters += 1
        return WaiterID(number: UInt64.max - restoredWaiters)
    }

    /// Remembers that a run waited for the signal in an earlier worker.
    mutating func orphan(_ signal: Name, of run: Name) { orphans[run, default: []].append(signal) }

    /// The signals that the run waited for in an earlier worker and has not opened again, with what waited for each.
    func orphans(of run: Name) -> [(signal: Name, owner: SignalOwner)] {
        guard let signals = orphans.isEmpty ? nil : orphans[run] else { return [] }
        return signals.compactMap { signal in
            guard let waiting = waiting(under: signal), waiting.isOrphaned, waiting.owner.run == run else { return nil }
            return (signal, waiting.owner)
        }
    }

    /// Forgets the signals that the run waited for in an earlier worker.
    mutating func forgetOrphans(of run: Name) { if !orphans.isEmpty { orphans[run] = nil } }

    /// Restores settled signals, each with the moment at which it expires.
    mutating func restore(settled: [(signal: Name, until: Moment)]) {
        self.settled = Deque(settled.sorted { $0.until < $1.until })
    }

    /// The moments at which the early decisions on a signal expire.
    func earlyEnds(_ signal: Name) -> [Moment] {
        if case .early(let early) = entries[signal] { early.map(\.until) } else { [] }
    }

    /// The wait for a signal, open or over; nil if nobody has waited for it.
    func wait(for signal: Name) -> Waiting? {
        switch entries[signal] {
        case .waiting(let waiting): waiting
        case .settled(let settled): settled.waiting
        case .early, nil: nil
        }
    }

    /// The owner of a signal that waits or is settled.
    func owner(of signal: Name) -> SignalOwner? { wait(for: signal)?.owner }

    /// How the signal of `owner` ended; nil if it has not ended, or belongs to another owner.
    func decision(on signal: Name, for owner: SignalOwner) -> GateDecision? {
        guard case .settled(let settled) = entries[signal], settled.waiting.owner == owner else { return nil }
        return settled.decision
    }

    /// The principals that decided a gate of an unfinished run; empty if nobody has decided the gate.
    ///
    /// The gate is found by its owner, because a changed definition may give it another id.
    func deciders(for action: String, of run: Name) -> Set<String> {
        let owner = SignalOwner.action(run, action)
        return (endedSignals[run] ?? []).reduce(into: []) { deciders, signal in
            guard case .settled(let settled) = entries[signal], settled.waiting.owner == owner else { return }
            deciders.formUnion(settled.deciders)
        }
    }

    /// Replaces the rule of an open gate, and the set of principals that may not decide it.
    mutating func renew(_ signal: Name, _ rule: GateRule, barring barred: Set<String>, at now: Moment) {
        guard case .waiting(var waiting) = entries[signal] else { return }
        waiting.terms.renew(rule, opened: waiting.opened, at: now)
        waiting.terms.barred = barred
        entries[signal] = .waiting(waiting)
    }

    /// Ends the wait of this waiter, because nobody decided the signal.
    ///
    /// - Parameters:
    ///   - signal: The signal.
    ///   - waiter: The waiter.
    ///   - decision: How the wait ends: `expired` or `closed`.
    ///   - now: The current time.
    /// - Returns: The signal's owner; nil if this waiter does not wait for the signal any more.
    mutating func end(_ signal: Name, _ waiter: WaiterID, as decision: GateDecision, at now: Moment) -> SignalOwner? {
        guard case .waiting(let waiting) = entries[signal], waiting.waiter == waiter else { return nil }
        stopWaiting(signal, waiting)
        votesSize -= waiting.votesSize
        finish(signal, Settled(undecided: decision, waiting), at: now)
        return waiting.owner
    }

    private mutating func stopWaiting(_ signal: Name, _ waiting: Waiting) {
        waitingOrder.remove(signal, at: waiting.opened)
    }

    private mutating func settle(_ signal: Name, _ waiting: Waiting, with vote: Vote, at now: Moment) -> GateDecision {
        let settled = Settled(vote, waiting)
        finish(signal, settled, at: now)
        return settled.decision
    }

    private mutating func finish(_ signal: Name, _ record: Settled, at now: Moment) {
        makeRoom(for: record.size)
        entries[signal] = .settled(record)
        settled.append((signal, now.advanced(by: retention)))
        settledSize += record.size
        if let run = record.waiting.owner.run { endedSignals[run, default: []].append(signal) }
    }

    /// Reduces the oldest decisions to digests until `size` bytes fit, or no whole decision is left.
    private mutating func makeRoom(for size: Int) {
        while settledSize > 0, settledSize + size > limits.decidedSizeInBytes {
            digest(settled[digested].signal)
            digested += 1
        }
    }

    /// Reduces the decisions of ended runs to digests, because nobody opens their signals again.
    ///
    /// If the remaining decisions take too much room, the oldest of them become digests, too.
    mutating func digest(where isOver: (Name) -> Bool) {
        for (run, signals) in endedSignals where isOver(run) {
            for signal in signals { digest(signal) }
        }
        // This makes a new dictionary, because a dictionary that shrinks keeps its memory.
        endedSignals = endedSignals.filter { !isOver($0.key) }
        makeRoom(for: 0)
    }

    /// Reduces the decisions of an ended run to digests, because nobody opens its signals again.
    mutating func digest(of run: Name) {
        guard !endedSignals.isEmpty else { return }
        for signal in endedSignals.removeValue(forKey: run) ?? [] {
            if case .settled(let settled) = entries[signal], settled.waiting.owner.run == run { digest(signal) }
        }
    }

    private mutating func digest(_ signal: Name) {
        guard case .settled(var settled) = entries[signal] else { return }
        settledSize -= settled.size
        settled.digest()
        entries[signal] = .settled(settled)
    }

    /// Forgets early decisions on `signal` that have expired.
    ///
    /// - Returns: Whether the last early decision was forgotten, so that the signal is unknown now.
    mutating func dropEarly(_ signal: Name, at now: Moment) -> Bool {
        guard case .early(let early) = entries[signal] else { return false }
        let kept = early.filter { $0.until > now }
        earlyBounds.forget(early.filter { $0.until <= now })
        entries[signal] = kept.isEmpty ? nil : .early(kept)
        return kept.isEmpty
    }

    /// Forgets expired settled signals, except those of unfinished runs, which may open them again.
    ///
    /// - Returns: The forgotten signals.
    mutating func forget(at now: Moment, isUnfinished: (Name) -> Bool = { _ in false }) -> [Name] {
        var forgotten: [Name] = []
        var kept: [Name] = []
        while let first = settled.first, first.until <= now {
            settled.removeFirst()
            digested = max(0, digested - 1)
            if let run = owner(of: first.signal)?.run, isUnfinished(run) {
                kept.append(first.signal)
            } else {
                drop(first.signal)
                forgotten.append(first.signal)
            }
        }
        for signal in kept { settled.append((signal, now.advanced(by: retention))) }
        return forgotten
    }

    private mutating func drop(_ signal: Name) {
        guard case .settled(let settled) = entries.removeValue(forKey: signal) else { return }
        settledSize -= settled.size
        guard let run = settled.waiting.owner.run, endedSignals[run] != nil else { return }
        endedSignals[run]?.removeAll { $0 == signal }
        if endedSignals[run]?.isEmpty == true { endedSignals[run] = nil }
    }
}
