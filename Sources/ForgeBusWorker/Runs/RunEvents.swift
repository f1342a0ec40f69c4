import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Passes each event to the state machine of its run, and then gives free slots to waiting runs.
extension RunBook {
    /// Handles a step of a run's task: the conditions were evaluated, or an action began or ended.
    mutating func stepped(
        _ id: Name,
        _ transition: PipelineTransition,
        _ values: RunValues,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        step(id, &signals, &out) { $0.stepped(transition, leaving: values) }
    }

    /// Handles the suspension of a run at an action.
    mutating func left(_ rest: RunRest, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let run = self[rest.run] else { return }
        let policy = pipelines[run.pipeline]?.policies[ActionID(rest.action)] ?? .once
        let now = out.moment
        step(rest.run, &signals, &out) { $0.left(rest, under: policy, at: now) }
        fillSlots(&signals, &out)
    }

    /// Opens a signal for an action of a run, or for code of the process outside all runs.
    mutating func open(_ opening: SignalOpening, _ signals: inout SignalBook, _ out: inout Outbox) {
        openSignal(opening, of: opening.waiting.owner.run, &signals, &out)
        fillSlots(&signals, &out)
    }

    mutating func openSignal(
        _ opening: SignalOpening,
        of id: Name?,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let (signal, waiter) = (opening.signal, opening.waiting.waiter)
        if let id, !mayWait(id) {
            let why = "The run has ended or is ending, so it waits for nothing."
            return out.emit(.resume(waiter, .decided(.closed(why: why))))
        }
        let run = id.flatMap { self[$0] }
        let barred: Set<String>
        do throws(BusError) {
            barred = try self.barred(by: opening.waiting.terms.rule, of: run, signals)
        } catch {
            return over(waiter, as: .refused(error), of: id, &signals, &out)
        }
        let place = id.flatMap { self.place(of: $0) }
        let (requester, causers) = (run?.principal, run?.terms.origin?.causers ?? [])
        switch signals.open(opening, requester: requester, causers: causers, barring: barred, place: place, &out) {
        case .over(let outcome): over(waiter, as: outcome, of: id, &signals, &out)
        case .waits(let replaced):
            if let replaced {
                if let id {
                    step(id, &signals, &out) {
                        $0.superseded(replaced); return []
                    }
                }
                out.emit(.resume(replaced, .decided(.closed(why: "The owner opened the signal again."))))
            }
            if !isResting(id, waiter) { out.emit(.resume(waiter, .registered)) }
            out.publish(signal, "waiting")
            guard case .action(let id, let action) = opening.waiting.owner else { return }
            if replaced == nil, opening.waiting.kind == .gate, let run {
                report(.waiting, of: run, at: action, opening, &out)
            }
            step(id, &signals, &out) { $0.opened(signal, waiter, of: action) }
        }
    }

    /// Ends a wait that has just begun, because its signal is decided already or cannot be opened.
    private mutating func over(
        _ waiter: WaiterID,
        as outcome: WaitOutcome,
        of id: Name?,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard let id, isResting(id, waiter) else { return out.emit(.resume(waiter, outcome)) }
        let now = out.moment
        step(id, &signals, &out) { $0.waitEnded(waiter, with: outcome, at: now) }
    }

    /// Resumes the waiter of a signal that has ended; a run resumes only when it has a slot again.
    mutating func signalEnded(
        _ signal: Name,
        _ waiter: WaiterID,
        of owner: SignalOwner,
        as decision: GateDecision,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard case .action(let id, let action) = owner, self[id] != nil else {
            return out.emit(.resume(waiter, .decided(decision)))
        }
        let now = out.moment
        step(id, &signals, &out) { $0.signalEnded(signal, waiter, of: action, as: decision, at: now) }
        fillSlots(&signals, &out)
    }

    /// Ends a run whose actions have finished.
    mutating func ended(
        _ id: Name,
        _ reported: [ActionOutcome],
        _ outputs: JSONObject,
        _ flaw: String?,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard let run = self[id] else { return }
        finish(id, run.result(of: reported, outputs, flaw: flaw), &signals, &out)
        fillSlots(&signals, &out)
    }
}

// Time and people.
extension RunBook {
    /// Resumes a run whose pause before the next attempt is over.
    mutating func retry(_ id: Name, _ waiter: WaiterID, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let run = self[id], run.isRetried(by: waiter) else { return }
        resume(run, waiter, &signals, &out)
        fillSlots(&signals, &out)
    }

    /// Redrives a run; does nothing if the run is not parked.
    mutating func redrive(_ id: Name, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let waiter = self[id]?.parkedWaiter else { return }
        let now = out.moment
        step(id, &signals, &out) { $0.redriven(at: now) }
        if let run = self[id] { resume(run, waiter, &signals, &out) }
        fillSlots(&signals, &out)
    }

    /// Resumes a run where it was suspended.
    ///
    /// If the run had opened a gate there, it gets the gate's decision, or waits at the gate again. The run does not
    /// evaluate again whether the gate is needed, because the answer "no" would skip an opened gate.
    private mutating func resume(
        _ run: RunMachine,
        _ waiter: WaiterID,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        let now = out.moment
        var outcome = WaitOutcome.proceed
        if let action = run.waits?.rest?.action, let signal = gateSignal(of: run, at: action) {
            let owner = SignalOwner.action(run.id, action)
            if let decision = signals.gates.decision(on: signal, for: owner) {
                outcome = .decided(decision)
            } else if let waiting = signals.gates.waiting(under: signal), waiting.owner == owner {
                // The current pipeline says who may decide it.
                renewRule(of: run, at: action, &signals, &out)
                return step(run.id, &signals, &out) { $0.rejoined(signal, waiting.waiter) }
            }
        }
        step(run.id, &signals, &out) { $0.waitEnded(waiter, with: outcome, at: now) }
    }

    /// Stops a run: its waits close now, and the run ends when its executing action returns.
    mutating func stop(
        _ id: Name,
        as end: RunResult.State,
        reason: String,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard let run = self[id] else { return }
        if pipelines[run.pipeline] == nil {
            // The run is parked because the worker no longer serves its pipeline, so no task can report its result.
            finish(id, result(of: run, end, reason, at: out.moment), &signals, &out)
        } else {
            let now = out.moment
            step(id, &signals, &out) { $0.stop(as: end, reason: reason, at: now) }
        }
        fillSlots(&signals, &out)
    }

    /// The reason in the result of a run whose deadline passed.
    static let deadlinePassed = "The run's deadline passed."

    /// The reason in the result of a run that was cancelled for `reason`, which may be empty.
    static func cancelled(_ reason: String) -> String {
        reason.isEmpty ? "The run was cancelled." : "The run was cancelled, for this reason: \(reason)"
    }

    /// Stops a run whose deadline passed; does nothing if the run is parked, or a redrive has set a new deadline.
    mutating func deadlinePassed(
        _ id: Name,
        redrives: Int,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        guard self[id]?.clock.holds(redrives) == true else { return }
        stop(id, as: .timedOut, reason: Self.deadlinePassed, &signals, &out)
    }

    /// Ends a stopping run whose action did not return in time; the action can no longer change the run.
    mutating func abandon(_ id: Name, _ action: String?, _ signals: inout SignalBook, _ out: inout Outbox) {
        guard let run = self[id], case .stopping(let ending) = run.state else { return }
        let notReturned = Errors.notReturned(isAction: action != nil)
        let isSentence = ending.reason.last.map { ".!?…".contains($0) } ?? true
        let reason = "\(ending.reason)\(isSentence ? " " : ". ")\(notReturned)"
        var result = result(of: run, ending.state, reason, brokenOff: notReturned, at: out.moment)
        result.abandoned = action.map { [$0] } ?? []
        finish(id, result, &signals, &out)
        fillSlots(&signals, &out)
    }

    /// Makes the result of a run from its recorded progress, because no task reports the result.
    func result(
        of run: RunMachine,
        _ state: RunResult.State,
        _ reason: String,
        brokenOff: String = Errors.actionBrokenOff,
        at now: Moment
    ) -> RunResult {
        let actions = run.course.actions(brokenOff: brokenOff, at: run.age(at: now))
        let outputs = outputs(of: run, beside: actions)?.values ?? [:]
        return RunResult(run: RunID(run.id), state: state, reason: reason, actions: actions, outputs: outputs)
    }

    /// The outputs that the run has set so far; nil if the worker no longer serves the run's pipeline.
    func outputs(of run: RunMachine, beside actions: [ActionOutcome]) -> RunOutputs? {
        var values = run.values
        for value in run.course.values { values[value.key] = value.restored }
        return pipelines[run.pipeline].map { RunOutputs(of: $0, values, beside: actions) }
    }

    /// Leaves all runs to the next worker, or ends them if the store is not durable.
    ///
    /// Without a durable store, a stopping run ends in the state that was announced, and any other run ends as `lost`,
    /// for this reason.
    mutating func leaveAll(because reason: String, _ signals: inout SignalBook, _ out: inout Outbox) {
        // From here on no waiting run gets the slot of a run that ends below.
        withdrawAll()
        for run in unfinished.sorted(by: { $0.id < $1.id }) {
            out.emit(.cancel(run.id))
            if configuration.isDurable {
                step(run.id, &signals, &out) { $0.leftBehind() }
                leaveBehind(run.id, &out)
            } else if run.isStopping {
                // The run ends in the state that was announced when it was stopped.
                abandon(run.id, run.waits?.rest == nil ? run.course.next : nil, &signals, &out)
            } else {
                finish(run.id, result(of: run, .lost, reason, brokenOff: reason, at: out.moment), &signals, &out)
            }
        }
    }
}

// Questions.
extension RunBook {
    /// Whether there are no runs, or one of them can execute or end before this time without a decision or a redrive.
    func canGoOn(before end: Moment, _ signals: SignalBook) -> Bool {
        isEmpty
            || unfinished.contains { run in
                let getsSlots = givesSlots && !queues.isPaused(run.pipeline)
                return run.goesOnByItself(before: end, getsSlots: getsSlots) { signal in
                    signals.gates.waiting(under: signal)?.deadline
                }
            }
    }

    /// The run's owner and pipeline, on which access depends; nil if the run is unknown.
    func known(_ id: Name) -> AccessPolicy.KnownRun? {
        (self[id].map { ($0.principal, $0.pipeline) } ?? ended[id].map { ($0.principal, $0.pipeline) })
            .map { AccessPolicy.KnownRun(owner: $0.0, pipeline: $0.1) }
    }

    /// The number by which the run's history is ordered; nil if the run is unknown.
    ///
    /// It is the number of the run's ended actions. For an ended run it is the number of all its actions plus one.
    func place(of id: Name) -> Int? {
        self[id]?.course.actions.count ?? ended[id].map { $0.result.actions.count + 1 }
    }

    /// Whether a listener gets each step of the run.
    func isFollowed(_ id: Name) -> Bool { self[id]?.audience.isFollowed ?? false }

    /// Whether the run is unfinished and not stopping.
    func mayWait(_ id: Name) -> Bool { self[id].map { !$0.isStopping } ?? false }

    /// Whether this waiter stands for the suspended run itself, and not for waiting code of an action.
    func isResting(_ id: Name?, _ waiter: WaiterID) -> Bool {
        id.flatMap { self[$0]?.isResting(with: waiter) } ?? false
    }
}
