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
            if let crashes = harness.core.runs[run]?.course.crashes, crashes != known.crashes {
                violate("\(run) counts \(crashes) crashes, not \(known.crashes)")
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
        if !resumption.isOver, let answer = resumption.answer { checkGate(of: run, known, answer, harness) }
    }

    /// An action executes: its attempts are numbered upwards, whatever of it earlier workers have kept.
    mutating func executed(_ action: String, of run: Name, attempt number: Int) {
        let highest = attempts[run]?[action] ?? 0
        if number <= highest { violate("\(run) executes \(action) as attempt \(number) after \(highest)") }
        attempts[run, default: [:]][action] = number
    }

    private mutating func checkGate(
        of run: Name,
        _ known: Left,
        _ answer: RunStart.Answer,
        _ harness: CoreHarness
    ) {
        let outcome = answer.outcome
        guard let gate = known.gate else {
            let standing = standing(at: answer.action, of: run, harness)
            switch outcome {
            // A gate that was opened before is not asked again whether it is needed.
            case .proceed: return standing == nil ? () : violate("\(run) passes by what stands at \(answer.action)")
            case .decided(let decision) where standing?.isEnd(decision) == true: return saw("gate after a restart")
            // One that died on its way from a decided gate goes on with what was decided.
            case .decided where known.progress.state == .executing: return
            case .decided, .registered, .refused, .failed, .requested, .ended:
                return violate("\(run) goes on with \(outcome), and waited for no gate")
            }
        }
        saw("gate after a restart")
        guard case .decided(let decision) = outcome, harness.state(of: gate)?.isEnd(decision) == true else {
            return violate("\(run) goes on with \(outcome as Any), which does not stand at \(gate)")
        }
    }

    /// How the gate ended that is this action of the run; nil where it is none, or was not opened, or waits.
    func standing(at action: String, of run: Name, _ harness: CoreHarness) -> SignalRecord.State? {
        guard let known = harness.core.runs[run], let signal = harness.core.runs.gateSignal(of: known, at: action),
            let state = harness.state(of: signal), case .settled(let wait, _, _) = state,
            wait.owner == .action(run, action)
        else { return nil }
        return state
    }
}
