import ForgeBusProtocol
import ForgeBusStore

extension GateBook {
    /// The wait is over.
    struct Settled {
        private enum Ending {
            /// Somebody sent this.
            case decided(Sent, by: Verdict.Standing)
            case expired
            case closed(why: String)
        }

        /// What was sent, byte for byte.
        fileprivate enum Sent {
            case whole(Decision.Outcome)
            /// Enough to tell the same from another.
            case digest(Fingerprint)
        }

        private var ending: Ending
        /// What the wait was, and with it who might decide; its deadline means nothing any more.
        let waiting: Waiting

        /// Somebody decided.
        init(_ outcome: Decision.Outcome, by standing: Verdict.Standing, _ waiting: Waiting) {
            ending = .decided(.whole(outcome), by: standing)
            self.waiting = waiting.withoutDeadline
        }

        /// Nobody did.
        init(undecided: GateDecision, _ waiting: Waiting) {
            switch undecided {
            case .expired: ending = .expired
            case .closed(let why): ending = .closed(why: why)
            case .approved, .rejected: fatalError("A decided signal without its decision.")
            }
            self.waiting = waiting.withoutDeadline
        }
    }

    /// How a signal stands.
    enum State: Equatable {
        case waiting(owner: String)
        /// It is decided: `approved` or `rejected`.
        case decided(String, by: String, owner: String)
        case expired(owner: String)
        case closed(owner: String, why: String)
        /// Decisions came before it.
        case early(by: [String])
    }
}

extension GateBook.Waiting {
    fileprivate var withoutDeadline: Self {
        var copy = self
        copy.deadline = nil
        return copy
    }
}

extension GateBook.Settled {
    /// What takes no more than a digest is kept as it is.
    private static let digestSizeInBytes = 32

    private var owner: String { waiting.owner.label }

    /// How many bytes of what was sent are kept beyond a digest's room.
    var size: Int {
        guard case .decided(.whole(let outcome), _) = ending else { return 0 }
        return outcome.sizeInBytes > Self.digestSizeInBytes ? outcome.sizeInBytes : 0
    }

    /// Keeps no more than a digest of what was sent.
    mutating func digest() {
        guard size > 0, case .decided(.whole(let outcome), let standing) = ending else { return }
        ending = .decided(.digest(Fingerprint(of: outcome)), by: standing)
    }

    /// What its owner is told who opens it again; of what is kept as a digest only, that it is closed.
    var decision: GateDecision {
        switch ending {
        case .decided where waiting.isAnnounced: .approved(.null)
        case .decided(.whole(let outcome), _): GateDecision(outcome)
        case .decided(.digest, let standing):
            .closed(why: "It was \(standing.decision) before, and what was sent is not kept any more.")
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// How it stands.
    var state: GateBook.State {
        switch ending {
        case .decided(_, let standing): .decided(standing.decision, by: standing.principal, owner: owner)
        case .expired: .expired(owner: owner)
        case .closed(let why): .closed(owner: owner, why: why)
        }
    }

    /// What a store is to keep of it; nil when what was sent is a digest, because the store has it whole.
    var record: SignalRecord.Ending? {
        switch ending {
        case .decided(.whole(let outcome), let standing):
            .decided(outcome, by: standing.principal, unixMilliseconds: standing.unixMilliseconds)
        case .decided(.digest, _): nil
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// What a decision that comes too late is told.
    func verdict(on outcome: Decision.Outcome) -> Verdict {
        switch ending {
        case .decided(let sent, let standing): sent.isSame(as: outcome) ? .duplicate : .conflict(standing)
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }
}

extension GateBook.Settled.Sent {
    fileprivate func isSame(as outcome: Decision.Outcome) -> Bool {
        switch self {
        case .whole(let own): own.isSame(as: outcome)
        case .digest(let digest): digest == Fingerprint(of: outcome)
        }
    }
}
