import ForgeBusProtocol

@testable import ForgeBusWorker

/// What must hold of a core whatever happens, written down as it happens.
struct CoreRules {
    private var emitted: [String] = []
    private var carriedOut = 0
    private var results: [RequestID: RunResult] = [:]
    private var verdicts: [RequestID: VerdictReport] = [:]
    private var runs: [RequestID: RunID] = [:]
    private var started: Set<RunID> = []
    /// What each wait is for, until it has ended.
    private var waits: [WaiterID: SignalID] = [:]
    private var decisions: [SignalID: GateDecision] = [:]
    private var standings: [SignalID: Verdict.Standing] = [:]
    private(set) var violations: [String] = []
    /// How often each thing of interest happened, so that a test can tell that schedules are worth something.
    private(set) var seen: [String: Int] = [:]

    mutating func violate(_ what: String) { violations.append(what) }

    mutating func opened(_ signal: SignalID, _ waiter: WaiterID) { waits[waiter] = signal }

    mutating func emitted(_ effects: [Effect]) { emitted += effects.map(\.line) }

    /// Effects leave in the order in which the core decided them.
    mutating func carriedOut(_ effect: Effect) {
        if carriedOut >= emitted.count || emitted[carriedOut] != effect.line { violate("out of order: \(effect.line)") }
        carriedOut += 1
        switch effect {
        case .answer(let answer, _): told(answer)
        case .start(let start): if !started.insert(start.run).inserted { violate("\(start.run) started twice") }
        case .resume(let waiter, let outcome): resumed(waiter, outcome)
        case .cancel, .abandon, .runCycle, .cancelCycle, .show, .audit, .drained: break
        }
    }

    private mutating func told(_ answer: Answer) {
        guard let id = answer.id else { return violate("an answer to nobody") }
        switch answer.content {
        case .accepted(let acceptance): if let run = acceptance.run { expect(run, to: id, in: \.runs) }
        case .result(let result):
            expect(result, to: id, in: \.results)
            if runs[id] != result.run { violate("a result before its acceptance") }
            count(result.state.rawValue)
        case .verdict(let report):
            expect(report, to: id, in: \.verdicts)
            if !answer.isReplayed { stands(report) }
            count(report.verdict.word)
        case .error(let error): count(error.details["limit"]?.string ?? error.code.rawValue)
        case .evaluated(let evaluation): count(evaluation.pending.isEmpty ? "evaluated" : "pending")
        case .progress, .page, .pong, .welcome, .ok, .shown, .event: break
        }
    }

    /// The first answer to a request is the only one.
    private mutating func expect<Value: Equatable>(
        _ value: Value,
        to id: RequestID,
        in told: WritableKeyPath<CoreRules, [RequestID: Value]>
    ) {
        if let first = self[keyPath: told][id], first != value { violate("\(id): first \(first), then \(value)") }
        self[keyPath: told][id] = value
    }

    /// A decision that stands never changes.
    private mutating func stands(_ report: VerdictReport) {
        guard case .conflict(let standing) = report.verdict else { return }
        // An early decision that was kept no longer stands no longer.
        guard let decision = decisions[report.signal] else { return }
        if let first = standings[report.signal], first != standing { violate("\(report.signal) changed: \(standing)") }
        standings[report.signal] = standing
        switch (decision, standing.decision) {
        case (.approved, "approved"), (.rejected, "rejected"): break
        default: violate("\(report.signal): \(standing.decision) stands, its waiter got \(decision)")
        }
    }

    private mutating func resumed(_ waiter: WaiterID, _ outcome: WaitOutcome) {
        guard let signal = waits[waiter] else { return violate("waiter \(waiter.number) resumed twice") }
        if case .registered = outcome { return }
        waits[waiter] = nil
        guard case .decided(let decision) = outcome else { return count("refused wait") }
        switch decision {
        // The wait ended, not the signal: its run is over, or its owner opened it again.
        case .closed: count("closed wait")
        case .approved, .rejected, .expired:
            if let first = decisions[signal], first != decision { violate("\(signal): \(first), then \(decision)") }
            decisions[signal] = decision
            count("decided wait")
        }
    }

    private mutating func count(_ what: String) { seen[what, default: 0] += 1 }
}

extension CoreRules {
    /// What holds between any two events.
    mutating func check(_ core: WorkerCore) {
        let limits = core.configuration.limits
        let held = core.queues.load(of: "p").held
        let slots = core.pipelines["p"]?.slots ?? 0
        let holders = core.runs.values.count { $0.holdsSlot }
        if held != holders { violate("\(held) slots held by \(holders) runs") }
        if held > slots { violate("\(held) of \(slots) slots held") }
        let queued = core.runs.values.count { if case .queued = $0.state { true } else { false } }
        if queued > limits.queuedRuns { violate("\(queued) runs queued") }
        if queued > 0, held < slots { violate("a run queues beside a free slot") }
        let active = core.runs.values.count { $0.isActive }
        if core.activeRuns.values.reduce(0, +) != active { violate("\(core.activeRuns) of \(active) active runs") }
        if core.gates.waiting.count != core.gates.waitingCount { violate("waiting signals miscounted") }
        if core.gates.waitingCount > limits.waitingSignals { violate("\(core.gates.waitingCount) signals wait") }
        if core.evaluations.count > limits.evaluations { violate("\(core.evaluations.count) evaluations owed") }
        let waiters = Set(core.runs.values.flatMap(\.waits.keys))
        if !waiters.isSuperset(of: core.decided.keys) { violate("a decision for nobody is kept") }
    }

    /// What holds when everything is over and all retentions have passed.
    mutating func checkEnd(_ core: WorkerCore, kept: Int) {
        if !core.runs.isEmpty { violate("\(core.runs.count) runs never ended") }
        if core.queues.load(of: "p").held != 0 { violate("a slot is held by nobody") }
        if !core.activeRuns.isEmpty { violate("active runs left: \(core.activeRuns)") }
        if !core.decided.isEmpty { violate("decisions left: \(core.decided.count)") }
        if core.gates.waitingCount != 0 { violate("a signal waits for ever") }
        if core.evaluations.count != 0 { violate("evaluations owed for ever") }
        if core.ledger.count != 0 || !core.ended.isEmpty { violate("requests kept for ever") }
        if kept != 0 { violate("\(kept) records kept for ever") }
        if core.nextDue != nil { violate("something is due for ever") }
        if !waits.isEmpty { violate("waiters never resumed: \(waits.keys.map(\.number).sorted())") }
        if carriedOut != emitted.count { violate("effects never carried out") }
        for (id, run) in runs where results[id] == nil { violate("\(run) has no result") }
    }
}
