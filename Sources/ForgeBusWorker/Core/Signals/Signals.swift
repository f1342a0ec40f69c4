import ForgeBusProtocol
import ForgeBusStore

/// All signals and gates: those that wait, those that have ended, and the decisions that came early.
///
/// A signal is in one table at most. The first decision that the core handles wins and never changes. Each decision gets
/// an exact verdict, whether it comes before, during or after the wait.
struct Signals {
    private(set) var waiting: WaitingSignals
    private(set) var ended: EndedSignals
    private(set) var early: EarlyDecisions
    private let limits: WorkerLimits
    private let declared: [NamePattern]?
    /// The signals that gates of pipelines may wait for.
    private let gates: [NamePattern]

    /// Creates empty tables.
    ///
    /// - Parameters:
    ///   - limits: The limits of the worker.
    ///   - retention: How long an ended signal is kept.
    ///   - declared: The patterns of all signals that somebody may ever wait for; nil if they are unknown.
    ///   - gates: The patterns of the signals that gates of pipelines may wait for.
    init(limits: WorkerLimits, retention: Duration, declared: [NamePattern]? = nil, gates: [NamePattern] = []) {
        waiting = WaitingSignals(limits)
        ended = EndedSignals(limits, retention: retention)
        early = EarlyDecisions(limits)
        self.limits = limits
        self.declared = declared
        self.gates = gates
    }

    /// Whether anybody may ever wait for the signal.
    private func isDeclared(_ signal: Name) -> Bool {
        declared.map { $0.contains { $0.matches(signal) } } ?? true
    }

    /// Whether `waiter` still waits for the signal.
    func isWaiting(_ signal: Name, _ waiter: WaiterID) -> Bool { waiting[signal, waiter] != nil }

    /// Whether the signal waits, has ended or has early decisions.
    func knows(_ signal: Name) -> Bool { wait(for: signal) != nil || keepsEarly(signal) }

    /// Whether the table keeps early decisions on the signal.
    func keepsEarly(_ signal: Name) -> Bool { !early[signal].isEmpty }

    /// The state of a signal; nil if it is unknown.
    func state(of signal: Name) -> State? {
        if let wait = waiting[signal] { return .waiting(owner: wait.owner.label) }
        if let ended = ended[signal] { return ended.state }
        let early = early[signal]
        return early.isEmpty ? nil : .early(by: early.map(\.principal))
    }

    /// The record of a signal; nil if the signal is unknown, or if the table has only a digest of its decision.
    ///
    /// For an ended signal, call this method right after the signal has ended: its retention counts from `now`.
    func record(of signal: Name, at now: Moment) -> SignalRecord? {
        if let wait = waiting[signal] {
            let deadline = wait.deadline.map { now.unix(of: $0) }
            return SignalRecord(signal: signal, state: .waiting(SignalRecord.Wait(wait), deadline: deadline))
        }
        if let ended = ended[signal] {
            let until = now.unix(of: now.advanced(by: self.ended.retention))
            return ended.record.map { ending in
                SignalRecord(signal: signal, state: .settled(ended.waitRecord, ending, until: until))
            }
        }
        let early = early[signal]
        return early.isEmpty
            ? nil : SignalRecord(signal: signal, state: .early(early.map { SignalRecord.Early($0, at: now) }))
    }

    /// Opens the wait for a signal.
    ///
    /// If the owner opens a decided signal again, it gets the earlier decision, so that a resumed run never waits
    /// twice. If only a digest of that decision is kept, the owner gets `closed`. But a process that announced the
    /// signal gets an approval without a value, whether the decision is kept whole or as a digest. If the signal still
    /// waits, the new wait of the owner replaces the former one.
    mutating func open(_ signal: Name, _ opening: SignalWait, under policy: AccessPolicy, at now: Moment) -> Opening {
        var opening = opening
        opening.opened = now.unixMilliseconds
        if let former = waiting[signal] {
            guard former.isSameOwner(as: opening) else { return .taken(by: former.owner.text) }
            waiting[signal] = former.replaced(by: opening, at: now)
            return .waits(replacing: former.waiter)
        }
        if let ended = ended[signal] {
            guard ended.waiting.isSameOwner(as: opening) else { return .taken(by: ended.waiting.owner.text) }
            return .decided(ended.decision)
        }
        let early = early[signal]
        if early.isEmpty { return wait(signal, opening, at: now) }
        let opened = open(signal, opening, with: early.filter { $0.until > now }, under: policy, at: now)
        if case .full = opened { return opened }
        self.early[signal] = []
        return opened
    }

    /// Opens a signal, and applies its early decisions in the order in which they came: as the decision, or as votes.
    private mutating func open(
        _ signal: Name,
        _ opening: SignalWait,
        with early: [EarlyDecision],
        under policy: AccessPolicy,
        at now: Moment
    ) -> Opening {
        var opening = opening
        var used: [EarlyDecision] = []
        var unused: [Unused] = []
        for (place, decision) in early.enumerated() {
            if let why = opening.flaw(of: decision, on: signal, under: policy) {
                unused.append(Unused(early: decision, why: why))
                continue
            }
            if opening.terms.rule.isQuorum {
                let count = opening.count(decision.vote, on: signal, under: policy)
                guard count.isDecisive || waiting.haveRoom(forVotes: opening.votesSize + decision.vote.size) else {
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
            let outcome = end(signal, EndedSignal(decision.vote, opening), at: now)
            return .decided(outcome, using: used, dropping: unused)
        }
        return wait(signal, opening, using: used, dropping: unused, at: now)
    }

    private mutating func wait(
        _ signal: Name,
        _ opening: SignalWait,
        using used: [EarlyDecision] = [],
        dropping unused: [Unused] = [],
        at now: Moment
    ) -> Opening {
        if waiting.areFull { return .full }
        var opening = opening
        opening.terms.schedule(opened: opening.opened, at: now)
        waiting[signal] = opening
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
        let signal = decision.signal
        if let wait = waiting[signal] {
            if let why = wait.objection(to: principal, under: policy) { return .ruled(.forbidden(why: why)) }
            guard wait.kind.takes(decision.outcome) else { return .refused(Errors.notRejectable(signal)) }
            if wait.kind == .gate {
                let terms = wait.terms
                if terms.rule.isQuorum || !terms.votes.isEmpty { return cast(vote, on: signal, wait, policy, now) }
                if let error = terms.rule.flaw(of: decision.outcome) { return .refused(error) }
            }
            let outcome = end(signal, EndedSignal(vote, wait), at: now)
            return .ruled(.delivered, resuming: (wait.waiter, wait.owner, outcome))
        }
        if let ended = ended[signal] {
            if let why = ended.waiting.objection(to: principal, under: policy) { return .ruled(.forbidden(why: why)) }
            return .ruled(ended.verdict(on: vote))
        }
        return keep(decision, vote, beside: early[signal].filter { $0.until > now }, at: now)
    }

    /// Counts a vote on a gate, and decides the gate if it now has enough votes.
    private mutating func cast(
        _ vote: Vote,
        on signal: Name,
        _ wait: SignalWait,
        _ policy: AccessPolicy,
        _ now: Moment
    ) -> Reply {
        var counted = wait
        if let own = wait.vote(of: vote.principal), own.via != nil, wait.flaw(of: own, on: signal, under: policy) != nil
        {
            // The old vote, which another principal sent for the voter, no longer counts; it must not keep the voter from
            // voting.
            counted.terms.votes.removeAll { $0.principal == own.principal }
        }
        if let own = counted.vote(of: vote.principal) {
            guard own.outcome.isSame(as: vote.outcome) else { return .ruled(.conflict(own.standing)) }
            return recount(own, as: vote, on: signal, counted, policy, now)
        }
        if let error = wait.terms.rule.flaw(of: vote.outcome) { return .refused(error) }
        let count = counted.count(vote, on: signal, under: policy)
        counted.terms.votes = count.votes
        if count.isDecisive {
            let outcome = end(signal, EndedSignal(vote, counted), at: now)
            return .ruled(.delivered, uncounted: count.uncounted, resuming: (wait.waiter, wait.owner, outcome))
        }
        guard waiting.haveRoom(forVotes: counted.votesSize - wait.votesSize) else {
            return .refused(Errors.tooManyVotes(sizeInBytes: limits.votesSizeInBytes))
        }
        waiting[signal] = counted
        return .ruled(.counted(have: count.have, need: count.need), uncounted: count.uncounted)
    }

    /// Counts a gate's votes again, because `vote` repeats the vote `own` of its principal.
    ///
    /// The policy or the gate's rule may have changed since the last vote. If the votes are enough now, the gate is
    /// decided; otherwise the repeated vote is a duplicate.
    private mutating func recount(
        _ own: Vote,
        as vote: Vote,
        on signal: Name,
        _ wait: SignalWait,
        _ policy: AccessPolicy,
        _ now: Moment
    ) -> Reply {
        var recounted = wait
        recounted.terms.votes.removeAll { $0.principal == own.principal }
        let count = recounted.count(own, on: signal, under: policy)
        guard count.isDecisive else { return .ruled(.duplicate) }
        recounted.terms.votes = count.votes
        let outcome = end(signal, EndedSignal(vote, recounted), at: now)
        return .ruled(.delivered, uncounted: count.uncounted, resuming: (wait.waiter, wait.owner, outcome))
    }

    /// Keeps a decision on a signal that nobody waits for yet; at most one decision of each principal.
    private mutating func keep(
        _ decision: Decision,
        _ vote: Vote,
        beside others: [EarlyDecision],
        at now: Moment
    ) -> Reply {
        var others = others
        if let place = others.firstIndex(where: { $0.principal == vote.principal }) {
            let own = others[place]
            guard own.outcome.isSame(as: decision.outcome) else { return .ruled(.conflict(own.vote.standing)) }
            // A sender that now asks the worker to keep its decision wants that a gate can use the decision, too.
            let isNews = !own.isAsked && decision.keep.map { $0 > .zero } ?? false
            guard isNews else { return .ruled(.duplicate) }
            others.remove(at: place)
        }
        if let why = whyUnkept(decision) { return .ruled(.unknown(why: why)) }
        let keep = decision.keep ?? WireLimits.defaultKeep
        let kept = EarlyDecision(vote: vote, until: now.advanced(by: keep), isAsked: decision.keep != nil)
        if early.keep(kept, on: decision.signal, beside: others) { return .ruled(.buffered(for: keep)) }
        return .refused(
            early.areMost(of: vote.principal)
                ? Errors.tooManyEarly(of: vote.principal, most: limits.earlyDecisionsPerPrincipal)
                : Errors.tooManyEarly(most: limits.earlyDecisions, sizeInBytes: limits.earlyDecisionsSizeInBytes)
        )
    }

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
        if let wait = waiting[signal] {
            guard wait.vote(of: principal) != nil else { return .nothing }
            waiting[signal]?.terms.votes.removeAll { $0.principal == principal }
            return .withdrawn
        }
        if let ended = ended[signal] {
            return ended.isDecided && ended.waiting.objection(to: principal, under: policy) == nil ? .decided : .nothing
        }
        guard early[signal].contains(where: { $0.principal == principal && $0.until > now }) else { return .nothing }
        early[signal].removeAll { $0.principal == principal }
        return .withdrawn
    }

    /// Lets the principals of the rule's escalation decide from now on, if the gate has waited long enough.
    ///
    /// - Returns: Whether the gate has escalated now; false before its time, if it escalated before, or if this waiter
    ///   no longer waits for it.
    mutating func escalate(_ signal: Name, _ waiter: WaiterID, at now: Moment) -> Bool {
        guard var wait = waiting[signal, waiter], wait.terms.escalate(at: now) else { return false }
        waiting[signal] = wait
        return true
    }

    /// Sets the next reminder of a gate.
    ///
    /// - Returns: The moment of the reminder after this one; nil if it is not time for a reminder, or if `waiter` no
    ///   longer waits.
    mutating func remind(_ signal: Name, _ waiter: WaiterID, at now: Moment) -> Moment? {
        guard var wait = waiting[signal, waiter], let next = wait.terms.remind(at: now) else { return nil }
        waiting[signal] = wait
        return next
    }

    /// Replaces the rule of an open gate, and the set of principals that may not decide it.
    mutating func renew(_ signal: Name, _ rule: GateRule, barring barred: Set<String>, at now: Moment) {
        guard var wait = waiting[signal] else { return }
        wait.terms.renew(rule, opened: wait.opened, at: now)
        wait.terms.barred = barred
        waiting[signal] = wait
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
        guard let wait = waiting[signal, waiter] else { return nil }
        end(signal, EndedSignal(undecided: decision, wait), at: now)
        return wait.owner
    }

    /// Moves a signal to those that have ended.
    ///
    /// - Returns: The decision that its waiter gets.
    @discardableResult
    private mutating func end(_ signal: Name, _ ended: EndedSignal, at now: Moment) -> GateDecision {
        waiting[signal] = nil
        self.ended.add(signal, ended, at: now)
        return ended.decision
    }

    /// Reduces the decisions of ended runs to digests, because nobody opens their signals again.
    mutating func digest(where isOver: (Name) -> Bool) { ended.digest(where: isOver) }

    /// Reduces the decisions of an ended run to digests, because nobody opens its signals again.
    mutating func digest(of run: Name) { ended.digest(of: run) }

    /// Forgets the expired early decisions on a signal.
    mutating func dropEarly(_ signal: Name, at now: Moment) { early[signal].removeAll { $0.until <= now } }

    /// Forgets expired ended signals, except those of unfinished runs, which may open them again.
    ///
    /// - Returns: The forgotten signals.
    mutating func forget(at now: Moment, isUnfinished: (Name) -> Bool = { _ in false }) -> [Name] {
        ended.forget(at: now, isUnfinished: isUnfinished)
    }

    /// The wait for a signal, open or over; nil if nobody has waited for it.
    func wait(for signal: Name) -> SignalWait? { waiting[signal] ?? ended[signal]?.waiting }

    /// The owner of a signal that waits or has ended.
    func owner(of signal: Name) -> SignalOwner? { wait(for: signal)?.owner }

    /// How long an ended signal keeps its id at least; nil for a signal that has not ended.
    func timeUntilFree(_ signal: Name, at now: Moment) -> Duration? {
        ended.expiry(of: signal).map { $0 < now ? .zero : $0.since(now) }
    }

    /// How the signal of `owner` ended; nil if it has not ended, or belongs to another owner.
    func decision(on signal: Name, for owner: SignalOwner) -> GateDecision? {
        ended[signal].flatMap { $0.waiting.owner == owner ? $0.decision : nil }
    }

    /// The principals that decided a gate of an unfinished run; empty if nobody has decided the gate.
    ///
    /// The gate is found by its owner, because a changed definition may give it another id.
    func deciders(for action: String, of run: Name) -> Set<String> {
        let owner = SignalOwner.action(run, action)
        return ended.signals(of: run).reduce(into: []) { deciders, signal in
            guard let ended = ended[signal], ended.waiting.owner == owner else { return }
            deciders.formUnion(ended.deciders)
        }
    }
}

// Signals of an earlier worker.
extension Signals {
    /// Restores signals of an earlier worker; new waiters get the decisions on those that still wait.
    mutating func restore(_ records: [SignalRecord], at now: Moment) {
        for record in records { restore(record, at: now) }
        ended.restored()
    }

    private mutating func restore(_ record: SignalRecord, at now: Moment) {
        let signal = record.signal
        switch record.state {
        case .waiting(let wait, let deadline):
            var wait = SignalWait(wait, waiting.mintWaiter(), deadline: deadline.map { now.at(unix: $0) })
            wait.terms.schedule(opened: wait.opened, at: now)
            waiting[signal] = wait
            if let run = wait.owner.run { waiting.orphan(signal, of: run) }
        case .settled(let wait, let ending, let until):
            let settled = EndedSignal(ending, SignalWait(wait, waiting.mintWaiter(), deadline: nil))
            ended.restore(signal, settled, until: min(now.at(unix: until), now.advanced(by: ended.retention)))
        case .early(let records): early[signal] = records.map { EarlyDecision($0, at: now) }
        }
    }

    /// Limits the wait of a signal that a process announced to an earlier worker, and nobody has announced again.
    ///
    /// The signal then waits at most for the retention; otherwise it could wait for ever.
    ///
    /// - Returns: Whether the limit is new, and the store must keep it.
    mutating func limitAbandoned(_ signal: Name, at now: Moment) -> Bool {
        guard let wait = waiting[signal], wait.isAbandoned else { return false }
        let latest = now.advanced(by: ended.retention)
        // An earlier worker may have set a limit already; that limit is too late only if the clock was set back since.
        guard wait.deadline.map({ $0 > latest }) ?? true else { return false }
        waiting[signal]?.deadline = latest
        return true
    }

    /// Forgets an undecided signal that no process announced again.
    ///
    /// - Returns: Its former owner; nil for any other signal, or if this waiter no longer waits for the signal.
    mutating func forgetAbandoned(_ signal: Name, _ waiter: WaiterID) -> SignalOwner? {
        guard let wait = waiting[signal, waiter], wait.isAbandoned else { return nil }
        waiting[signal] = nil
        return wait.owner
    }

    /// Returns an id for a restored wait.
    mutating func mintWaiter() -> WaiterID { waiting.mintWaiter() }

    /// The signals that the run waited for in an earlier worker and has not opened again, with what waited for each.
    func orphans(of run: Name) -> [(signal: Name, owner: SignalOwner)] { waiting.orphans(of: run) }

    /// Forgets the signals that the run waited for in an earlier worker.
    mutating func forgetOrphans(of run: Name) { waiting.forgetOrphans(of: run) }
}
