import ForgeBusProtocol

/// The wait for a signal.
struct SignalWait: Sendable {
    /// A gate's terms, in memory of their own, so that the waits for up to a million plain signals stay small.
    private indirect enum Kept {
        case gate(GateTerms)
    }

    let owner: SignalOwner
    let kind: SignalKind
    let waiter: WaiterID
    private var kept: Kept?
    /// When the signal first opened, in milliseconds since 1970; the table sets it.
    var opened: Int64
    /// When the wait expires, or is forgotten because nobody announced the signal again; nil for never.
    var deadline: Moment?
    /// Whether the wait began in an earlier worker, and its owner has not opened the signal again.
    var isOrphaned = false

    init(
        owner: SignalOwner,
        kind: SignalKind,
        waiter: WaiterID,
        terms: GateTerms = GateTerms(),
        opened: Int64 = 0,
        deadline: Moment? = nil,
        isOrphaned: Bool = false
    ) {
        self.owner = owner
        self.kind = kind
        self.waiter = waiter
        kept = kind == .gate ? .gate(terms) : nil
        self.opened = opened
        self.deadline = deadline
        self.isOrphaned = isOrphaned
    }

    /// The terms of a gate; a plain signal always has the terms of a gate that everybody may decide.
    var terms: GateTerms {
        get { if case .gate(let terms) = kept { terms } else { GateTerms() } }
        set { if kind == .gate { kept = .gate(newValue) } }
    }

    /// Whether a process announced the signal; the process gets the completion without its value.
    var isAnnounced: Bool { kind == .signal && owner.run == nil }

    /// Whether a process announced the signal to an earlier worker, and no process has announced it again.
    var isAbandoned: Bool { isOrphaned && isAnnounced }

    /// Whether `opening` has the owner that waits, or waited, for the signal.
    ///
    /// After a restart, any process may announce again a signal that a process had announced; no run may open it.
    func isSameOwner(as opening: SignalWait) -> Bool {
        if owner == opening.owner { return true }
        guard isOrphaned, case .process = owner, case .process = opening.owner else { return false }
        return kind == .signal && opening.kind == .signal
    }

    /// The wait of the same owner that takes this one's place: the signal stays open since when it was, and keeps its votes.
    func replaced(by opening: SignalWait, at now: Moment) -> SignalWait {
        var next = opening
        next.opened = opened
        var terms = self.terms
        terms.renew(opening.terms.rule, opened: opened, at: now)
        let own = opening.terms
        (terms.requester, terms.causers, terms.barred) = (own.requester, own.causers, own.barred)
        terms.message = own.message
        next.terms = terms
        // A gate's deadline counts from its first opening, also if that was in an earlier worker.
        if isOrphaned, kind == .gate, opening.kind == .gate { next.deadline = deadline }
        return next
    }

    /// The vote of a principal on the gate; nil if it has none.
    func vote(of principal: String) -> Vote? { terms.votes.first { $0.principal == principal } }

    /// Why the gate's rule does not let `principal` decide; nil if it does, and for a plain signal.
    func objection(to principal: String, under policy: AccessPolicy) -> String? {
        if case .gate(let terms) = kept { terms.objection(to: principal, under: policy) } else { nil }
    }

    /// Why `signal` cannot use an early decision; nil if it can.
    func flaw(of early: EarlyDecision, on signal: Name, under policy: AccessPolicy) -> String? {
        guard kind.takes(early.outcome) else { return "A plain signal cannot be rejected." }
        guard kind == .gate || early.vote.via != nil else { return nil }
        guard kind == .gate else { return flaw(ofRightsOf: early.vote, on: signal, under: policy) }
        // An old approval must not decide the gate of the next run.
        guard early.isAsked else { return "A gate uses only early decisions that the worker was asked to keep." }
        return flaw(of: early.vote, on: signal, under: policy)
    }

    /// Why a vote on `signal` does not count; nil if it does.
    func flaw(of vote: Vote, on signal: Name, under policy: AccessPolicy) -> String? {
        flaw(ofRightsOf: vote, on: signal, under: policy) ?? objection(to: vote.principal, under: policy)
            ?? terms.rule.flaw(of: vote.outcome)?.message
    }

    /// Why the voter, or the principal that sent the vote for it, may not complete the signal; nil if both may.
    private func flaw(ofRightsOf vote: Vote, on signal: Name, under policy: AccessPolicy) -> String? {
        guard policy.mayComplete(vote.principal, signal) else { return Errors.mayNoLongerComplete(vote.principal) }
        if let via = vote.via, !policy.mayComplete(vote.principal, via: via, signal) {
            return Errors.mayNoLongerComplete(via, for: vote.principal)
        }
        return nil
    }

    /// Counts the votes of the gate together with a new vote.
    func count(_ vote: Vote, on signal: Name, under policy: AccessPolicy) -> VoteCount {
        VoteCount(terms.votes + [vote], under: terms.rule) { flaw(of: $0, on: signal, under: policy) == nil }
    }

    /// What a principal can do about the waiting gate.
    func ability(of principal: String, on signal: Name, under policy: AccessPolicy) -> GateAbility {
        if terms.votes.contains(where: { $0.principal == principal }) { return .voted }
        let may = policy.mayComplete(principal, signal) && objection(to: principal, under: policy) == nil
        return may ? .mayDecide : .mayNot
    }

    /// How many bytes the gate's votes take.
    var votesSize: Int { if case .gate(let terms) = kept { terms.votes.reduce(0) { $0 + $1.size } } else { 0 } }
}
