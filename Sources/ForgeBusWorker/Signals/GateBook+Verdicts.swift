import ForgeBusProtocol
import ForgeBusStore

extension GateBook.Early {
    /// The decision as the verdict `conflict` shows it.
    var standing: Verdict.Standing {
        Verdict.Standing(decision: outcome.word, principal: principal, unixMilliseconds: unixMilliseconds)
    }
}

extension GateBook.Settled {
    private var owner: SignalOwner { waiting.owner }

    /// What a store keeps of it.
    var state: SignalRecord.State {
        if let standing {
            return .decided(owner: owner.label, outcome: standing.outcome, principal: standing.by.principal)
        }
        switch decision {
        case .expired: return .expired(owner: owner.label)
        case .closed(let why): return .closed(owner: owner.label, why: why)
        case .approved, .rejected: fatalError("A decided signal without its decision.")
        }
    }

    /// What a decision that comes too late is told.
    func verdict(on outcome: Decision.Outcome) -> Verdict {
        if let standing { return standing.outcome == outcome ? .duplicate : .conflict(standing.by) }
        switch decision {
        case .expired: return .expired
        case .closed(let why): return .closed(why: why)
        case .approved, .rejected: fatalError("A decided signal without its decision.")
        }
    }
}

extension SignalKind {
    /// Whether a signal of this kind can be decided so.
    func takes(_ outcome: Decision.Outcome) -> Bool {
        switch (self, outcome) {
        case (.gate, _), (.signal, .approved): true
        case (.signal, .rejected): false
        }
    }
}

extension GateDecision {
    /// The decision as its waiter gets it; the codec has proven the value to be JSON.
    init(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            self = .approved(value.isEmpty ? .null : (try? JSONValue(parsing: value[...])) ?? .null)
        case .rejected(let reason): self = .rejected(reason: reason)
        }
    }
}

extension Decision.Outcome {
    /// How much room its value or reason takes.
    var sizeInBytes: Int {
        switch self {
        case .approved(let value): value.count
        case .rejected(let reason): reason.utf8.count
        }
    }
}
