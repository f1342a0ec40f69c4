import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A run ends once, as what ended it first, and when its time is over.
extension BusRules {
    mutating func taken(_ request: RunRequest, _ answer: Answer.Content?, _ harness: CoreHarness) {
        guard case .accepted(let acceptance) = answer, let run = acceptance.run?.knownName else { return }
        latest[run] = request.deadline.map { harness.now.advanced(by: $0) }
        checkRefusal(of: request, nil, run, harness.core)
    }

    /// A run has no task any more; while it is parked its deadline stands still.
    mutating func rested(_ rest: RunRest, _ harness: CoreHarness) {
        // Of a run that has ended nothing is heard any more.
        guard let record = harness.record(of: rest.run), record.end == nil else { return }
        if resting[rest.run] != nil { violate("\(rest.run) rests twice") }
        resting[rest.run] = rest.waiter
        owners[rest.waiter] = rest.run
        waits(rest.waiter, for: rest.kind.signal)
        switch rest.kind {
        case .gate(let signal, let rule, let deadline, _):
            let owner = SignalOwner.action(rest.run, rest.action)
            let waiting = SignalWait(owner: owner, kind: .gate, waiter: rest.waiter, rule: rule)
            opening = SignalOpening(signal: signal, waiting: waiting, deadline: deadline)
        case .request: break
        case .failed:
            guard expected[rest.run] == .park else { return }
            parked.insert(rest.run)
            if let moment = latest.removeValue(forKey: rest.run) { remaining[rest.run] = moment.since(harness.now) }
        }
    }

    /// A run is taken up: at its beginning once, and where it rested once for each rest.
    mutating func begun(_ start: RunStart, _ harness: CoreHarness) {
        let run = start.run
        if harness.record(of: run).map({ $0.end == nil }) != true { violate("\(run) starts, and no store keeps it") }
        if let known = left.removeValue(forKey: run) { return takenUp(start, known, harness) }
        guard let resumption = start.resumption else {
            if !started.insert(run).inserted { violate("\(run) started twice") }
            return
        }
        saw(resumption.isOver ? "went on, over" : "went on")
        guard let waiter = resting.removeValue(forKey: run), let answer = resumption.answer else {
            return violate("\(run) goes on, and did not rest")
        }
        let outcome = answer.outcome
        checkPolicy(of: run, outcome, isOver: resumption.isOver)
        if resumption.isOver != (stopping[run] != nil) { violate("\(run) goes on, and stops: \(resumption.isOver)") }
        if case .decided(.closed) = outcome { checkOrder(waiter, harness.core) }
        if case .registered = outcome { violate("\(run) goes on to wait") }
        guard waits[waiter] == .some(nil), !resumption.isOver else { return resumed(waiter, outcome, harness) }
        // It rested because an action failed; where that is a gate it had opened, what stands there counts.
        let standing = standing(at: answer.action, of: run, harness)
        switch outcome {
        case .proceed where standing != nil: violate("\(run) passes by what stands at \(answer.action)")
        case .decided(let decision) where standing?.isEnd(decision) == true:
            (waits[waiter], decided[waiter]) = (nil, nil)
        case .proceed, .decided, .refused, .registered, .failed, .requested, .ended: resumed(waiter, outcome, harness)
        }
    }

    /// What failed for good goes on with its failure, and nothing else does.
    private mutating func checkPolicy(of run: Name, _ outcome: WaitOutcome, isOver: Bool) {
        let followed = expected.removeValue(forKey: run)
        if isOver { return }
        var isFinal = false
        if case .failed = outcome { isFinal = true }
        if isFinal != (followed == .proceed) { violate("\(run) goes on with \(outcome), not as \(followed as Any)") }
    }

    /// A run that rests is over, and nobody goes on with it.
    mutating func dropped(_ run: Name, _ harness: CoreHarness) {
        saw("rest dropped")
        if left.removeValue(forKey: run) != nil { return }
        guard let waiter = resting.removeValue(forKey: run) else { return violate("\(run) does not rest") }
        (waits[waiter], decided[waiter]) = (nil, nil)
        if harness.record(of: run)?.end == nil { violate("\(run) is dropped, and not over") }
    }

    /// Somebody redrives a run: its deadline runs on.
    mutating func redriven(_ run: Name, at now: Moment) {
        if isDraining { violate("\(run) was redriven by a worker that stops") }
        parked.remove(run)
        left[run]?.isParked = false
        left[run]?.crashes = 0
        if let rest = remaining.removeValue(forKey: run) { latest[run] = now.advanced(by: rest) }
    }

    /// Many runs were changed at once: as many as their sender expected, each once, and only those it may change.
    mutating func steered(
        _ request: SteeringRequest,
        _ report: StateReport,
        _ received: Received,
        _ consequences: Consequences,
        _ harness: CoreHarness
    ) {
        let isRedrive = request.change == .redrive
        let word = isRedrive ? "redriven" : "cancelled"
        let runs = consequences.changes.compactMap { change -> Name? in
            guard case .append(let entry) = change, entry.event == word, entry.request == received.request.id else {
                return nil
            }
            return entry.run
        }
        if runs.count != request.count || Set(runs).count != runs.count
            || report.details["count"] != .integer(Int64(runs.count))
        {
            violate("\(received.request.id) expects \(request.count) runs, and changed \(runs)")
        }
        if !runs.isEmpty { saw(isRedrive ? "redriven many" : "cancelled many") }
        if runs.count > 1 { saw("many are several") }
        for run in runs {
            guard let record = harness.record(of: run) else { continue }
            let owner = record.request.principal
            let own = received.principal.name
            if own == "eve" || own == "carl", owner != own { violate("\(own) changes \(run), which is \(owner)'s") }
            if record.pipeline != request.filter.pipeline { violate("\(run) is of \(record.pipeline)") }
            guard isRedrive else { continue }
            if !parked.contains(run) { violate("\(run) is redriven, and was not parked") }
            redriven(run, at: harness.now)
        }
    }

    /// A run's task is cancelled, once; but what is lost may be on its way to another end.
    mutating func cancelled(_ run: Name, because event: Event, _ harness: CoreHarness) {
        let now = harness.now
        let isLost = isDraining && harness.record(of: run)?.end?.result.state == .lost
        if isLost { givenUp(run, harness) }
        if case .tick = event, !isLost, !keys.superseded.contains(run), parked.contains(run) {
            violate("\(run) is parked, and its deadline passed")
        }
        let isSuperseded = keys.superseded.contains(run) && stopping[run] == nil
        guard let state = isLost ? .lost : isSuperseded ? .cancelled : event.end else {
            return violate("\(run) is cancelled by \(event.line)")
        }
        // The task of one that was to end already is cancelled once more when its worker waits no longer.
        if stopping[run] != nil, state == .lost { return }
        if stopping[run] != nil { violate("\(run) is cancelled again by \(event.line)") }
        stopping[run] = state
        patience[run] = now.advanced(by: BusSetting.cancelGrace)
    }

    /// A worker that stops waits for what executes, and in memory not for what only waits.
    private mutating func givenUp(_ run: Name, _ harness: CoreHarness) {
        if isDrainTimeOver { return }
        saw("given up")
        // What waits for a decision goes on with a slot only, which a paused pipeline does not give.
        let isPaused = harness.record(of: run).map { pauses[PauseSubject(.pipeline, $0.pipeline)] != nil } == true
        let isHeld = isPaused && owners.contains { $0.value == run && waits[$0.key] != nil }
        let isAtRest = isHeld || resting[run] != nil || left[run] != nil || !started.contains(run)
        if !isAtRest || harness.core.isDurable { violate("\(run) could go on, and is given up") }
    }

    /// What cancelled a run first is what it ends as.
    mutating func checkEnd(of result: RunResult) {
        if let state = stopping[result.run.knownName] {
            if result.state != state { violate("\(result.run) is \(result.state), and was to be \(state)") }
            return
        }
        guard started.contains(result.run.knownName) else { return }
        switch result.state {
        case .completed, .failed: break
        case .cancelled, .timedOut, .lost: violate("\(result.run) is \(result.state), and nothing cancelled it")
        }
    }

    /// Whoever waits is told that its run ends after the run's task was, or it would begin something on the strength of it.
    mutating func checkOrder(_ waiter: WaiterID, _ core: WorkerState) {
        guard let run = owners[waiter], core.runs[run]?.isStopping == true, stopping[run] == nil else { return }
        violate("\(waiter.number) is resumed before \(run) is cancelled")
    }

    /// The deadlines that have passed have been met.
    mutating func checkDeadlines(_ core: WorkerState, at now: Moment) {
        for (run, moment) in latest where moment <= now {
            latest[run] = nil
            if let run = core.runs[run], !run.isStopping { violate("the deadline of \(run.id) passed, and it runs on") }
        }
        for (run, moment) in patience where moment <= now {
            patience[run] = nil
            if core.runs[run] != nil { violate("\(run) was cancelled long ago, and nobody asks for its action") }
        }
    }
}

extension Event {
    /// What a run ends as whose task is cancelled by this; nil if nothing is.
    fileprivate var end: RunResult.State? {
        switch self {
        case .received: .cancelled
        case .tick: .timedOut
        case .drainTimeEnded: .lost
        case .transition, .printed, .runEnded, .opened, .rested, .abandoned, .withdrawn, .cycleEnded, .runRequested:
            nil
        case .told, .disconnected, .replaced, .probed: nil
        case .standingChanged, .published, .publicationsMayBeLost, .accessReplaced, .performed, .lookedUp, .room,
            .ready, .drain:
            nil
        }
    }
}
