import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Passes each event to the state machine of its run; the end of the step gives the slots that become free to waiting runs.
extension WorkerState {
    /// Handles the suspension of a run at an action.
    mutating func rested(_ rest: RunRest) {
        guard let run = runs[rest.run] else { return }
        let policy = runs.pipelines[run.pipeline]?.policies[ActionID(rest.action)] ?? .once
        let now = step.moment
        advance(rest.run) { $0.left(rest, under: policy, at: now) }
    }

    /// Opens a signal for a run, or for code of the process outside all runs.
    mutating func open(_ opening: SignalOpening, of id: Name?) {
        let (signal, waiter) = (opening.signal, opening.waiting.waiter)
        if let id, !runs.mayWait(id) {
            let why = "The run has ended or is ending, so it waits for nothing."
            return step.emit(.resume(waiter, .decided(.closed(why: why))))
        }
        let run = id.flatMap { runs[$0] }
        let barred: Set<String>
        do throws(BusError) {
            barred = try self.barred(by: opening.waiting.terms.rule, of: run)
        } catch {
            return over(waiter, as: .refused(error), of: id)
        }
        let (requester, causers) = (run?.principal, run?.terms.origin?.causers ?? [])
        switch wait(for: opening, requester: requester, causers: causers, barring: barred) {
        case .over(let outcome): over(waiter, as: outcome, of: id)
        case .waits(let replaced):
            if let replaced {
                if let id {
                    advance(id) {
                        $0.superseded(replaced); return []
                    }
                }
                step.emit(.resume(replaced, .decided(.closed(why: "The owner opened the signal again."))))
            }
            if !runs.isResting(id, waiter) { step.emit(.resume(waiter, .registered)) }
            step.publish(signal, "waiting")
            guard case .action(let id, let action) = opening.waiting.owner else { return }
            if replaced == nil, opening.waiting.kind == .gate, let run {
                report(.waiting, of: run, at: action, opening)
            }
            advance(id) { $0.opened(signal, waiter, of: action) }
        }
    }

    /// Ends a wait that has just begun, because its signal is decided already or cannot be opened.
    private mutating func over(_ waiter: WaiterID, as outcome: WaitOutcome, of id: Name?) {
        guard let id, runs.isResting(id, waiter) else { return step.emit(.resume(waiter, outcome)) }
        let now = step.moment
        advance(id) { $0.waitEnded(waiter, with: outcome, at: now) }
    }

    /// Resumes the waiter of a signal that has ended; a run resumes only when it has a slot again.
    mutating func signalEnded(_ signal: Name, _ waiter: WaiterID, of owner: SignalOwner, as decision: GateDecision) {
        guard case .action(let id, let action) = owner, runs[id] != nil else {
            return step.emit(.resume(waiter, .decided(decision)))
        }
        let now = step.moment
        advance(id) { $0.signalEnded(signal, waiter, of: action, as: decision, at: now) }
    }

    /// Ends a run whose actions have finished.
    mutating func runEnded(_ id: Name, _ reported: [ActionOutcome], _ outputs: JSONObject, _ flaw: String?) {
        guard let run = runs[id] else { return }
        finish(id, run.result(of: reported, outputs, flaw: flaw))
    }
}

// Time and people.
extension WorkerState {
    /// Resumes a run whose pause before the next attempt is over.
    mutating func retry(_ id: Name, _ waiter: WaiterID) {
        guard let run = runs[id], run.isRetried(by: waiter) else { return }
        resume(run, waiter)
    }

    /// Redrives a run; does nothing if the run is not parked.
    mutating func redrive(_ id: Name) {
        guard let waiter = runs[id]?.parkedWaiter else { return }
        let now = step.moment
        advance(id) { $0.redriven(at: now) }
        if let run = runs[id] { resume(run, waiter) }
        // The answer tells whether the run has a slot.
        fillSlots()
    }

    /// Resumes a run where it was suspended.
    ///
    /// If the run had opened a gate there, it gets the gate's decision, or waits at the gate again. The run does not
    /// evaluate again whether the gate is needed, because the answer "no" would skip an opened gate.
    private mutating func resume(_ run: RunMachine, _ waiter: WaiterID) {
        let now = step.moment
        var outcome = WaitOutcome.proceed
        if let action = run.place?.action, let signal = runs.gateSignal(of: run, at: action) {
            let owner = SignalOwner.action(run.id, action)
            if let decision = signals.decision(on: signal, for: owner) {
                outcome = .decided(decision)
            } else if let waiting = signals.waiting[signal], waiting.owner == owner {
                // The current pipeline says who may decide it.
                renewRule(of: run, at: action)
                return advance(run.id) { $0.rejoined(signal, waiting.waiter) }
            }
        }
        advance(run.id) { $0.waitEnded(waiter, with: outcome, at: now) }
    }

    /// Stops a run: its waits close now, and the run ends when its executing action returns.
    mutating func stop(_ id: Name, as end: RunResult.State, reason: String) {
        guard let run = runs[id] else { return }
        if runs.pipelines[run.pipeline] == nil {
            // The run is parked because the worker no longer serves its pipeline, so no task can report its result.
            finish(id, runs.result(of: run, end, reason, at: step.moment))
        } else {
            let now = step.moment
            advance(id) { $0.stop(as: end, reason: reason, at: now) }
        }
    }

    /// Stops a run whose deadline passed; does nothing if the run is parked, or a redrive has set a new deadline.
    mutating func deadlinePassed(_ id: Name, redrives: Int) {
        guard runs[id]?.clock.holds(redrives) == true else { return }
        stop(id, as: .timedOut, reason: Errors.deadlinePassed)
    }

    /// Ends a stopping run whose action did not return in time; the action can no longer change the run.
    mutating func abandon(_ id: Name, _ action: String?) {
        guard let run = runs[id], case .stopping(let ending) = run.state else { return }
        let notReturned = Errors.notReturned(isAction: action != nil)
        let isSentence = ending.reason.last.map { ".!?…".contains($0) } ?? true
        let reason = "\(ending.reason)\(isSentence ? " " : ". ")\(notReturned)"
        var result = runs.result(of: run, ending.state, reason, brokenOff: notReturned, at: step.moment)
        result.abandoned = action.map { [$0] } ?? []
        finish(id, result)
    }

    /// Leaves all runs to the next worker, or ends them if the store is not durable.
    ///
    /// Without a durable store, a stopping run ends in the state that was announced, and any other run ends as `lost`,
    /// for this reason.
    mutating func leaveAll(because reason: String) {
        // From here on no waiting run gets the slot of a run that ends below.
        runs.withdrawAll()
        for run in runs.unfinished.sorted(by: { $0.id < $1.id }) {
            step.emit(.cancel(run.id))
            if configuration.isDurable {
                advance(run.id) { $0.leftBehind() }
                leaveBehind(run.id)
            } else if run.isStopping {
                // The run ends in the state that was announced when it was stopped.
                abandon(run.id, run.place == nil ? run.course.next : nil)
            } else {
                finish(run.id, runs.result(of: run, .lost, reason, brokenOff: reason, at: step.moment))
            }
        }
    }
}

// Questions.
extension WorkerState {
    /// Whether there are no runs, or one of them can execute or end before this time without a decision or a redrive.
    func canGoOn(before end: Moment) -> Bool {
        runs.isEmpty
            || runs.unfinished.contains { run in
                let getsSlots =
                    runs.givesSlots && !runs.queues.isPaused(run.pipeline)
                    && runs.queues.keys.obstacle(of: run.id) == nil
                return run.goesOnByItself(before: end, getsSlots: getsSlots) { signal in
                    signals.waiting[signal]?.deadline
                }
            }
    }
}
