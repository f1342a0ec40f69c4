import ForgeBusProtocol
import ForgeBusStore

/// Converts the gate book's waits to records and back.
extension SignalRecord.Wait {
    init(_ waiting: GateBook.Waiting) {
        let owner: SignalRecord.Owner =
            switch waiting.owner {
            case .action(let run, let action): .action(run, action)
            case .process(let name): .process(name)
            }
        self.init(
            owner: owner,
            isGate: waiting.kind == .gate,
            allowed: waiting.rule.allowed,
            requesterMayDecide: waiting.rule.requesterMayDecide,
            requester: waiting.requester,
            message: waiting.message,
            opened: waiting.opened
        )
    }
}

extension GateBook.Waiting {
    /// A wait restored from an earlier worker; `waiter` gets its end in this one.
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
            rule: GateRule(allowed: wait.allowed, requesterMayDecide: wait.requesterMayDecide),
            requester: wait.requester,
            message: wait.message,
            opened: wait.opened,
            deadline: deadline,
            isOrphaned: true
        )
    }
}

extension SignalRecord.Early {
    init(_ early: GateBook.Early, at now: Moment) {
        self.init(
            principal: early.principal,
            outcome: early.outcome,
            unixMilliseconds: early.unixMilliseconds,
            until: now.unix(of: early.until),
            isAsked: early.isAsked
        )
    }
}

extension GateBook.Early {
    init(_ early: SignalRecord.Early, at now: Moment) {
        self.init(
            outcome: early.outcome,
            principal: early.principal,
            unixMilliseconds: early.unixMilliseconds,
            until: now.at(unix: early.until),
            isAsked: early.isAsked
        )
    }
}

extension GateBook.Settled {
    /// A wait that ended in an earlier worker.
    init(_ ending: SignalRecord.Ending, _ waiting: GateBook.Waiting) {
        switch ending {
        case .decided(let outcome, let principal, let time):
            let standing = Verdict.Standing(decision: outcome.kind, principal: principal, unixMilliseconds: time)
            self.init(outcome, by: standing, waiting)
        case .expired: self.init(undecided: .expired, waiting)
        case .closed(let why): self.init(undecided: .closed(why: why), waiting)
        }
    }
}
