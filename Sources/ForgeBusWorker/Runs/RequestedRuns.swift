import ForgeBusProtocol
import ForgeBusStore

/// Handles the runs that other runs request, and reports the events for which the worker requests runs.
extension RunBook {
    /// Resumes the run whose action requested `inner`, or lets that run wait for the end of `inner`.
    mutating func requested(
        _ inner: Name,
        by request: InnerRequest,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let now = out.moment
        guard request.order.waits else {
            return resume(request, with: .requested(inner), &signals, &out)
        }
        if let over = ended[inner] { return resume(request, with: .ended(over.result), &signals, &out) }
        step(request.outer, &signals, &out) { $0.awaits(inner) }
        // The run `inner` is neither unfinished nor ended: the worker no longer keeps its result.
        if self[inner] == nil {
            step(request.outer, &signals, &out) { $0.innerEnded(inner, .forgotten(inner), at: now) }
        }
        fillSlots(&signals, &out)
    }

    /// Resumes the requesting run with the error for which its request was refused.
    ///
    /// If the worker is only busy, the action requests the run again after a pause.
    mutating func refused(
        _ error: BusError,
        to request: InnerRequest,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let now = out.moment
        guard error.code == .busy else { return resume(request, with: .refused(error), &signals, &out) }
        step(request.outer, &signals, &out) { $0.postponed(because: error.message, at: now) }
        fillSlots(&signals, &out)
    }

    private mutating func resume(
        _ request: InnerRequest,
        with outcome: WaitOutcome,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let now = out.moment
        step(request.outer, &signals, &out) { $0.waitEnded(request.waiter, with: outcome, at: now) }
        fillSlots(&signals, &out)
    }

    /// Resumes the run that waits for the end of `run`; one commit stores both the end and the resumption.
    mutating func resumeRequester(
        of run: RunMachine,
        _ result: RunResult,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard case .action(let outer, _) = run.terms.origin?.cause else { return }
        let now = out.moment
        step(outer, &signals, &out) { $0.innerEnded(run.id, result, at: now) }
    }

    /// Stops the run `inner`, because the run `outer`, which requested `inner` and waits for it, ends.
    mutating func stop(_ inner: Name, requestedBy outer: Name, _ signals: inout SignalBook, _ out: inout Outbox) {
        let reason = Self.cancelled("\(outer), which had requested this run, has ended.")
        stop(inner, as: .cancelled, reason: reason, &signals, &out)
    }

    /// Resumes each restored run that waits for a run that has ended, and stops each run that an ended run waited for.
    ///
    /// If the requesting run does not wait for the end of the requested run, nothing changes. The core calls this method
    /// when all runs are restored.
    mutating func resumeRequesters(_ signals: inout SignalBook, _ out: inout Outbox) {
        let now = out.moment
        for run in unfinished.filter({ $0.awaitedRun != nil }).sorted(by: { $0.id < $1.id }) {
            guard let inner = run.awaitedRun, self[inner] == nil else { continue }
            let result = ended[inner]?.result ?? .forgotten(inner)
            step(run.id, &signals, &out) { $0.innerEnded(inner, result, at: now) }
        }
        for (inner, outer) in abandoned { stop(inner, requestedBy: outer, &signals, &out) }
    }

    /// The unfinished runs (`inner`) whose requesting run (`outer`) waited for them, but has ended.
    private var abandoned: [(inner: Name, outer: Name)] {
        unfinished.compactMap { run in
            guard case .action(let outer, let action) = run.terms.origin?.cause, self[outer] == nil,
                let over = ended[outer],
                let request = pipelines[over.pipeline]?.orchestrator.registered.first(where: {
                    $0.id.rawValue == action
                })
                    as? RequestAction, request.waits
            else { return nil }
            return (run.id, outer)
        }.sorted { $0.inner < $1.inner }
    }
}

// Events.
extension RunBook {
    /// Reports an event of a gate at which a run waits.
    func report(
        _ event: HookEvent,
        of run: RunMachine,
        at action: String,
        _ opening: SignalOpening,
        _ out: inout Outbox
    ) {
        report(event, of: run, &out) {
            $0.action = action
            $0.gate = opening.signal
            $0.message = opening.waiting.terms.message ?? ""
        }
    }

    /// Reports that a gate of an unfinished run has expired; does nothing for any other signal.
    func report(expired signal: Name, _ waiting: GateBook.Waiting, _ out: inout Outbox) {
        guard waiting.kind == .gate, case .action(let id, let action) = waiting.owner, let run = self[id] else {
            return
        }
        report(.expired, of: run, &out) {
            $0.action = action
            $0.gate = signal
            $0.message = waiting.terms.message ?? ""
        }
    }

    /// Reports that a run is parked.
    func report(parked run: RunMachine, _ out: inout Outbox) {
        let reason = run.parkingReason ?? ""
        report(.parked, of: run, &out) {
            $0.action = run.course.next ?? ""
            $0.reason = reason
        }
        if run.isForEvent { out.report(hook: run.id, of: run.pipeline, trouble: "parked: \(reason)") }
    }

    /// Reports that a run has failed.
    ///
    /// For a run that an event requested, also reports that it completed or was cancelled.
    func report(_ run: RunMachine, _ result: RunResult, _ out: inout Outbox) {
        if run.isForEvent, result.state.isTrouble || result.state == .completed {
            let trouble = result.state.isTrouble ? "\(result.state.rawValue): \(result.reason)" : nil
            out.report(hook: run.id, of: run.pipeline, trouble: trouble)
        }
        if run.isForEvent, result.state == .cancelled { out.report(cancelledHook: run.id, of: run.pipeline) }
        guard result.state.isTrouble else { return }
        report(.failed, of: run, &out) {
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
    private func report(
        _ event: HookEvent,
        of run: RunMachine,
        _ out: inout Outbox,
        _ fill: (inout Occurrence) -> Void
    ) {
        guard out.reportsEvents, run.terms.origin?.isQuiet != true else { return }
        var occurrence = Occurrence(event: event, pipeline: run.pipeline, run: run.id, requester: run.principal)
        occurrence.causers = run.requesters
        occurrence.place = run.course.actions.count
        fill(&occurrence)
        out.report(occurrence)
    }
}

extension RunBook {
    /// The parked runs that events requested, each with the reason, in the order of their ids.
    var parkedHooks: [(run: RunMachine, reason: String)] {
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
