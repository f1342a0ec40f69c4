import ForgeBusProtocol
import ForgeBusStore

/// A signal whose wait is over.
struct EndedSignal {
    private enum Ending {
        /// The signal was decided with this value or reason; for a gate with votes, this is the last vote.
        case decided(Sent, by: Verdict.Standing)
        case expired
        case closed(why: String)
    }

    /// The value or reason that a principal sent, or its digest.
    fileprivate enum Sent {
        /// The sent bytes, unchanged.
        case whole(Decision.Outcome)
        /// A digest, which is enough to recognise the same decision.
        case digest(Fingerprint)
    }

    private var ending: Ending
    /// The votes at the end, in the order in which they came; empty for a gate that needs one decision.
    private var votes: [(sent: Sent, standing: Verdict.Standing)]
    /// The former wait, with its rule, but without its deadline and its votes.
    let waiting: SignalWait

    /// A decided signal.
    init(_ vote: Vote, _ waiting: SignalWait) {
        ending = .decided(.whole(vote.outcome), by: vote.standing)
        votes = waiting.kind == .gate ? waiting.terms.votes.map { (.whole($0.outcome), $0.standing) } : []
        self.waiting = waiting.withoutDeadline
    }

    /// A signal that ended undecided.
    init(undecided: GateDecision, _ waiting: SignalWait) {
        switch undecided {
        case .expired: ending = .expired
        case .closed(let why): ending = .closed(why: why)
        case .approved, .rejected: fatalError("Internal error: a signal with a decision must not end undecided.")
        }
        votes = []
        self.waiting = waiting.withoutDeadline
    }
}

extension Signals {
    /// The state of a signal.
    enum State: Equatable {
        case waiting(owner: String)
        /// The signal is decided.
        case decided(Decision.Kind, by: String, owner: String)
        case expired(owner: String)
        case closed(owner: String, why: String)
        /// Decisions came before anything waited for the signal; `by` lists their senders.
        case early(by: [String])
    }
}

extension SignalWait {
    fileprivate var withoutDeadline: Self {
        var copy = self
        copy.deadline = nil
        if kind == .gate { copy.terms.votes = [] }
        return copy
    }
}

extension EndedSignal {
    /// The size of a digest; a decision that is no larger is always kept whole.
    private static let digestSizeInBytes = 32

    private var owner: String { waiting.owner.label }

    /// How many bytes the whole decision or its votes take; 0 if they are no larger than a digest, or not kept whole.
    var size: Int {
        guard case .decided(.whole(let outcome), _) = ending else { return 0 }
        // The votes of a gate include the last vote, which decided it.
        let size = votes.isEmpty ? outcome.sizeInBytes : votes.reduce(0) { $0 + $1.sent.size }
        return size > Self.digestSizeInBytes ? size : 0
    }

    /// The decision and its time, as members of an item; nil if nobody decided.
    var shown: JSONObject? {
        guard case .decided(let sent, let standing) = ending else { return nil }
        var shown = EndedSignalItem()
        (shown.decidedUnixMilliseconds, shown.via) = (standing.unixMilliseconds, standing.via)
        if votes.isEmpty {
            shown.json.add(sent.whole?.shown)
        } else {
            shown.votes = votes.map { $0.standing.item($0.sent.whole) }
        }
        return shown.json
    }

    /// Whether a principal approved or rejected the signal.
    var isDecided: Bool { if case .decided = ending { true } else { false } }

    /// The principals that decided the signal: one alone, or all that voted for the outcome; empty if nobody decided.
    var deciders: Set<String> {
        guard case .decided(_, let standing) = ending else { return [] }
        let winners = votes.filter { $0.standing.decision == standing.decision }
        return Set(winners.map(\.standing.principal)).union([standing.principal])
    }

    /// Replaces the sent bytes by their digest, if they are larger than a digest.
    mutating func digest() {
        guard size > 0, case .decided(.whole(let outcome), let standing) = ending else { return }
        ending = .decided(.digest(Fingerprint(of: outcome)), by: standing)
        votes = votes.map { ($0.sent.digested, $0.standing) }
    }

    /// The votes at the end; nil if only digests are kept.
    private var wholeVotes: [Vote]? {
        let whole = votes.compactMap { vote in
            vote.sent.whole.map {
                Vote(
                    outcome: $0,
                    principal: vote.standing.principal,
                    via: vote.standing.via,
                    unixMilliseconds: vote.standing.unixMilliseconds
                )
            }
        }
        return whole.count == votes.count ? whole : nil
    }

    /// The decision that the owner gets when it opens the signal again.
    ///
    /// A process that announced the signal gets an approval without a value. Any other owner gets `closed` if only a
    /// digest of the decision is kept.
    var decision: GateDecision {
        switch ending {
        case .decided where waiting.isAnnounced: .approved(.null)
        case .decided(.whole(let outcome), _) where votes.isEmpty: GateDecision(outcome)
        case .decided(.whole, _): GateDecision(wholeVotes ?? [])
        case .decided(.digest, let standing):
            .closed(
                why: Errors.decisionNotWhole(
                    waiting.kind == .signal ? "completed" : "\(standing.decision)",
                    isOfRun: waiting.owner.run != nil
                )
            )
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// The signal's state.
    var state: Signals.State {
        switch ending {
        case .decided(_, let standing): .decided(standing.decision, by: standing.principal, owner: owner)
        case .expired: .expired(owner: owner)
        case .closed(let why): .closed(owner: owner, why: why)
        }
    }

    /// The former wait in the form of the signal's record, with the votes at the end of the wait.
    var waitRecord: SignalRecord.Wait {
        var wait = SignalRecord.Wait(waiting)
        wait.votes = (wholeVotes ?? []).map { SignalRecord.Vote($0) }
        return wait
    }

    /// The ending in the form of the signal's record; nil if only a digest is kept; the store then has the decision.
    var record: SignalRecord.Ending? {
        switch ending {
        case .decided(.whole(let outcome), let standing):
            .decided(
                outcome,
                by: standing.principal,
                via: standing.via,
                unixMilliseconds: standing.unixMilliseconds
            )
        case .decided(.digest, _): nil
        case .expired: .expired
        case .closed(let why): .closed(why: why)
        }
    }

    /// The verdict on a decision that came after the wait was over.
    ///
    /// If votes decided the gate, a late decision of the same kind is a `duplicate`, even with another value or reason.
    /// But a principal whose own vote counted gets `conflict` for another value or reason.
    func verdict(on late: Vote) -> Verdict {
        switch ending {
        case .decided(_, let standing) where !votes.isEmpty:
            guard standing.decision == late.outcome.kind else { return .conflict(standing) }
            let own = votes.first {
                $0.standing.principal == late.principal && $0.standing.decision == standing.decision
            }
            return own.map { $0.sent.isSame(as: late.outcome) ? .duplicate : .conflict($0.standing) } ?? .duplicate
        case .decided(let sent, let standing):
            return sent.isSame(as: late.outcome) ? .duplicate : .conflict(standing)
        case .expired: return .expired
        case .closed(let why): return .closed(why: why)
        }
    }
}

extension EndedSignal.Sent {
    /// The sent value or reason; nil if only a digest is kept.
    fileprivate var whole: Decision.Outcome? { if case .whole(let outcome) = self { outcome } else { nil } }

    fileprivate var size: Int { whole?.sizeInBytes ?? 0 }

    fileprivate var digested: Self {
        if case .whole(let outcome) = self { .digest(Fingerprint(of: outcome)) } else { self }
    }

    fileprivate func isSame(as outcome: Decision.Outcome) -> Bool {
        switch self {
        case .whole(let own): own.isSame(as: outcome)
        case .digest(let digest): digest == Fingerprint(of: outcome)
        }
    }
}
