/// Counts the early decisions and their bytes, and decides whether the worker's limits allow one more.
///
/// An early decision is a decision on a signal that nothing waits for yet.
struct EarlyBounds {
    private let limits: WorkerLimits
    private var count = 0
    private var size = 0
    private var counts: [String: Int] = [:]

    init(_ limits: WorkerLimits) { self.limits = limits }

    func haveRoom(for early: Signals.Early) -> Bool {
        counts[early.principal, default: 0] < limits.earlyDecisionsPerPrincipal && count < limits.earlyDecisions
            && size + early.vote.size <= limits.earlyDecisionsSizeInBytes
    }

    /// Whether the principal has reached its own limit.
    func areReached(by principal: String) -> Bool {
        counts[principal, default: 0] >= limits.earlyDecisionsPerPrincipal
    }

    /// Counts one more decision.
    mutating func keep(_ early: Signals.Early) {
        count += 1
        size += early.vote.size
        counts[early.principal, default: 0] += 1
    }

    /// Removes forgotten decisions from the count.
    mutating func forget(_ early: [Signals.Early]) {
        for decision in early {
            count -= 1
            size -= decision.vote.size
            counts[decision.principal, default: 1] -= 1
            if counts[decision.principal] == 0 { counts[decision.principal] = nil }
        }
    }
}
