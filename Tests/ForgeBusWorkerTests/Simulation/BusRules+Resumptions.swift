import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// What an earlier worker left goes on where it was.
extension BusRules {
    /// A run that an earlier worker left is taken up: behind its last completed action, with what its context held.
    mutating func takenUp(_ start: RunStart, _ known: Left, _ harness: CoreHarness) {
        let run = start.run
        if start.resumption?.isOver != true {
            if known.isParked { violate("\(run) goes on, and nobody redrove it") }
            let crashes = known.crashes + known.progress.interruptions
            if start.crashes != crashes {
                violate("\(run) counts \(start.crashes) crashes and interruptions, not \(crashes)")
            }
        }
        guard let resumption = start.resumption else {
            saw("began again")
            if known.isKnown { violate("\(run) begins again, and had come further") }
            if stopping[run] != nil { violate("\(run) begins again, and is to end") }
            started.insert(run)
            return
        }
        saw(resumption.isOver ? "over before it went on again" : "went on again")
        if resumption.isOver != (stopping[run] != nil) { violate("\(run) goes on, and stops: \(resumption.isOver)") }
        var results: [ActionID: ActionResult] = [:]
        for outcome in known.isKnown ? known.progress.actions : [] {
            results[ActionID(outcome.action)] = ActionResult(outcome.result)
        }
        let told = resumption.isOver ? resumption.results.filter { results[$0.key] != nil } : resumption.results
        if told != results { violate("\(run) goes on behind \(resumption.results.keys), and had done \(results.keys)") }
        if known.isKnown, resumption.restored != known.progress.values {
            violate("\(run) has lost what its context held")
        }
        if !resumption.isOver { checkGate(of: run, known, resumption.answer?.outcome, harness) }
    }

    private mutating func checkGate(of run: RunID, _ known: Left, _ outcome: WaitOutcome?, _ harness: CoreHarness) {
        guard let gate = known.gate else {
            if case .proceed = outcome { return }
            // One that died on its way from a decided gate goes on with what was decided.
            if case .decided = outcome, known.progress.standing == .executing { return }
            return violate("\(run) goes on with \(outcome as Any), and waited for no gate")
        }
        saw("gate after a restart")
        guard case .decided(let decision) = outcome, harness.state(of: gate)?.isEnd(decision) == true else {
            return violate("\(run) goes on with \(outcome as Any), which does not stand at \(gate)")
        }
    }
}
