import ForgeBusProtocol
import ForgeBusStore

/// Handles the runs that other runs request, and reports the events for which the worker requests runs.
extension WorkerState {
    /// Resumes the run whose action requested `inner`, or lets that run wait for the end of `inner`.
    mutating func grant(_ inner: Name, to request: RequestByRun) {
        let now = step.moment
        guard request.order.waits else {
            return resume(request, with: .requested(inner))
        }
        if let over = runs.ended[inner] { return resume(request, with: .ended(over.result)) }
        advance(request.outer) { $0.awaits(inner) }
        // The run `inner` is neither unfinished nor ended: the worker no longer keeps its result.
        if runs[inner] == nil {
            advance(request.outer) { $0.innerEnded(inner, .forgotten(inner), at: now) }
        }
    }

    /// Resumes the requesting run with the error for which its request was refused.
    ///
    /// If the worker is only busy, the action requests the run again after a pause.
    mutating func refused(_ error: BusError, to request: RequestByRun) {
        let now = step.moment
        guard error.code == .busy else { return resume(request, with: .refused(error)) }
        advance(request.outer) { $0.postponed(because: error.message, at: now) }
    }

    private mutating func resume(_ request: RequestByRun, with outcome: WaitOutcome) {
        let now = step.moment
        advance(request.outer) { $0.waitEnded(request.waiter, with: outcome, at: now) }
    }

    /// Resumes the run that waits for the end of `run`; one commit stores both the end and the resumption.
    mutating func resumeRequester(of run: RunMachine, _ result: RunResult) {
        guard case .action(let outer, _) = run.terms.origin?.cause else { return }
        let now = step.moment
        advance(outer) { $0.innerEnded(run.id, result, at: now) }
    }

    /// Stops the run `inner`, because the run `outer`, which requested `inner` and waits for it, ends.
    mutating func stop(_ inner: Name, requestedBy outer: Name) {
        let reason = Errors.cancelled("\(outer), which had requested this run, has ended.")
        stop(inner, as: .cancelled, reason: reason)
    }

    /// Resumes each restored run that waits for a run that has ended, and stops each run that an ended run waited for.
    ///
    /// If the requesting run does not wait for the end of the requested run, nothing changes. The core calls this method
    /// when all runs are restored.
    mutating func resumeRequesters() {
        let now = step.moment
        for run in runs.unfinished.filter({ $0.awaitedRun != nil }).sorted(by: { $0.id < $1.id }) {
            guard let inner = run.awaitedRun, runs[inner] == nil else { continue }
            let result = runs.ended[inner]?.result ?? .forgotten(inner)
            advance(run.id) { $0.innerEnded(inner, result, at: now) }
        }
        for (inner, outer) in abandoned { stop(inner, requestedBy: outer) }
    }

    /// The unfinished runs (`inner`) whose requesting run (`outer`) waited for them, but has ended.
    private var abandoned: [(inner: Name, outer: Name)] {
        runs.unfinished.compactMap { run in
            guard case .action(let outer, let action) = run.terms.origin?.cause, runs[outer] == nil,
                let over = runs.ended[outer],
                let request = runs.pipelines[over.pipeline]?.orchestrator.registered.first(where: {
                    $0.id.rawValue == action
                })
                    as? RequestAction, request.waits
            else { return nil }
            return (run.id, outer)
        }.sorted { $0.inner < $1.inner }
    }
}

// Events.
extension WorkerState {
    /// Reports an event of a gate at which a run waits.
    mutating func report(_ event: WorkerEvent, of run: RunMachine, at action: String, _ opening: SignalOpening) {
        report(event, of: run) {
            $0.action = action
            $0.gate = opening.signal
            $0.message = opening.waiting.terms.message ?? ""
        }
    }

    /// Reports that a gate of an unfinished run has expired; does nothing for any other signal.
    mutating func report(expired signal: Name, _ waiting: SignalWait) {
        guard waiting.kind == .gate, case .action(let id, let action) = waiting.owner, let run = runs[id] else {
            return
        }
        report(.expired, of: run) {
            $0.action = action
            $0.gate = signal
            $0.message = waiting.terms.message ?? ""
        }
    }

    /// Reports that a run is parked.
    mutating func report(parked run: RunMachine) {
        let reason = run.parkingReason ?? ""
        report(.parked, of: run) {
            $0.action = run.course.next ?? ""
            $0.reason = reason
        }
        if run.isForEvent { step.report(eventRun: run.id, of: run.pipeline, trouble: "parked: \(reason)") }
    }

    /// Reports that a run has failed.
    ///
    /// For a run that an event requested, also reports that it completed or was cancelled.
    mutating func report(_ run: RunMachine, _ result: RunResult) {
        if run.isForEvent, result.state.isTrouble || result.state == .completed {
            let trouble = result.state.isTrouble ? "\(result.state.rawValue): \(result.reason)" : nil
            step.report(eventRun: run.id, of: run.pipeline, trouble: trouble)
        }
        if run.isForEvent, result.state == .cancelled { step.report(cancelledEventRun: run.id, of: run.pipeline) }
        guard result.state.isTrouble else { return }
        report(.failed, of: run) {
            $0.action = result.actions.first { $0.failure != nil }?.action ?? ""
            $0.state = result.state.rawValue
            $0.reason = result.reason
            $0.place = result.actions.count
        }
    }

    /// Reports an event of a run, unless the run is quiet.
    ///
    /// A run that an event requested is quiet, and so are the runs that it requests: otherwise each report could cause
    /// a further report, without end.
    private mutating func report(_ event: WorkerEvent, of run: RunMachine, _ fill: (inout Occurrence) -> Void) {
        guard step.reportsEvents, run.terms.origin?.isQuiet != true else { return }
        var occurrence = Occurrence(event: event, pipeline: run.pipeline, run: run.id, requester: run.principal)
        occurrence.causers = run.requesters
        occurrence.place = run.course.actions.count
        fill(&occurrence)
        step.report(occurrence)
    }
}

extension Runs {
    /// The parked runs that events requested, each with the reason, in the order of their ids.
    var parkedForEvents: [(run: RunMachine, reason: String)] {
        unfinished.compactMap { run in
            guard run.isForEvent, let reason = run.parkingReason else { return nil }
            return (run, "parked: \(reason)")
        }.sorted { $0.run.id < $1.run.id }
    }
}

extension RunMachine {
    /// Whether an event requested the run.
    fileprivate var isForEvent: Bool { if case .event = terms.origin?.cause { true } else { false } }

    /// The principals that count as requesters; empty if the worker has no keys.
    fileprivate var requesters: Set<String> {
        let none: Set = [AccessPolicy.reservedName.text, AccessPolicy.workerName.text]
        return (terms.origin?.causers ?? []).union([principal]).subtracting(none)
    }
}

extension RunResult {
    /// The result of a run that is not kept any more.
    fileprivate static func forgotten(_ run: Name) -> RunResult {
        RunResult(
            run: RunID(run),
            state: .lost,
            reason: Errors.resultForgotten(run),
            actions: []
        )
    }
}
