import ForgeBusProtocol
import ForgeBusStore

/// Converts the waits for signals to records and back.
extension SignalRecord.Wait {
    init(_ waiting: SignalWait) {
        let owner: SignalRecord.Owner =
            switch waiting.owner {
            case .action(let run, let action): .action(run, action)
            case .process(let name): .process(name)
            }
        let terms = waiting.terms
        self.init(
            owner: owner,
            isGate: waiting.kind == .gate,
            rule: terms.rule,
            requester: terms.requester,
            causers: terms.causers,
            message: terms.message,
            opened: waiting.opened,
            barred: terms.barred,
            isEscalated: terms.isEscalated,
            votes: terms.votes.map { SignalRecord.Vote($0) }
        )
    }
}

extension SignalWait {
    /// Restores a wait of an earlier worker; in this worker, `waiter` gets the decision.
    init(_ wait: SignalRecord.Wait, _ waiter: WaiterID, deadline: Moment?) {
        let owner: SignalOwner =
            switch wait.owner {
            case .action(let run, let action): .action(run, action)
            case .process(let name): .process(name)
            }
        self.init(
            owner: owner,
            kind: wait.isGate ? .gate : .signal,
            waiter: waiter,
            terms: GateTerms(
                rule: wait.rule,
                requester: wait.requester,
                causers: wait.causers,
                message: wait.message,
                barred: wait.barred,
                isEscalated: wait.isEscalated,
                votes: wait.votes.map { Vote($0) }
            ),
            opened: wait.opened,
            deadline: deadline,
            isOrphaned: true
        )
    }
}

extension SignalRecord.Vote {
    init(_ vote: Vote) {
        self.init(
            principal: vote.principal,
            via: vote.via,
            outcome: vote.outcome,
            unixMilliseconds: vote.unixMilliseconds
        )
    }
}

extension Vote {
    init(_ vote: SignalRecord.Vote) {
        self.init(
            outcome: vote.outcome,
            principal: vote.principal,
            via: vote.via,
            unixMilliseconds: vote.unixMilliseconds
        )
    }
}

extension SignalRecord.Early {
    init(_ early: EarlyDecision, at now: Moment) {
        self.init(
            principal: early.principal,
            via: early.vote.via,
            outcome: early.outcome,
            unixMilliseconds: early.vote.unixMilliseconds,
            until: now.unix(of: early.until),
            isAsked: early.isAsked
        )
    }
}

extension EarlyDecision {
    init(_ early: SignalRecord.Early, at now: Moment) {
        let vote = Vote(
            outcome: early.outcome,
            principal: early.principal,
            via: early.via,
            unixMilliseconds: early.unixMilliseconds
        )
        self.init(vote: vote, until: now.at(unix: early.until), isAsked: early.isAsked)
    }
}

extension EndedSignal {
    /// A wait that ended in an earlier worker.
    init(_ ending: SignalRecord.Ending, _ waiting: SignalWait) {
        switch ending {
        case .decided(let outcome, let principal, let via, let time):
            self.init(Vote(outcome: outcome, principal: principal, via: via, unixMilliseconds: time), waiting)
        case .expired: self.init(undecided: .expired, waiting)
        case .closed(let why): self.init(undecided: .closed(why: why), waiting)
        }
    }
}
