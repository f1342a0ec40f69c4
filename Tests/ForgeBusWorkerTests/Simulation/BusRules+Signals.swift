import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// A decision that stands never changes, its sender is told exactly what became of it, and no waiter is left alone.
extension BusRules {
    /// Somebody waits from now on: for a signal, or until it may try again.
    mutating func waits(_ waiter: WaiterID, for signal: Name?) { waits[waiter] = .some(signal) }

    /// The store is told of a signal.
    mutating func settled(_ record: SignalRecord, _ harness: CoreHarness) {
        if let known = signals[record.signal], known.isOver, known != record.state {
            violate("\(record.signal) was \(known), and is \(record.state)")
        }
        let isOpening = opening?.signal == record.signal && signals[record.signal]?.isOver != true
        if isOpening, let waiting = opening?.waiting {
            guards[record.signal] = (
                waiting.terms.rule, waiting.owner.run.flatMap { harness.record(of: $0)?.request.principal }
            )
        }
        if !isOpening { checkRule(record) }
        checkEscalation(record, harness)
        checkVotes(record)
        if case .decided(_, let principal, _, _) = record.state.ending, isGuarded(record.signal, from: principal) {
            violate("\(principal) decided \(record.signal), and may not")
        }
        checkEarly(record)
        signals[record.signal] = record.state
        // Nobody tells a run that rests that its gate is registered.
        if case .waiting = record.state, let waiting = opening?.waiting, opening?.signal == record.signal,
            waiting.owner.run.flatMap({ resting[$0] }) == waiting.waiter
        {
            self.waiting[record.signal] = waiting.waiter
        }
        guard record.state.isOver, let waiter = waiting.removeValue(forKey: record.signal) else { return }
        decided[waiter] = record.state
    }

    /// A gate that waits takes the rule of its pipeline, when a worker takes it over or its run is redriven, and no other.
    private mutating func checkRule(_ record: SignalRecord) {
        guard case .waiting(let before, _) = signals[record.signal], case .waiting(let wait, _) = record.state,
            before.rule != wait.rule
        else { return }
        saw("took the new rule")
        if wait.rule != .anybody { violate("\(record.signal) took a rule of no pipeline") }
        guards[record.signal] = (.anybody, wait.requester)
    }

    /// An early decision decides only what opens after it, and a gate only if its sender asked for that.
    private mutating func checkEarly(_ record: SignalRecord) {
        guard case .early(let early) = signals[record.signal], let wait = record.state.wait else { return }
        for vote in wait.votes {
            saw("voted early")
            let kept = early.first { $0.principal == vote.principal && $0.outcome == vote.outcome }
            if kept?.isAsked != true { violate("\(record.signal) counts an early vote that nobody asked to keep") }
        }
        guard wait.votes.isEmpty, let ending = record.state.ending else { return }
        saw("decided early")
        guard case .decided(let outcome, let principal, _, _) = ending,
            let used = early.first(where: { $0.principal == principal && $0.outcome == outcome })
        else { return violate("\(record.signal) was decided early by nobody") }
        if wait.isGate, !used.isAsked { violate("\(record.signal) used a decision that nobody asked to keep") }
    }

    /// Whether only a gate can use the decision: it rejects, or the signal's id matches a gate's template.
    private func isForGate(_ decision: Decision) -> Bool {
        decision.outcome.kind == .rejected || expectsGates || decision.signal == "g0" || decision.signal == "g1"
    }

    /// A sender took its decision back: it is gone if it was there, and nothing else is.
    mutating func withdrew(
        _ request: WithdrawRequest,
        _ report: StateReport,
        _ received: Received,
        _ harness: CoreHarness
    ) {
        let own = received.principal.name
        let (before, after) = (withdrawnFrom, harness.state(of: request.signal))
        let (early, left) = (before?.undecided ?? [], after?.undecided ?? [])
        if report.state == .withdrawn, case .waiting = before { saw("withdrew a vote") }
        let isRight =
            switch report.state {
            case .withdrawn: early.contains(own) && left == early.filter { $0 != own }
            case .nothing: before == after
            case .decided: before == after && before?.isOver == true
            default: false
            }
        if !isRight { violate("\(report.state) of \(request.signal), which was \(early), and is \(left)") }
    }

    /// The store forgets a signal: what stands has stood long enough, or nobody has come back to wait.
    mutating func forget(_ signal: Name, _ harness: CoreHarness) {
        if let state = signals[signal], case .waiting(_, let deadline) = state {
            saw("announced no more")
            let patience = abandoned[signal].map { harness.now.since($0) } ?? .zero
            let isOver = patience >= harness.core.configuration.signalRetention
            if !state.isAnnounced || deadline == nil || !isOver { violate("\(signal) is forgotten, and was awaited") }
        }
        (signals[signal], guards[signal]) = (nil, nil)
    }

    /// Whether somebody may not decide a signal by the rule it was opened with.
    func isGuarded(_ signal: Name, from principal: String) -> Bool {
        guard let (rule, requester) = guards[signal] else { return false }
        if !rule.requesterMayDecide, requester == principal { return true }
        guard var allowed = rule.allowed else { return false }
        if signals[signal]?.wait?.isEscalated == true { allowed.formUnion(rule.escalation?.allowed ?? []) }
        return !allowed.contains { decider in
            switch decider {
            case .principal(let name): name == principal
            case .group(let group): regime.members(of: group).contains(principal)
            }
        }
    }

    mutating func resumed(_ waiter: WaiterID, _ outcome: WaitOutcome, _ harness: CoreHarness) {
        // Whoever waited went with an earlier worker.
        if waiter.number > .max / 2 { return saw("nobody resumed") }
        guard let signal = waits[waiter] else { return violate("waiter \(waiter.number) resumed twice") }
        if case .registered = outcome {
            // The end of a run that is superseded as it begins to wait closes its signal in the same step.
            if owners[waiter].map(keys.superseded.contains) == true { return }
            guard let signal, case .waiting = signals[signal] else { return violate("registered, and kept nowhere") }
            waiting[signal] = waiter
            return
        }
        waits[waiter] = nil
        let known = decided.removeValue(forKey: waiter)
        switch outcome {
        case .registered: break
        case .proceed:
            saw("wait proceeds")
            if signal != nil { violate("waiter \(waiter.number) proceeds, and waits for a signal") }
        case .refused(let error): saw("wait refused, \(error.code)")
        case .requested, .ended: violate("waiter \(waiter.number) goes on with a run that nobody requested")
        case .failed:
            saw("went on with its failure")
            if signal != nil { violate("waiter \(waiter.number) failed, and waits for a signal") }
        case .decided(let decision):
            saw("wait \(decision.word)")
            // A wait may be closed without its signal: its run is over, or its owner opened it again.
            if case .closed = decision { return }
            guard let signal, let state = known ?? harness.state(of: signal), state.isEnd(decision) else {
                return violate("waiter \(waiter.number) got \(decision), which stands nowhere")
            }
        }
    }

    /// The verdict is what the store keeps of the signal from now on.
    mutating func ruled(_ report: VerdictReport, _ decision: Decision, _ received: Received, _ harness: CoreHarness) {
        saw("verdict \(report.verdict.word)")
        let (own, ownOutcome) = (received.principal.name, decision.outcome)
        let state = harness.state(of: decision.signal)
        var isRight: Bool
        switch (report.verdict, state) {
        case (.delivered, .settled(_, .decided(let outcome, let principal, _, _), _)):
            isRight = outcome == ownOutcome && principal == own
        case (.counted(let have, let need), .waiting(let wait, _)):
            let same = wait.votes.filter { $0.outcome.kind == ownOutcome.kind && counts($0, on: decision.signal) }
            let rule = guards[decision.signal]?.rule
            isRight =
                wait.votes.last.map { $0.principal == own && $0.outcome == ownOutcome } == true && have == same.count
                && have < need && need == (ownOutcome.kind == .approved ? rule?.approvals : rule?.rejections)
        case (.duplicate, .waiting(let wait, _)):
            isRight = wait.votes.contains { $0.principal == own && $0.outcome == ownOutcome }
        case (.conflict(let standing), .waiting(let wait, _)):
            isRight =
                standing.principal == own
                && wait.votes.contains { $0.principal == own && $0.outcome != ownOutcome }
        case (.duplicate, .settled(let wait, .decided(let outcome, _, _, _), _)) where !wait.votes.isEmpty:
            let vote = wait.votes.first { $0.principal == own && $0.outcome.kind == outcome.kind }
            isRight = outcome.kind == ownOutcome.kind && vote.map { $0.outcome == ownOutcome } ?? true
        case (.conflict(let standing), .settled(let wait, .decided(let outcome, let principal, _, _), _))
        where !wait.votes.isEmpty:
            let vote = wait.votes.first { $0.principal == own && $0.outcome.kind == outcome.kind }
            isRight =
                outcome.kind == standing.decision
                && (ownOutcome.kind == outcome.kind
                    ? vote.map { $0.outcome != ownOutcome } == true && standing.principal == own
                    : standing.principal == principal)
        case (.duplicate, .settled(_, .decided(let outcome, _, _, _), _)): isRight = outcome == ownOutcome
        case (.conflict(let standing), .settled(_, .decided(let outcome, let principal, _, _), _)):
            isRight = outcome != ownOutcome && standing.principal == principal && standing.decision == outcome.kind
        case (.buffered, .early(let early)):
            let kept = early.first { $0.principal == own && $0.outcome == ownOutcome }
            isRight = kept?.isAsked == (decision.keep != nil) && (decision.keep != nil || !isForGate(decision))
        case (.duplicate, .early(let early)):
            isRight = early.contains { $0.principal == own && $0.outcome == ownOutcome }
        case (.conflict(let standing), .early(let early)):
            isRight = standing.principal == own && !early.contains { $0.principal == own && $0.outcome == ownOutcome }
        case (.expired, .settled(_, .expired, _)), (.closed, .settled(_, .closed, _)), (.forbidden, .some):
            isRight = true
        // Decisions of others may be kept, or one of its own whose time is over.
        case (.unknown, nil), (.unknown, .early):
            isRight =
                decision.keep == .zero || decision.signal == "none.such"
                || decision.keep == nil && isForGate(decision)
        default: isRight = false
        }
        let isGuarded = isGuarded(decision.signal, from: received.principal.name)
        if case .forbidden = report.verdict { isRight = isRight && isGuarded } else if isGuarded { isRight = false }
        if !isRight { violate("\(report.verdict.word) about \(decision.signal), which is \(state as Any)") }
    }
}

extension SignalRecord.State {
    /// Who has decided early or voted, while nothing is decided.
    var undecided: [String] {
        switch self {
        case .waiting(let wait, _): wait.votes.map(\.principal)
        case .settled: []
        case .early(let early): early.map(\.principal)
        }
    }

    /// Whether nothing can happen to it any more.
    var isOver: Bool {
        switch self {
        case .waiting, .early: false
        case .settled: true
        }
    }

    /// Whether it waits for a process, and can only be completed.
    var isAnnounced: Bool { if case .waiting(let wait, _) = self { wait.isAnnounced } else { false } }

    /// The wait, open or over.
    var wait: SignalRecord.Wait? {
        switch self {
        case .waiting(let wait, _), .settled(let wait, _, _): wait
        case .early: nil
        }
    }

    /// How the wait ended; nil while it has not.
    var ending: SignalRecord.Ending? { if case .settled(_, let ending, _) = self { ending } else { nil } }

    /// Whether it says the same; a time that is told from another moment may be a millisecond off.
    func isSame(as other: SignalRecord.State) -> Bool {
        switch (self, other) {
        case (.waiting(let wait, let deadline), .waiting(let otherWait, let otherDeadline)):
            wait == otherWait && deadline.isClose(to: otherDeadline)
        case (.settled(let wait, let ending, _), .settled(let otherWait, let otherEnding, _)):
            wait == otherWait && ending == otherEnding
        case (.early(let early), .early(let others)):
            early.count == others.count
                && zip(early, others).allSatisfy { one, other in
                    one.principal == other.principal && one.outcome == other.outcome
                        && one.unixMilliseconds == other.unixMilliseconds && one.until.isClose(to: other.until)
                        && one.isAsked == other.isAsked
                }
        case (.waiting, _), (.settled, _), (.early, _): false
        }
    }

    /// Whether it ended so.
    func isEnd(_ decision: GateDecision) -> Bool {
        switch (ending, decision) {
        case (.decided(let outcome, _, _, _), .approved), (.decided(let outcome, _, _, _), .rejected):
            // A process hears that its signal is completed, whatever was sent.
            if wait?.isAnnounced == true { return decision == .approved(.null) }
            if let votes = wait?.votes, !votes.isEmpty { return decision.isOutcome(of: votes) }
            return GateDecision(outcome) == decision
        case (.expired, .expired), (.closed, .closed): return true
        default: return false
        }
    }
}

extension GateDecision {
    /// Whether a gate with these votes ends so: an approval names those who approved, in their order.
    fileprivate func isOutcome(of votes: [SignalRecord.Vote]) -> Bool {
        switch self {
        case .approved(let value):
            let voters = value.object?["votes"]?.array?.map { $0.object?["by"]?.string }
            return value.object?["decision"] == "approved"
                && voters == votes.filter { $0.outcome.kind == .approved }.map(\.principal)
        case .rejected: return votes.last?.outcome.kind == .rejected
        case .expired, .closed: return false
        }
    }
}

extension SignalRecord.Wait {
    fileprivate var isAnnounced: Bool { if case .process = owner { !isGate } else { false } }
}

extension Int64 {
    fileprivate func isClose(to other: Int64) -> Bool { abs(self - other) <= 1 }
}

extension Int64? {
    fileprivate func isClose(to other: Int64?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isClose(to: other)
    }
}
