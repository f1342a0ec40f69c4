import ForgeBusProtocol

/// The data that only a gate has: its rule, its message, its votes, and the times of its escalation and reminders.
struct GateTerms: Sendable {
    var rule = GateRule.anybody
    /// The principal that requested the waiting run; nil outside runs.
    var requester: String?
    /// More principals that count as requesters, because they caused a run that the worker itself requested.
    var causers: Set<String> = []
    /// The text that the gate shows to those who decide; nil for no text.
    var message: String?
    /// The principals that may not decide this gate, because they decided a gate in the rule's `distinctFrom`.
    var barred: Set<String> = []
    /// Whether the gate has escalated: the principals of the rule's escalation may decide.
    var isEscalated = false
    /// The votes so far, one of each principal, in the order in which they came.
    var votes: [Vote] = []
    /// When the gate will escalate; nil if the rule has no escalation, or if the gate has escalated.
    ///
    /// Neither this moment nor ``reminds`` is stored: a new worker computes both.
    private(set) var escalates: Moment?
    /// When watchers are reminded next; nil for never.
    private(set) var reminds: Moment?

    /// Computes ``escalates`` and ``reminds`` after the gate opened or was restored; both count from its opening.
    mutating func schedule(opened: Int64, at now: Moment) {
        escalates = isEscalated ? nil : nextEscalation(opened, now)
        reminds = nextReminder(opened, now)
    }

    /// Replaces the rule; computes ``escalates`` or ``reminds`` again if the new rule has another time for it.
    mutating func renew(_ rule: GateRule, opened: Int64, at now: Moment) {
        let old = self.rule
        self.rule = rule
        if old.escalation?.after != rule.escalation?.after {
            isEscalated = false
            escalates = nextEscalation(opened, now)
        }
        if old.reminder != rule.reminder { reminds = nextReminder(opened, now) }
    }

    /// When the gate escalates; if the wall clock was set back, at the latest after the rule's whole time from now.
    private func nextEscalation(_ opened: Int64, _ now: Moment) -> Moment? {
        rule.escalation.map { now.at(unix: opened + $0.after.milliseconds, atMost: $0.after) }
    }

    private func nextReminder(_ opened: Int64, _ now: Moment) -> Moment? {
        rule.reminder.map { pause in
            let passed = max(0, now.unixMilliseconds - opened) / pause.milliseconds
            return now.at(unix: opened + (passed + 1) * pause.milliseconds, atMost: pause)
        }
    }

    /// Escalates the gate, if it has waited long enough: from now on, the principals that the rule's escalation names may
    /// decide it, too.
    ///
    /// - Returns: Whether the gate escalated now.
    mutating func escalate(at now: Moment) -> Bool {
        guard let moment = escalates, moment <= now else { return false }
        (isEscalated, escalates) = (true, nil)
        return true
    }

    /// Sets the next reminder, if it is time for one.
    ///
    /// - Returns: The moment of the reminder after this one; nil if it is not time for a reminder.
    mutating func remind(at now: Moment) -> Moment? {
        guard let moment = reminds, moment <= now, let pause = rule.reminder else { return nil }
        reminds = now.advanced(by: pause)
        return reminds
    }

    /// Why the gate's rule does not let `principal` decide; nil if it does.
    ///
    /// Grants are not checked here.
    ///
    /// - Parameters:
    ///   - principal: The sender of the decision.
    ///   - policy: The access policy in force, which has the members of groups.
    /// - Returns: The reason, one sentence.
    func objection(to principal: String, under policy: AccessPolicy) -> String? {
        if rule.needsIdentities, !policy.isKeyed { return Errors.gateNeedsKeys }
        if let allowed = rule.allowed, !allowed.include(principal, under: policy), !isEscalated(to: principal, policy) {
            if let escalation = rule.escalation, !isEscalated, escalation.allowed.include(principal, under: policy) {
                return Errors.notYetEscalated(principal, after: escalation.after)
            }
            return Errors.notAllowed(principal)
        }
        if !rule.requesterMayDecide, principal == requester || causers.contains(principal) {
            return Errors.isRequester(principal, isCauser: principal != requester)
        }
        if barred.contains(principal) { return Errors.decidedEarlier(principal) }
        return nil
    }

    private func isEscalated(to principal: String, _ policy: AccessPolicy) -> Bool {
        isEscalated && rule.escalation?.allowed.include(principal, under: policy) == true
    }
}

extension Set<GateRule.Decider> {
    fileprivate func include(_ principal: String, under policy: AccessPolicy) -> Bool {
        contains(.principal(principal))
            || contains { if case .group(let name) = $0 { policy.group(name).contains(principal) } else { false } }
    }
}

/// A decision on a signal, with its sender and time; on a gate that needs several decisions, it is a vote.
struct Vote: Sendable {
    let outcome: Decision.Outcome
    let principal: String
    /// The principal that sent the vote for ``principal``; nil if the principal sent it itself.
    let via: String?
    let unixMilliseconds: Int64

    /// The vote as the verdict `conflict` shows it.
    var standing: Verdict.Standing {
        Verdict.Standing(decision: outcome.kind, principal: principal, via: via, unixMilliseconds: unixMilliseconds)
    }

    /// About how many bytes the vote takes.
    var size: Int { outcome.sizeInBytes + 64 }
}

/// The count of a gate's votes, including a new vote.
struct VoteCount {
    /// How many valid votes are of the last vote's kind, and how many of that kind the gate needs.
    let have, need: Int
    /// The votes to keep, the last one included.
    let votes: [Vote]
    /// The votes that were removed because they no longer count.
    let uncounted: [Vote]

    var isDecisive: Bool { have >= need }

    /// Counts `votes`; the last one is new.
    ///
    /// A vote may no longer count, for instance because its principal lost the right. Such votes stay until the votes
    /// of the new vote's kind, valid or not, reach the needed number; then the invalid votes of this kind are removed.
    /// So a principal that loses its right for a while keeps its vote. A change of groups, grants or the rule alone
    /// decides no gate, because votes are counted only when a vote comes.
    init(_ votes: [Vote], under rule: GateRule, counts: (Vote) -> Bool) {
        let kind = votes.last?.outcome.kind
        let same = votes.filter { $0.outcome.kind == kind }
        let valid = same.filter(counts)
        need = kind.map(rule.need) ?? 0
        have = valid.count
        let isDue = same.count >= need
        uncounted = isDue ? same.filter { !counts($0) } : []
        self.votes = isDue ? votes.filter { $0.outcome.kind != kind || counts($0) } : votes
    }
}

extension GateDecision {
    /// The decision of a gate with these votes; the last vote decided the gate.
    init(_ votes: [Vote]) {
        guard let last = votes.last else { fatalError("Internal error: a decided gate has no vote.") }
        switch GateDecision(last.outcome) {
        case .approved:
            let approvals = votes.compactMap { vote -> JSONValue? in
                guard case .approved(let value) = GateDecision(vote.outcome) else { return nil }
                return .object(["by": .string(vote.principal), "value": value])
            }
            self = .approved(.object(["decision": "approved", "votes": .array(approvals)]))
        case .rejected, .expired, .closed:
            let reasons = votes.compactMap { vote in
                if case .rejected(let reason) = vote.outcome { (vote.principal, reason) } else { nil }
            }
            let isSole = reasons.count == 1
            let said = reasons.filter { !$0.1.isEmpty }.map { isSole ? $0.1 : "\($0.0): \($0.1)" }
            self = .rejected(reason: said.joined(separator: "; "))
        }
    }
}

extension GateAction {
    /// The principals of `policy` that may decide this gate in some run, at the latest after the escalation.
    func electorate(under policy: AccessPolicy) -> [String] {
        let terms = GateTerms(rule: rule, isEscalated: true)
        return policy.principalNames.filter { principal in
            terms.objection(to: principal, under: policy) == nil
                && policy.grants(of: AccessPolicy.Principal(principal))[.complete].allow.contains {
                    $0.overlaps(signal.pattern.text)
                }
        }
    }
}
