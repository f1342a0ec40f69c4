import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// A principal votes once, nobody else's vote is touched, and only votes of those who may decide end a gate.
extension BusRules {
    /// More principals may decide a gate once it has waited long enough.
    mutating func checkEscalation(_ record: SignalRecord, _ harness: CoreHarness) {
        guard case .waiting(let wait, _) = record.state, wait.isEscalated,
            signals[record.signal]?.wait?.isEscalated != true
        else { return }
        saw("escalated")
        let waited = harness.now.unixMilliseconds - wait.opened
        // A time that is told from another moment may be a millisecond off.
        if let escalation = wait.rule.escalation, .milliseconds(waited) >= escalation.after - .milliseconds(1) {
            return
        }
        violate("\(record.signal) escalated after \(waited) ms")
    }

    mutating func checkVotes(_ record: SignalRecord) {
        guard let wait = record.state.wait else { return }
        let (before, votes) = (signals[record.signal], wait.votes)
        if Set(votes.map(\.principal)).count != votes.count { violate("\(record.signal) counts somebody twice") }
        let known = before?.wait?.votes ?? []
        for vote in votes where !known.contains(vote) && !isEarly(vote, before) {
            if voter.map({ ($0.principal, $0.via) == (vote.principal, vote.via) && $0.outcome == vote.outcome }) != true
            {
                violate("\(record.signal) has a vote that \(vote.principal) did not cast")
            }
        }
        if case .decided(let outcome, let principal, _, _) = record.state.ending {
            checkDecided(record.signal, wait, outcome, by: principal)
        } else if record.state.isOver || !wait.isGate {
            // A plain signal has no votes; its owner may have opened it as a gate before.
            return
        }
        for vote in known where !votes.contains(vote) {
            if counts(vote, on: record.signal) {
                let isOwn = withdrawnFrom != nil && withdrawer == vote.principal
                if !isOwn { violate("\(record.signal) has lost the vote of \(vote.principal)") }
            } else {
                saw("vote not counted")
            }
        }
    }

    private mutating func checkDecided(
        _ signal: Name,
        _ wait: SignalRecord.Wait,
        _ outcome: Decision.Outcome,
        by principal: String
    ) {
        let rule = guards[signal]?.rule ?? .anybody
        let need = outcome.kind == .approved ? rule.approvals : rule.rejections
        if wait.votes.isEmpty {
            if need > 1 { violate("\(signal) is decided by one, and needs \(need)") }
            return
        }
        saw("decided by votes")
        if wait.votes.count(where: { $0.outcome.kind == outcome.kind }) < need {
            violate("\(signal) is decided by too few")
        }
        if wait.votes.last?.principal != principal || wait.votes.last?.outcome != outcome {
            violate("\(signal) is decided by \(principal), whose vote was not the last")
        }
        for vote in wait.votes where vote.outcome.kind == outcome.kind && !counts(vote, on: signal) {
            violate("\(signal) counts the vote of \(vote.principal), who may not decide it")
        }
    }

    /// Whether the vote's principal may decide the signal now.
    func counts(_ vote: SignalRecord.Vote, on signal: Name) -> Bool {
        regime.completes(vote.principal) && !isGuarded(signal, from: vote.principal)
    }

    /// Whether the vote came before the gate.
    private func isEarly(_ vote: SignalRecord.Vote, _ before: SignalRecord.State?) -> Bool {
        guard case .early(let early) = before else { return false }
        return early.contains {
            $0.principal == vote.principal && $0.outcome == vote.outcome && $0.unixMilliseconds == vote.unixMilliseconds
        }
    }
}
