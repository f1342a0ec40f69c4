import ForgeBusProtocol
import ForgeOrchestrator

/// What waiting does to a run, whatever it waits for: it gives its slot away and gets one again to go on with.
///
/// A run that rests, at a gate or at an action that failed, has no task meanwhile: it is started again where it rests. One
/// that waits within an action has one, and its waiter is resumed.
extension WorkerCore {
    /// Nothing of a run executes any more: it is left at an action.
    mutating func rest(_ rest: RunRest, at now: Moment) {
        let id = rest.run
        guard runs[id] != nil else { return }
        runs[id]?.course.eligible = rest.eligible
        for outcome in rest.actions { runs[id]?.course.end(outcome) }
        runs[id]?.course.take(rest.values)
        runs[id]?.course.failure = rest.kind.failure
        runs[id]?.rest = Run.Rest(action: rest.action, waiter: rest.waiter, failure: rest.kind.failure)
        guard mayWait(id) else { return goOn(id, with: .decided(.closed(why: "Its run is over."))) }
        switch rest.kind {
        case .gate(let signal, let rule, let deadline):
            let owner = SignalOwner.action(id, rest.action)
            let waiting = GateBook.Waiting(owner: owner, kind: .gate, waiter: rest.waiter, rule: rule)
            open(SignalOpening(signal: signal, waiting: waiting, deadline: deadline), at: now)
        case .retry(let attempt, let after, _):
            runs[id]?.course.attempt = attempt
            let due = now.advanced(by: after)
            deadlines.add(.retry(id, rest.waiter), at: due)
            let change = RunProgress.Change.retrying(action: rest.action, attempt: attempt, after: after)
            suspend(id, rest.waiter, .retry(action: rest.action, due: now.unix(of: due)), telling: change, toAll: false)
        case .redrive(let reason): park(id, rest, reason.asReason, at: now)
        }
    }

    private mutating func park(_ id: RunID, _ rest: RunRest, _ reason: String, at now: Moment) {
        runs[id]?.course.park()
        if let deadline = runs[id]?.deadline {
            // The clock of the whole run stands still.
            runs[id]?.remaining = deadline.since(now)
            runs[id]?.deadline = nil
        }
        if let run = runs[id] {
            emit(.warn(.run(id, run.pipeline, state: .parked, reason: "\(rest.action): \(reason)")))
        }
        let change = RunProgress.Change.parked(action: rest.action, reason: reason)
        suspend(id, rest.waiter, .redrive(action: rest.action, reason: reason), telling: change, toAll: true)
    }

    /// The pause before the next attempt is over.
    mutating func retry(_ run: RunID, _ waiter: WaiterID) {
        guard case .retry = runs[run]?.waits[waiter] else { return }
        takeUp(run, waiter)
    }

    /// Somebody redrives a parked run: its deadline runs on.
    mutating func unpark(_ id: RunID, _ waiter: WaiterID, at now: Moment) {
        guard let run = runs[id], case .redrive(let action, _) = run.waits[waiter] else { return }
        if let remaining = run.remaining {
            let deadline = now.advanced(by: remaining)
            runs[id]?.remaining = nil
            runs[id]?.deadline = deadline
            runs[id]?.redrives += 1
            deadlines.add(.runDeadline(id, redrives: run.redrives + 1), at: deadline)
            if let run = runs[id] { keepRun(run, at: now) }
        }
        runs[id]?.course.crashes = 0
        tell(.redriven(action: action), of: id, toAll: true)
        takeUp(id, waiter)
    }

    /// A run goes on at the action at which it rests: where that is a gate it had opened, with what stands there.
    ///
    /// Whether that gate is needed is not asked again: a no would be passed by.
    private mutating func takeUp(_ id: RunID, _ waiter: WaiterID) {
        guard let run = runs[id], let rest = run.rest, let signal = signal(of: run, at: rest.action) else {
            return proceed(id, waiter, with: .proceed)
        }
        let owner = SignalOwner.action(id, rest.action)
        if let decision = gates.decision(on: signal, for: owner) {
            return proceed(id, waiter, with: .decided(decision))
        }
        guard let waiting = gates.waiting(under: signal), waiting.owner == owner else {
            return proceed(id, waiter, with: .proceed)
        }
        // Who may decide it is said by the pipeline as it is now.
        if let gate = pipelines[run.pipeline]?.gate(rest.action) {
            gates.renew(signal, gate.rule)
            keepSignal(signal, at: moment)
        }
        runs[id]?.waits = [waiting.waiter: .signal(signal)]
        runs[id]?.rest = Run.Rest(action: rest.action, waiter: waiting.waiter, failure: nil)
        runs[id]?.course.failure = nil
        keepProgress(of: id)
        tell(.waiting(action: rest.action, signal: signal), of: id, toAll: true)
        if let run = runs[id] { publish(run, run.standing) }
    }

    /// The signal of a gate of the run's pipeline; nil where the action is none.
    func signal(of run: Run, at action: String) -> SignalID? {
        guard let pipeline = pipelines[run.pipeline], let gate = pipeline.gate(action),
            let values = try? Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
        else { return nil }
        return try? gate.signal.signal(of: run.id.text, with: values)
    }

    /// Whether the run is known and is not to end.
    func mayWait(_ run: RunID) -> Bool {
        guard let run = runs[run] else { return false }
        if case .stopping = run.state { return false }
        return true
    }

    /// Whether this waiter is a run that rests, and no task.
    func isResting(_ run: RunID?, _ waiter: WaiterID) -> Bool { run.flatMap { runs[$0]?.rest?.waiter } == waiter }

    /// The run waits: it gives its slot to another.
    mutating func suspend(
        _ id: RunID,
        _ waiter: WaiterID,
        _ wait: Run.Wait,
        telling change: RunProgress.Change,
        toAll: Bool
    ) {
        guard var run = runs[id] else { return }
        run.waits[waiter] = wait
        let gaveSlot = run.holdsSlot
        run.holdsSlot = false
        run.isActive = false
        runs[id] = run
        keepProgress(of: id)
        tell(change, of: id, toAll: toAll)
        publish(run, run.standing)
        guard gaveSlot else { return }
        bounds.paused(run)
        queues.release(run.pipeline)
        fillSlots()
        reportIfDrained()
    }

    /// A wait of the run is over: its waiter resumes as soon as the run has a slot again.
    mutating func proceed(_ id: RunID, _ waiter: WaiterID, with outcome: WaitOutcome) {
        decided[waiter] = outcome
        guard let run = runs[id], !run.holdsSlot else { return resumeHoldingSlot(id, waiter) }
        // If another of its waits was over before, it has joined already.
        if !run.isRejoining {
            runs[id]?.isRejoining = true
            if case .redrive = run.waits[waiter] { keepProgress(of: id) }
            queues.rejoin(id, of: run.pipeline)
        }
        fillSlots()
    }

    /// A run that waited has a slot again: one for all of its waits that are over.
    mutating func resume(_ id: RunID) {
        guard var run = runs[id] else { fatalError("The queue held a run that is not known.") }
        run.holdsSlot = true
        run.isActive = true
        run.isRejoining = false
        runs[id] = run
        bounds.resumed(run)
        let waiters = run.waits.keys.filter { decided[$0] != nil }
        for waiter in waiters.sorted(by: { $0.number < $1.number }) { resumeHoldingSlot(id, waiter) }
        keepProgress(of: id)
        publish(run, .running)
    }

    private mutating func resumeHoldingSlot(_ id: RunID, _ waiter: WaiterID) {
        runs[id]?.waits[waiter] = nil
        if let outcome = decided[waiter] { hand(outcome, to: waiter, of: id) }
    }

    /// Whoever waits is resumed.
    mutating func hand(_ outcome: WaitOutcome, to waiter: WaiterID, of run: RunID?) {
        decided[waiter] = nil
        if let run, isResting(run, waiter) { goOn(run, with: outcome) } else { emit(.resume(waiter, outcome)) }
    }

    /// A run that rested is taken up again where it was left.
    ///
    /// One that is to end starts nothing any more: it is told how the action came out at which it was left.
    private mutating func goOn(_ id: RunID, with outcome: WaitOutcome) {
        guard var run = runs[id], let rest = run.rest else { return }
        run.rest = nil
        let isOver = !mayWait(id)
        if isOver, run.course.eligible != nil {
            let result = ActionOutcome.Result(rest, outcome)
            run.course.end(run.course.outcome(rest.action, result, at: age(of: run)))
        }
        var start = RunStart(
            run: id,
            pipeline: run.pipeline,
            values: run.values,
            tellsTransitions: run.tellsTransitions
        )
        start.earlierAttempts = run.course.earlierAttempts + run.course.unrecorded
        start.unrecorded = run.course.unrecorded
        // One whose conditions were not answered begins again, unless it is over: then there is nothing to say.
        if let eligible = run.course.eligible ?? (isOver ? [] : nil) {
            start.resumption = RunStart.Resumption(
                eligible: eligible.map { ActionID($0) },
                results: run.course.results,
                answer: RunStart.Answer(action: rest.action, outcome: outcome),
                attempt: run.course.attempt,
                isOver: isOver,
                restored: run.isRestored ? run.course.values : []
            )
        }
        if run.isRestored { start.began = run.began }
        (run.values, run.isRestored) = ([:], false)
        if run.began == nil {
            // It was parked before it ever began.
            run.began = moment.unixMilliseconds
            keepRun(run, at: moment)
        }
        runs[id] = run
        if isOver, let ended = run.course.actions.last, ended.action == rest.action {
            tell(.finished(action: ended.action, ended.result), of: id, toAll: false)
        }
        emit(.start(start))
    }

    /// How long ago the run began; zero where it has not.
    func age(of run: Run) -> Duration {
        .milliseconds(max(0, moment.unixMilliseconds - (run.began ?? moment.unixMilliseconds)))
    }

    /// The run is over for what it waits for: signals are closed, and whoever waits resumes without a slot of its own.
    ///
    /// One that does not go on has no task that is still to return, or to say what the run came to.
    mutating func closeWaits(of id: RunID, why: String, goingOn goesOn: Bool, at now: Moment) {
        for (waiter, wait) in runs[id]?.waits.sorted(by: { $0.key.number < $1.key.number }) ?? [] {
            let closed = GateDecision.closed(why: why)
            if case .signal(let signal) = wait { close(signal, waiter, as: closed, at: now) }
            let outcome = decided[waiter] ?? .decided(closed)
            if !goesOn, isResting(id, waiter) { decided[waiter] = nil } else { hand(outcome, to: waiter, of: id) }
        }
        runs[id]?.waits = [:]
        guard !goesOn, runs[id]?.rest != nil else { return }
        runs[id]?.rest = nil
        emit(.dropRest(id))
    }
}

extension RunRest.Kind {
    /// Why the action failed; nil at a gate.
    fileprivate var failure: String? {
        switch self {
        case .gate: nil
        case .retry(_, _, let reason), .redrive(let reason): reason.asReason
        }
    }
}

extension ActionOutcome.Result {
    /// How an action came out whose run is over before it was taken up again.
    fileprivate init(_ rest: Run.Rest, _ outcome: WaitOutcome) {
        if let failure = rest.failure {
            self = .failed(failure)
            return
        }
        switch outcome {
        case .decided(let decision): self = ActionOutcome.Result(decision)
        case .refused(let error): self = .failed(error.description)
        case .registered, .proceed: self = .skipped
        }
    }
}
