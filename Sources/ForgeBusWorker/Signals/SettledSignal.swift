import ForgeBusProtocol
import ForgeBusStore

extension GateBook {
    /// A signal whose wait is over.
    struct Settled {
        private enum Ending {
            /// A principal decided the signal, and sent this.
            case decided(Sent, by: Verdict.Standing)
            case expired
            case closed(why: String)
        }

        /// The sent value or reason, byte for byte.
        fileprivate enum Sent {
            case whole(Decision.Outcome)
            /// Enough to recognise the same decision.
            case digest(Fingerprint)
        }

        private var ending: Ending
        /// The wait, with its rule, without its deadline.
        let waiting: Waiting

        /// A decided signal.
        init(_ outcome: Decision.Outcome, by standing: Verdict.Standing, _ waiting: Waiting) {
            ending = .decided(.whole(outcome), by: standing)
            self.waiting = waiting.withoutDeadline
        }

        /// A signal that ended undecided.
        init(undecided: GateDecision, _ waiting: Waiting) {
            switch undecided {
            case .expired: ending = .expired
            case .closed(let why): ending = .closed(why: why)
            case .approved, .rejected: fatalError("A signal with a decision must not end undecided.")
            }
            self.waiting = waiting.withoutDeadline
        }
    }

    /// The state of a signal.
    enum State: Equatable {
        case waiting(owner: String)
        /// The signal is decided: `approved` or `rejected`.
        case decided(String, by: String, owner: String)
        case expired(owner: String)
        case closed(owner: String, why: String)
        /// Decisions came before anybody waited.
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
    /// A decision that is no larger than a digest is kept whole.
    private static let digestSizeInBytes = 32

    private var owner: String { waiting.owner.label }

    /// How many sent bytes are kept beyond the size of a digest.
    var size: Int {
        guard case .decided(.whole(let outcome), _) = ending else { return 0 }
        return outcome.sizeInBytes > Self.digestSizeInBytes ? outcome.sizeInBytes : 0
    }

    /// What was decided and when, for a reader; nil if nobody decided.
    ///
    /// A value or reason of more than 4,096 bytes is left out.
    var shown: JSONObject? {
        guard case .decided(let sent, let standing) = ending else { return nil }
        var shown: JSONObject = ["decided_at_ms": .integer(standing.unixMilliseconds)]
        guard case .whole(let outcome) = sent, outcome.sizeInBytes <= 4_096 else { return shown }
        switch GateDecision(outcome) {
        case .approved(let value): if value != .null { shown["value"] = value }
        case .rejected(let reason): if !reason.isEmpty { shown["reason"] = .string(reason) }
        case .expired, .closed: break
        }
        return shown
    }

    /// Whether a principal approved or rejected the signal.
    var isDecided: Bool { if case .decided = ending { true } else { false } }

    /// Keeps only a digest of the sent bytes.
    mutating func digest() {
        guard size > 0, case .decided(.whole(let outcome), let standing) = ending else { return }
        ending = .decided(.digest(Fingerprint(of: outcome)), by: standing)
    }

    /// The decision that the owner gets when it opens the signal again; `closed` if only a digest is kept.
    var decision: GateDecision {
        switch ending {
        case .decided where waiting.isAnnounced: .approved(.null)
        case .decided(.whole(let outcome), _): GateDecision(outcome)
        case .decided(.digest, let standing):
            .closed(why: "The signal was \(standing.decision) before, but its value or reason is no longer kept.")
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// The signal's state.
    var state: GateBook.State {
        switch ending {
        case .decided(_, let standing): .decided(standing.decision.rawValue, by: standing.principal, owner: owner)
        case .expired: .expired(owner: owner)
        case .closed(let why): .closed(owner: owner, why: why)
        }
    }

    /// The ending for the signal's record; nil if only a digest is kept, because the store has the whole decision.
    var record: SignalRecord.Ending? {
        switch ending {
        case .decided(.whole(let outcome), let standing):
            .decided(outcome, by: standing.principal, unixMilliseconds: standing.unixMilliseconds)
        case .decided(.digest, _): nil
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// The verdict on a decision that came too late.
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
