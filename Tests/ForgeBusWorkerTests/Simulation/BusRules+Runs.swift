import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A run ends once, as what ended it first, and when its time is over.
extension BusRules {
    mutating func taken(_ request: RunRequest, _ answer: Answer.Content?, at now: Moment) {
        guard case .accepted(let acceptance) = answer, let run = acceptance.run else { return }
        latest[run] = request.deadline.map { now.advanced(by: $0) }
    }

    /// An action of a run failed; while the run is parked for that, its deadline stands still.
    mutating func paused(_ pause: RunPause, at now: Moment) {
        owners[pause.waiter] = pause.run
        guard case .redrive = pause.kind else { return }
        parked.insert(pause.run)
        if let moment = latest.removeValue(forKey: pause.run) { remaining[pause.run] = moment.since(now) }
    }

    /// Somebody redrives a run: its deadline runs on.
    mutating func redriven(_ run: RunID, at now: Moment) {
        if isDraining { violate("\(run) was redriven by a worker that stops") }
        parked.remove(run)
        if let rest = remaining.removeValue(forKey: run) { latest[run] = now.advanced(by: rest) }
    }

    /// A run's task is cancelled, once; but what is lost may be on its way to another end.
    mutating func cancelled(_ run: RunID, because event: Event, at now: Moment) {
        if case .tick = event, parked.contains(run) { violate("\(run) is parked, and its deadline passed") }
        guard let state = event.end else { return violate("\(run) is cancelled by \(event.line)") }
        if stopping[run] != nil, state != .lost { violate("\(run) is cancelled again by \(event.line)") }
        stopping[run] = state
        patience[run] = now.advanced(by: BusSetting.cancelGrace)
    }

    /// What cancelled a run first is what it ends as.
    mutating func checkEnd(of result: RunResult) {
        if let state = stopping[result.run] {
            if result.state != state { violate("\(result.run) is \(result.state), and was to be \(state)") }
            return
        }
        guard started.contains(result.run) else { return }
        switch result.state {
        case .completed, .failed: break
        case .cancelled, .timedOut, .lost: violate("\(result.run) is \(result.state), and nothing cancelled it")
        }
    }

    /// Whoever waits is told that its run ends after the run's task was, or it would begin something on the strength of it.
    mutating func checkOrder(_ waiter: WaiterID, _ core: WorkerCore) {
        guard let run = owners[waiter], core.runs[run]?.isStopping == true, stopping[run] == nil else { return }
        violate("\(waiter.number) is resumed before \(run) is cancelled")
    }

    /// The deadlines that have passed have been met.
    mutating func checkDeadlines(_ core: WorkerCore, at now: Moment) {
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
        case .transition, .runEnded, .opened, .paused, .abandoned, .withdrawn, .cycleEnded: nil
        case .told, .disconnected, .probed: nil
        case .standingChanged, .published, .publicationsMayBeLost, .accessReplaced, .ready, .drain: nil
        }
    }
}
