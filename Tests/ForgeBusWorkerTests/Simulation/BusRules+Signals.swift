import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// A decision that stands never changes, its sender is told exactly what became of it, and no waiter is left alone.
extension BusRules {
    /// Somebody waits from now on: for a signal, or until it may try again.
    mutating func waits(_ waiter: WaiterID, for signal: SignalID?) { waits[waiter] = .some(signal) }

    /// The store is told of a signal.
    mutating func settled(_ record: SignalRecord, _ harness: CoreHarness) {
        if let known = signals[record.signal], known.isOver, known != record.state {
            violate("\(record.signal) was \(known), and is \(record.state)")
        }
        let isOpening = opening?.signal == record.signal && signals[record.signal]?.isOver != true
        if isOpening, let waiting = opening?.waiting {
            guards[record.signal] = (
                waiting.rule, waiting.owner.run.flatMap { harness.record(of: $0)?.request.principal }
            )
        }
        if case .decided(_, _, let principal) = record.state, isGuarded(record.signal, from: principal) {
            violate("\(principal) decided \(record.signal), and may not")
        }
        signals[record.signal] = record.state
        guard record.state.isOver, let waiter = waiting.removeValue(forKey: record.signal) else { return }
        decided[waiter] = record.state
    }

    /// Whether somebody may not decide a signal by the rule it was opened with.
    private func isGuarded(_ signal: SignalID, from principal: String) -> Bool {
        guard let (rule, requester) = guards[signal] else { return false }
        if let allowed = rule.allowed, !allowed.contains(principal) { return true }
        return !rule.requesterMayDecide && requester == principal
    }

    mutating func resumed(_ waiter: WaiterID, _ outcome: WaitOutcome, _ harness: CoreHarness) {
        guard let signal = waits[waiter] else { return violate("waiter \(waiter.number) resumed twice") }
        if case .registered = outcome {
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
        let own = SignalRecord.Early(principal: received.principal.name, outcome: decision.outcome)
        let state = harness.state(of: decision.signal)
        var isRight: Bool
        switch (report.verdict, state) {
        case (.delivered, .decided(_, let outcome, let principal)):
            isRight = outcome == own.outcome && principal == own.principal
        case (.duplicate, .decided(_, let outcome, _)): isRight = outcome == own.outcome
        case (.conflict(let standing), .decided(_, let outcome, let principal)):
            isRight = outcome != own.outcome && standing.principal == principal && standing.decision == outcome.word
        case (.buffered, .early(let early)), (.duplicate, .early(let early)): isRight = early.contains(own)
        case (.conflict(let standing), .early(let early)):
            isRight = standing.principal == own.principal && !early.contains(own)
        case (.expired, .expired), (.closed, .closed), (.forbidden, .some): isRight = true
        // Decisions of others may be kept, or one of its own whose time is over.
        case (.unknown, nil), (.unknown, .early): isRight = true
        default: isRight = false
        }
        let isGuarded = isGuarded(decision.signal, from: received.principal.name)
        if case .forbidden = report.verdict { isRight = isRight && isGuarded } else if isGuarded { isRight = false }
        if !isRight { violate("\(report.verdict.word) about \(decision.signal), which is \(state as Any)") }
    }
}

extension SignalRecord.State {
    /// Whether nothing can happen to it any more.
    var isOver: Bool {
        switch self {
        case .waiting, .early: false
        case .decided, .expired, .closed: true
        }
    }

    /// Whether it ended so.
    fileprivate func isEnd(_ decision: GateDecision) -> Bool {
        switch (self, decision) {
        case (.decided(_, let outcome, _), .approved), (.decided(_, let outcome, _), .rejected):
            GateDecision(outcome) == decision
        case (.expired, .expired), (.closed, .closed): true
        default: false
        }
    }
}
