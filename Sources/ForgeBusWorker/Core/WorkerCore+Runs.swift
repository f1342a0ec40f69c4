import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// The life of a run, from its first slot to its result.
extension WorkerCore {
    /// Gives free slots to whoever waits for one.
    mutating func fillSlots() {
        switch phase {
        case .ready: break
        // What an earlier worker left goes on when this one is ready for it.
        case .starting: return
        // What a store keeps is begun, and gone on with, by the worker that takes this one's place.
        case .draining: if isDurable { return }
        }
        while let ticket = queues.next() {
            switch ticket {
            case .start(let id): start(id)
            case .resume(let id): resume(id)
            }
        }
    }

    /// A new run gets the slot that is free for it, or waits for one.
    mutating func queueOrStart(_ id: RunID, of pipeline: PipelineName) {
        if phase == .ready, queues.takeFreeSlot(of: pipeline) { return start(id) }
        queues.enqueue(id, of: pipeline)
        fillSlots()
    }

    private mutating func start(_ id: RunID) {
        guard let start = runs[id]?.begin(at: moment) else { fatalError("The queue held a run that is not known.") }
        publish(id, of: start.pipeline, .running)
        // Kept before it begins: a run whose beginning kills the worker is not begun for ever.
        if configuration.keepsRecords, let run = runs[id] { keepRun(run, at: moment) }
        emit(.start(start))
    }

    /// A run went on by a step.
    mutating func note(_ transition: PipelineTransition, _ values: RunValues, of id: RunID, at now: Moment) {
        switch transition {
        case .eligible(let actions):
            runs[id]?.course.begin(with: actions.map(\.rawValue), values)
            keepProgress(of: id)
        case .started(let action): tell(.started(action: action.rawValue), of: id, toAll: false)
        case .finished(let report):
            let outcome = ActionOutcome(report)
            // Of one that was not followed from its beginning it is not known what came before.
            if runs[id]?.course.eligible != nil { runs[id]?.course.end(outcome, leaving: values) }
            keepProgress(of: id)
            tell(.finished(action: outcome.action, outcome.result), of: id, toAll: false)
        }
    }

    /// Whether somebody is told each step of the run.
    func isFollowed(_ id: RunID) -> Bool {
        runs[id]?.listeners.contains { $0.wantsProgress && !$0.isDetached } ?? false
    }

    mutating func tell(_ change: RunProgress.Change, of id: RunID, toAll: Bool) {
        guard let (number, audience) = runs[id]?.numberNextChange(toldToAll: toAll) else { return }
        journal(change, of: id)
        let progress = RunProgress(run: id, sequence: number, change: change)
        for listener in audience {
            emit(.answer(Answer(to: listener.request, .progress(progress)), to: listener.caller))
        }
    }

    /// The run's actions are through.
    mutating func end(
        _ id: RunID,
        _ reported: [ActionOutcome],
        _ outputs: JSONObject,
        _ flaw: String?,
        at now: Moment
    ) {
        guard let run = runs[id] else { return }
        let actions = run.course.completed(by: reported, isStopped: run.isStopping)
        let state: RunResult.State
        let reason: String
        if case .stopping(let final, let why) = run.state {
            (state, reason) = (final, why)
        } else if let (action, why) = actions.lazy.compactMap(\.failure).first {
            (state, reason) = (.failed, "\(action): \(why)".asReason)
        } else if let flaw {
            (state, reason) = (.failed, flaw)
        } else {
            (state, reason) = (.completed, "")
        }
        finish(run, RunResult(run: id, state: state, reason: reason, actions: actions, outputs: outputs), at: now)
    }

    /// The run is to end as `state`: its waits end now, its task is cancelled, its result comes when its action returns.
    mutating func stop(_ id: RunID, as state: RunResult.State, reason: String, at now: Moment) {
        guard var run = runs[id] else { return }
        if case .stopping = run.state { return }
        queues.withdraw(id, of: run.pipeline)
        if case .queued = run.state {
            return finish(run, RunResult(run: id, state: state, reason: reason, actions: []), at: now)
        }
        // Parked because its pipeline is gone: nothing is left that could say what it came to.
        guard pipelines[run.pipeline] != nil else { return finish(run, result(of: run, state, reason), at: now) }
        run.state = .stopping(state, reason: reason)
        run.wasStoppedAtRest = run.rest != nil
        runs[id] = run
        // Cancelled before its waits end: no action may begin on the strength of a wait that was closed.
        emit(.cancel(id))
        closeWaits(of: id, why: "Its run ended: \(reason)".asReason, goingOn: true, at: now)
        keepProgress(of: id)
        deadlines.add(.runGrace(id), at: now.advanced(by: configuration.cancelGrace))
    }

    /// The grace is over and the action has not returned: the loop is asked which one it is.
    mutating func graceEnded(_ id: RunID) {
        guard case .stopping = runs[id]?.state else { return }
        emit(.abandon(id))
    }

    /// The run ends without its action, which can no longer change anything.
    mutating func abandon(_ id: RunID, _ action: String?, at now: Moment) {
        guard let run = runs[id], case .stopping(let state, let reason) = run.state else { return }
        abandon(run, action, state, reason, at: now)
    }

    private mutating func abandon(
        _ run: Run,
        _ action: String?,
        _ state: RunResult.State,
        _ reason: String,
        at now: Moment
    ) {
        var result = result(of: run, state, "\(reason) \(Self.notReturned)", brokenOff: Self.notReturned)
        result.abandoned = action.map { [$0] } ?? []
        finish(run, result, at: now)
    }

    /// Why an action came to nothing that a run did not wait for any longer.
    private static let notReturned = "Its action did not return in time and was abandoned."

    mutating func finish(_ run: Run, _ result: RunResult, at now: Moment) {
        if !run.waits.isEmpty || run.rest != nil {
            closeWaits(of: run.id, why: "Its run ended.", goingOn: false, at: now)
        }
        closeOrphans(of: run.id, at: now)
        gates.digest(of: run.id)
        if run.holdsSlot { queues.release(run.pipeline) } else { queues.withdraw(run.id, of: run.pipeline) }
        runs[run.id] = nil
        let over = EndedRun(run, result, at: now.unixMilliseconds)
        ended[run.id] = over
        bounds.ended(run, keeping: over)
        ledger.finish(run.request, at: now)
        keepRun(run, result, at: now)
        if run.hasProgressKept { forget(.progress(run.id)) }
        publish(run, StateReport.State(result.state))
        if result.state.isTrouble {
            emit(.warn(.run(run.id, run.pipeline, state: StateReport.State(result.state), reason: result.reason)))
        }
        for listener in run.listeners where !listener.isDetached {
            emit(.answer(Answer(to: listener.request, .result(result)), to: listener.caller))
        }
        fillSlots()
        reportIfDrained()
    }

    mutating func forgetRequests(at now: Moment) {
        for (key, outcome) in ledger.forget(at: now) {
            forget(.request(key))
            guard case .run(let run) = outcome else { continue }
            if let over = ended.removeValue(forKey: run) { bounds.forgot(over) }
            forget(.run(run))
        }
    }

    mutating func drain(at now: Moment) {
        guard phase != .draining else { return }
        phase = .draining
        drainMonitors(at: now)
        reportIfDrained()
    }

    /// The drain time is over: what a store cannot keep is lost, and its sender is told so.
    mutating func loseWhatIsLeft(at now: Moment) {
        let left = runs.values.sorted { $0.id < $1.id }
        // None of them gets the slot of another that ends here.
        queues.withdrawAll()
        for run in left {
            emit(.cancel(run.id))
            if isDurable {
                leave(run)
            } else if case .stopping(let state, let reason) = run.state {
                // What it was to end as was told, and stands.
                abandon(run, run.rest == nil ? run.course.next : nil, state, reason, at: now)
            } else {
                let reason = "The worker stopped before the run ended."
                finish(run, result(of: run, .lost, reason, brokenOff: reason), at: now)
            }
        }
        for owed in evaluations.expireAll() { emit(.answer(owed.answer, to: owed.caller)) }
        // A cycle that still runs is waited for no longer.
        if isDurable || !lanes.allSatisfy(\.isSettled) { emit(.drained) }
        hasLeft = isDurable
    }

    /// The run is left to the worker that takes this one's place; what its task still reports means nothing.
    private mutating func leave(_ run: Run) {
        // It did not die with its worker, and is gone on with at once.
        if run.isActive, case .running = run.state {
            runs[run.id]?.isActive = false
            runs[run.id]?.course.breakOff()
            runs[run.id]?.waits = [WaiterID(number: 0): .retry(action: run.course.next ?? "", due: 0)]
            keepProgress(of: run.id)
        }
        if runs[run.id]?.isAdvanced == true { writeProgress(of: run.id) }
        runs[run.id] = nil
    }

    mutating func reportIfDrained() {
        let isDone = isDurable ? queues.areIdle : runs.isEmpty
        guard phase == .draining, isDone, !hasLeft, lanes.allSatisfy(\.isSettled) else { return }
        emit(.drained)
        hasLeft = isDurable
    }

    /// Whether runs outlive the worker.
    var isDurable: Bool { configuration.durability == .fsynced }
}

extension RunResult.State {
    /// Whether whoever runs the worker should hear of it.
    fileprivate var isTrouble: Bool {
        switch self {
        case .completed, .cancelled: false
        case .failed, .timedOut, .lost: true
        }
    }
}
