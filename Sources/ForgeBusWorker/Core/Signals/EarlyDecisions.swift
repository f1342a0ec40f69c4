import ForgeBusProtocol

/// A decision that came before anything waited for its signal.
struct EarlyDecision {
    let vote: Vote
    /// When the decision expires.
    let until: Moment
    /// Whether the sender asked the worker to keep the decision; otherwise only a plain signal uses it.
    let isAsked: Bool

    var outcome: Decision.Outcome { vote.outcome }
    var principal: String { vote.principal }
}

/// The early decisions, by signal; it counts them and their bytes against the worker's limits.
struct EarlyDecisions {
    private var decisions = LargeTable<Name, [EarlyDecision]>()
    private let limits: WorkerLimits
    private var count = 0
    private var size = 0
    private var counts: [String: Int] = [:]

    init(_ limits: WorkerLimits) { self.limits = limits }

    /// The signals with early decisions, in no order.
    var signals: some Sequence<Name> { decisions.lazy.map(\.key) }

    /// The early decisions on a signal, in the order in which they came; empty if there are none.
    ///
    /// Setting them replaces the former ones.
    subscript(signal: Name) -> [EarlyDecision] {
        get { decisions[signal] ?? [] }
        set {
            for former in decisions.exchange(newValue.isEmpty ? nil : newValue, under: signal) ?? [] {
                count(former, by: -1)
            }
            for decision in newValue { count(decision, by: 1) }
        }
    }

    private mutating func count(_ decision: EarlyDecision, by number: Int) {
        count += number
        size += number * decision.vote.size
        counts[decision.principal, default: 0] += number
        if counts[decision.principal] == 0 { counts[decision.principal] = nil }
    }

    /// Adds a decision to those on its signal, if the limits allow one more.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - signal: The signal.
    ///   - others: The other decisions on the signal that are kept.
    /// - Returns: Whether it is kept; otherwise nothing has changed.
    mutating func keep(_ decision: EarlyDecision, on signal: Name, beside others: [EarlyDecision]) -> Bool {
        let former = self[signal]
        self[signal] = others
        guard counts[decision.principal, default: 0] < limits.earlyDecisionsPerPrincipal,
            count < limits.earlyDecisions, size + decision.vote.size <= limits.earlyDecisionsSizeInBytes
        else {
            self[signal] = former
            return false
        }
        self[signal].append(decision)
        return true
    }

    /// Whether the principal has reached its own limit.
    func areMost(of principal: String) -> Bool {
        counts[principal, default: 0] >= limits.earlyDecisionsPerPrincipal
    }
}
