import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// One unfinished run, as a state machine.
///
/// A run is queued, then executes. Each time it waits, it is suspended, then ready, and then executes again, until it
/// ends. In between it may be parked or stopping.
///
/// The machine is pure: each method is an event, and the caller carries out the returned effects in order.
struct RunMachine {
    enum State {
        /// The run waits for its first slot.
        case queued
        /// A task executes, and holds a slot.
        ///
        /// Some waits may still be open: an action may wait for several signals at once, or end before its waits end.
        case running(Opened)
        /// The task has ended at this place; what the run waits for there is being opened. The run still holds its slot.
        case settling(Stop, Opened)
        /// The run waits for a decision, for another run or for its next attempt, and has neither a task nor a slot.
        case waiting(Stop, Opened)
        /// The run's task waits in the code of an action, and holds no slot.
        case waitingInCode(Opened)
        /// At least one of the run's waits is over, and the run waits for a slot to resume with; `Stop` is nil for a run
        /// whose task waits in the code of an action.
        case ready(Stop?, Opened, over: [WaiterID: WaitOutcome])
        /// The run waits for a redrive; if it ends before, so does the run that the action requested.
        ///
        /// An action failed for good, workers died too often during one action, or the pipeline's definition changed.
        case parked(Place, reason: String, inner: Name?, Opened)
        /// The run must end, but its task has not returned yet.
        case stopping(Ending)
    }

    /// The run's use of the worker's limits: its slot, and whether the run counts as active or as suspended.
    struct Account: Equatable {
        enum Slot { case none, awaited, held }

        var slot: Slot
        /// Whether the run counts as active; a run that gave up its slot counts as suspended until it has a slot again.
        var isActive: Bool
    }

    let terms: RunTerms
    /// The W3C trace context of the request that began the run, not checked; nil without one, and in a restored run.
    let traceparent: String?
    /// The pipeline's definition under which the run executes.
    private(set) var definition: RunDefinition
    /// When the run got its first slot, in milliseconds since 1970; nil if it has had none.
    private(set) var began: Int64?
    /// The first values of the run's context, by key: the seeds, and the defaults of missing seeds, as Swift values.
    ///
    /// The run's next task takes the values; from then on the dictionary is empty.
    private(set) var values: [String: any Sendable]
    private(set) var state = State.queued
    /// The run's progress: its ended actions, the values that they set, and the attempts at the current action.
    private(set) var course = RunCourse()
    private(set) var clock: RunClock
    private(set) var audience: RunAudience
    /// Whether an earlier worker began the run, and this worker has not resumed it yet.
    ///
    /// The context of such a run comes from the store.
    private(set) var isRestored = false
    /// How many times in a row the worker was too busy to begin the run that the current action requests.
    private var postponements = 0
    /// Whether the run's progress is stored and up to date.
    private(set) var keeping = Keeping()

    /// Whether a run's progress is stored and up to date.
    struct Keeping {
        /// Whether the run advanced since its progress was last stored.
        var isBehind = false
        /// Whether the store keeps a record of the run's progress.
        var hasRecord = false
    }

    init(
        _ terms: RunTerms,
        definition: RunDefinition,
        values: [String: any Sendable],
        deadline: Moment?,
        audience: RunAudience,
        traceparent: String? = nil,
        began: Int64? = nil
    ) {
        self.terms = terms
        self.traceparent = traceparent
        self.definition = definition
        self.values = values
        self.audience = audience
        self.began = began
        clock = RunClock(deadline: deadline)
    }

    var id: Name { terms.id }
    var request: RequestKey { terms.request }
    var pipeline: Name { terms.pipeline }
    var principal: String { terms.principal }
}

// Slots.
extension RunMachine {
    /// Gives the run its first slot, or a slot to resume with.
    ///
    /// A run that resumes gets the outcomes of all its finished waits.
    mutating func slotGranted(at now: Moment) -> [RunEffect] {
        switch state {
        case .queued:
            (state, began) = (.running([:]), now.unixMilliseconds)
            // The run is stored before it begins. So the next worker counts a crash, and in the end a run whose
            // beginning kills every worker is parked.
            return [.publish(.running), .keepRun, .emit(.start(start()))]
        case .ready(let stop, var opened, let over):
            for waiter in over.keys { opened[waiter] = nil }
            let place = stop.flatMap { over[$0.place.waiter] == nil ? nil : $0.place }
            state = if let stop, place == nil { .settling(stop, opened) } else { .running(opened) }
            var effects: [RunEffect] = []
            for (waiter, outcome) in over.sorted(by: { $0.key.number < $1.key.number }) {
                if let place, place.waiter == waiter {
                    effects += resume(place, with: outcome, at: now)
                } else {
                    effects.append(.emit(.resume(waiter, outcome)))
                }
            }
            return effects + [.keepProgress, .publish(.running)]
        case .running, .settling, .waiting, .waitingInCode, .parked, .stopping:
            fatalError("Internal error: the run \(id) got a slot that it does not await.")
        }
    }

    /// Ends one of the run's waits; the waiter resumes as soon as the run has a slot.
    mutating func waitEnded(_ waiter: WaiterID, with outcome: WaitOutcome, at now: Moment) -> [RunEffect] {
        switch state {
        case .running, .settling: return hand(outcome, to: waiter, at: now)
        case .waiting(let stop, let opened):
            state = .ready(stop.goingOn(from: waiter, with: outcome), opened, over: [waiter: outcome])
        case .waitingInCode(let opened): state = .ready(nil, opened, over: [waiter: outcome])
        // A wait that an earlier action left behind needs no slot, and does not end the parking.
        case .parked(let place, _, _, _) where place.waiter != waiter: return hand(outcome, to: waiter, at: now)
        case .parked(let place, _, _, let opened):
            state = .ready(Stop(place, for: .nothing), opened, over: [waiter: outcome])
            // The redrive is stored, so that the run is not parked again after a restart.
            return [.keepProgress]
        case .ready(let stop, let opened, var over):
            over[waiter] = outcome
            state = .ready(stop, opened, over: over)
        case .queued, .stopping: return [.emit(.resume(waiter, outcome))]
        }
        return []
    }

    /// Ends the wait for a signal that the run opened; the run resumes with the decision when it has a slot.
    mutating func signalEnded(
        _ signal: Name,
        _ waiter: WaiterID,
        of action: String,
        as decision: GateDecision,
        at now: Moment
    ) -> [RunEffect] {
        guard isWaiting(waiter) else { return [.emit(.resume(waiter, .decided(decision)))] }
        let told = RunEffect.tell(.resumed(action: action, signal: SignalID(signal)), toAll: true)
        return [told] + waitEnded(waiter, with: .decided(decision), at: now)
    }

    /// Resumes a waiter: the run itself where it has stopped, or the code of an action.
    private mutating func hand(_ outcome: WaitOutcome, to waiter: WaiterID, at now: Moment) -> [RunEffect] {
        guard case .settling(let stop, let opened) = state, stop.place.waiter == waiter else {
            forget(waiter)
            return [.emit(.resume(waiter, outcome))]
        }
        state = .running(opened)
        return resume(stop.place, with: outcome, at: now)
    }

    /// Starts a task at the action where the run was suspended; the task of a stopping run only reports the result.
    private mutating func resume(_ place: Place, with outcome: WaitOutcome, at now: Moment) -> [RunEffect] {
        var effects: [RunEffect] = []
        if isStopping, course.eligible != nil {
            course.end(course.outcome(place.action, ActionOutcome.Result(place, outcome), at: age(at: now)))
        }
        let start = start(at: place.action, with: outcome)
        if began == nil {
            // The run was parked before it began.
            began = now.unixMilliseconds
            effects.append(.keepRun)
        }
        if isStopping, let ended = course.actions.last, ended.action == place.action {
            effects.append(.tell(.finished(action: ended.action, ended.result), toAll: false))
        }
        return effects + [.emit(.start(start))]
    }

    private mutating func start() -> RunStart {
        defer { (values, isRestored) = ([:], false) }
        var start = RunStart(
            run: id,
            pipeline: pipeline,
            values: values,
            tellsTransitions: audience.followsTransitions,
            traceparent: traceparent
        )
        if isRestored { start.began = began }
        return start
    }

    private mutating func start(at action: String, with outcome: WaitOutcome) -> RunStart {
        let wasRestored = isRestored
        var start = start()
        start.earlierAttempts = course.earlierAttempts + course.unrecorded
        start.unrecorded = course.unrecorded
        // If the conditions were not all evaluated, the run begins again; a stopping run then has no actions to report.
        guard let eligible = course.eligible ?? (isStopping ? [] : nil) else { return start }
        start.resumption = RunStart.Resumption(
            eligible: eligible.map { ActionID($0) },
            results: course.results,
            answer: RunStart.Answer(action: action, outcome: outcome),
            attempt: course.attempt,
            isOver: isStopping,
            restored: wasRestored ? course.values : []
        )
        return start
    }
}

// Actions.
extension RunMachine {
    /// Handles a step of the run's task: the conditions were evaluated, or an action began or ended.
    mutating func stepped(_ transition: PipelineTransition, leaving values: RunValues) -> [RunEffect] {
        switch transition {
        case .eligible(let actions):
            course.begin(with: actions.map(\.rawValue), values)
            return [.keepProgress]
        case .started(let action): return [.tell(.started(action: action.rawValue), toAll: false)]
        case .finished(let report):
            let outcome = ActionOutcome(report)
            // If the run was not followed from its beginning, the course lacks the earlier steps and takes no later
            // ones.
            if course.eligible != nil { course.end(outcome, leaving: values) }
            return [.keepProgress, .tell(.finished(action: outcome.action, outcome.result), toAll: false)]
        }
    }

    /// Handles the end of a task that suspended the run at a gate, at a request for another run, or after a failure.
    ///
    /// If an action failed, its `policy` decides what follows: the action gets another attempt, the run is parked, or
    /// the run records the failure and continues with the next action.
    mutating func left(_ left: RunRest, under policy: ActionPolicy, at now: Moment) -> [RunEffect] {
        course.eligible = left.eligible
        for outcome in left.actions { course.end(outcome) }
        course.take(left.values)
        course.failure = left.failure
        let closed = WaitOutcome.decided(.closed(why: "The run was stopped before it began to wait here."))
        switch state {
        case .stopping: return resume(Place(left), with: closed, at: now)
        case .queued: fatalError("Internal error: a task suspended the run \(id), which is still queued.")
        case .running, .settling, .waiting, .waitingInCode, .ready, .parked: break
        }
        switch left.kind {
        case .gate(let signal, let rule, let deadline, let message):
            stopped(at: Stop(Place(left), for: .decision(signal)))
            let owner = SignalOwner.action(id, left.action)
            let terms = GateTerms(rule: rule, message: message)
            let waiting = SignalWait(owner: owner, kind: .gate, waiter: left.waiter, terms: terms)
            return [.open(SignalOpening(signal: signal, waiting: waiting, deadline: deadline))]
        case .request(let order):
            stopped(at: Stop(Place(left), for: .nothing))
            let request = RequestByRun(
                outer: id,
                action: left.action,
                attempt: course.attempt + course.earlierAttempts,
                waiter: left.waiter,
                order: order
            )
            return [.request(request)]
        case .failed(let reason):
            if course.attempt < policy.attempts {
                return retry(left, after: policy.pause(after: course.attempt), at: now)
            }
            switch policy.onFailure {
            case .park: return park(left, because: reason.asReason, at: now)
            case .proceed:
                stopped(at: Stop(Place(left), for: .nothing))
                return waitEnded(left.waiter, with: .failed(reason), at: now)
            }
        }
    }

    private mutating func retry(_ left: RunRest, after pause: Duration, at now: Moment) -> [RunEffect] {
        course.attempt += 1
        let due = now.advanced(by: pause)
        rest(at: Stop(Place(left), for: .attempt(due: now.unix(of: due))))
        let change = RunProgress.Change.retrying(
            action: left.action,
            attempt: course.attempt,
            after: pause,
            reason: course.failure ?? ""
        )
        return [
            .wake(.retry(id, left.waiter), at: due), .keepProgress, .tell(change, toAll: false), .publish(standing),
        ]
    }

    private mutating func park(_ left: RunRest, because reason: String, at now: Moment) -> [RunEffect] {
        course.park()
        clock.stop(at: now)
        let over = over
        state = .parked(Place(left), reason: reason, inner: nil, opened.filter { over[$0.key] == nil })
        let change = RunProgress.Change.parked(action: left.action, reason: reason)
        let resumed = over.sorted { $0.key.number < $1.key.number }.map { RunEffect.emit(.resume($0.key, $0.value)) }
        return resumed + [
            warning("\(left.action): \(reason)"), .keepProgress, .tell(change, toAll: true), .publish(standing),
            .reportParking,
        ]
    }

    private func warning(_ reason: String) -> RunEffect {
        .emit(.warn(.run(id, pipeline, state: .parked, reason: reason)))
    }

    /// Suspends the run, because one of its actions opened a signal that waits for a decision.
    mutating func opened(_ signal: Name, _ waiter: WaiterID, of action: String) -> [RunEffect] {
        if place?.waiter != waiter { updateOpened { $0[waiter] = signal } }
        giveUpSlot()
        let change = RunProgress.Change.waiting(action: action, signal: SignalID(signal))
        return [.keepProgress, .tell(change, toAll: true), .publish(standing)]
    }

    /// Suspends the run until `inner`, the run that its action requested, has ended.
    mutating func awaits(_ inner: Name) -> [RunEffect] {
        rest(until: .run(inner))
        postponements = 0
        return [.keepProgress, .publish(standing)]
    }

    /// Suspends the run for a pause, because the worker is too busy to begin the run that its action requested.
    ///
    /// The first pause takes 1 s, and each further one twice as long, up to 60 s. After the pause the action requests
    /// the run again; this does not count as another attempt.
    mutating func postponed(because reason: String, at now: Moment) -> [RunEffect] {
        guard let waiter = place?.waiter else { return [] }
        let due = now.advanced(by: Backoff(from: .seconds(1), upTo: .seconds(60)).pause(after: postponements))
        postponements += 1
        rest(until: .attempt(due: now.unix(of: due)))
        course.failure = reason.asReason
        return [.wake(.retry(id, waiter), at: due), .keepProgress, .publish(standing)]
    }

    /// Ends the wait for `inner`, the run that the action requested; does nothing if this run no longer waits for it.
    mutating func innerEnded(_ inner: Name, _ result: RunResult, at now: Moment) -> [RunEffect] {
        guard awaitedRun == inner, let waiter = place?.waiter else { return [] }
        return waitEnded(waiter, with: .ended(result), at: now)
    }

    /// Ends an action's wait for a signal, because the action opened the same signal again under another waiter.
    mutating func superseded(_ waiter: WaiterID) { forget(waiter) }

    /// Has the run wait for something else at the place where it has stopped.
    private mutating func rest(until wait: Wait) {
        guard let place else { return }
        rest(at: Stop(Place(action: place.action, waiter: place.waiter, failure: nil), for: wait))
    }

    /// Has the run wait at a place, without a slot.
    private mutating func rest(at stop: Stop) {
        stopped(at: stop)
        giveUpSlot()
    }

    /// Records where the run has stopped, and what it waits for there; a run that holds a slot keeps it.
    private mutating func stopped(at stop: Stop) {
        switch state {
        case .running(let opened), .settling(_, let opened): state = .settling(stop, opened)
        case .waiting(_, let opened), .waitingInCode(let opened): state = .waiting(stop, opened)
        case .ready(_, let opened, let over):
            state = .ready(stop, opened, over: over.filter { $0.key == stop.place.waiter || opened[$0.key] != nil })
        case .queued, .parked, .stopping: break
        }
    }

    /// Gives up the slot, because the run waits.
    private mutating func giveUpSlot() {
        switch state {
        case .running(let opened): state = .waitingInCode(opened)
        case .settling(let stop, let opened): state = .waiting(stop, opened)
        case .queued, .waiting, .waitingInCode, .ready, .parked, .stopping: break
        }
    }
}

// Time and people.
extension RunMachine {
    /// Whether the run is suspended until its next attempt, with `waiter` as the waiter of this suspension.
    func isRetried(by waiter: WaiterID) -> Bool {
        guard let stop, stop.place.waiter == waiter else { return false }
        if case .attempt = stop.wait { return true } else { return false }
    }

    /// Prepares a parked run for its redrive: the clock of its deadline runs on, and its crashes count from zero.
    mutating func redriven(at now: Moment) -> [RunEffect] {
        guard case .parked(let place, _, _, _) = state else { return [] }
        var effects: [RunEffect] = []
        if let deadline = clock.start(at: now) {
            effects += [.wake(.runDeadline(id, redrives: clock.redrives), at: deadline), .keepRun]
        }
        course.crashes = 0
        return effects + [.tell(.redriven(action: place.action), toAll: true)]
    }

    /// Lets the run wait again at the gate where it was suspended; `waiter` is the waiter that the signal still has.
    mutating func rejoined(_ signal: Name, _ waiter: WaiterID) -> [RunEffect] {
        guard let place else { return [] }
        course.failure = nil
        let stop = Stop(Place(action: place.action, waiter: waiter, failure: nil), for: .decision(signal))
        if case .parked(_, _, _, let opened) = state { state = .waiting(stop, opened) } else { stopped(at: stop) }
        let change = RunProgress.Change.waiting(action: place.action, signal: SignalID(signal))
        return [.keepProgress, .tell(change, toAll: true), .publish(standing)]
    }

    /// Replaces the definition of the run, and the values for its next task.
    ///
    /// If the current action requested a run and the action's definition has changed, the next attempt at the action
    /// gets a higher number, and so requests a new run.
    mutating func renewed(_ definition: RunDefinition, values: [String: any Sendable]) {
        if case .parked(let place, _, _?, _) = state,
            self.definition.digest(of: place.action) != definition.digest(of: place.action)
        {
            course.breakOff()
        }
        (self.definition, self.values) = (definition, values)
    }

    /// Stops the run, so that the run ends in the state `end`.
    ///
    /// A queued run ends at once. For any other run the waits close now, its task is cancelled, and the run ends when
    /// the task returns.
    ///
    /// A later stop changes nothing.
    mutating func stop(as end: RunResult.State, reason: String, at now: Moment) -> [RunEffect] {
        if isStopping { return [] }
        if case .queued = state {
            return [.finish(RunResult(run: RunID(id), state: end, reason: reason, actions: []))]
        }
        let (account, place, waiters, over, inner) = (account.withoutQueue, place, waiters, over, innerRun)
        state = .stopping(Ending(state: end, reason: reason, account: account, wasAtRest: place != nil))
        // The task is cancelled before the waits end, so that no action begins because a wait was closed.
        var effects: [RunEffect] = [.emit(.cancel(id))]
        let closed = GateDecision.closed(why: reason.asReason)
        for (waiter, signal) in waiters {
            if let signal { effects.append(.close(signal, waiter, closed)) }
            let outcome = over[waiter] ?? .decided(closed)
            if let place, place.waiter == waiter {
                if let inner { effects.append(.stopInner(inner)) }
                effects += resume(place, with: outcome, at: now)
            } else {
                effects.append(.emit(.resume(waiter, outcome)))
            }
        }
        return effects + [.keepProgress, .wakeAfterGrace(.runGrace(id))]
    }

    /// Closes all waits of a run that has ended; no task of the run reports anything afterwards.
    mutating func closeWaits() -> [RunEffect] {
        let (place, over, inner) = (place, over, innerRun)
        let closed = GateDecision.closed(why: "The waiting run ended.")
        var effects: [RunEffect] = []
        for (waiter, signal) in waiters {
            if let signal { effects.append(.close(signal, waiter, closed)) }
            if place?.waiter == waiter {
                if let inner { effects.append(.stopInner(inner)) }
            } else {
                effects.append(.emit(.resume(waiter, over[waiter] ?? .decided(closed))))
            }
        }
        if place != nil { effects.append(.emit(.dropRest(id))) }
        forgetWaits()
        return effects
    }

    /// Prepares an executing run for the next worker, which resumes the run at once and counts no crash.
    mutating func leftBehind() -> [RunEffect] {
        switch state {
        case .running, .settling: break
        case .queued, .waiting, .waitingInCode, .ready, .parked, .stopping: return []
        }
        course.breakOff()
        let place = Place(action: course.next ?? "", waiter: WaiterID(number: 0), failure: nil)
        state = .waiting(Stop(place, for: .attempt(due: 0)), [:])
        return [.keepProgress]
    }
}

// Runs that an earlier worker began.
extension RunMachine {
    /// Restores the state that an earlier worker left; the run has no task yet.
    ///
    /// The run's wait gets the id `waiter`. `isKept` says whether the store has `record`.
    mutating func restore(_ record: ProgressRecord, isKept: Bool, _ waiter: WaiterID, at now: Moment) {
        course = RunCourse(record)
        (isRestored, keeping.hasRecord) = (true, isKept)
        let action = course.next ?? ""
        func place(_ failure: String? = nil) -> Place {
            course.failure = action.isEmpty ? nil : failure
            return Place(action: action, waiter: waiter, failure: course.failure)
        }
        switch record.state {
        case .executing:
            state = .waiting(Stop(place("The worker died before the action ended."), for: .nothing), [:])
        case .waiting(let signal): state = .waiting(Stop(place(), for: .decision(signal)), [:])
        case .awaiting(let run): state = .waiting(Stop(place(), for: .run(run)), [:])
        case .retrying(let due):
            let why =
                due == 0
                ? "The worker stopped before the action ended."
                : "The last attempt did not succeed, and then the worker stopped or died."
            state = .waiting(Stop(place(why), for: .attempt(due: due)), [:])
        case .parked(let reason, let remaining):
            if let remaining { clock = RunClock(remaining: .milliseconds(remaining)) } else { clock.stop(at: now) }
            state = .parked(place(reason), reason: reason, inner: nil, [:])
        case .stopping(let end, let reason):
            let account = Account(slot: .none, isActive: false)
            state = .stopping(Ending(state: end, reason: reason, account: account, wasAtRest: true))
        }
    }

    /// Counts a crash: a worker died while it was executing the run.
    mutating func interrupted() -> [RunEffect] {
        course.crashes += 1
        course.breakOff()
        return []
    }

    /// Handles a changed definition of the pipeline: the next attempt at the current action gets a higher number.
    ///
    /// If the action waits for a requested run, for its next attempt or for a redrive, the number stays the same.
    mutating func redefined() -> [RunEffect] {
        switch stop?.wait {
        case .nothing, .decision: return brokenOff()
        // The action requests the same run again.
        case .run, .attempt, nil: return []
        }
    }

    /// Records that the current action must execute again, with a higher attempt number.
    mutating func brokenOff() -> [RunEffect] {
        course.breakOff()
        return []
    }

    /// Records that the run waits for `signal` at the gate where it is suspended; `waiter` identifies the wait.
    mutating func waitsOn(_ signal: Name, with waiter: WaiterID) -> [RunEffect] {
        course.failure = nil
        let place = Place(action: place?.action ?? "", waiter: waiter, failure: nil)
        stopped(at: Stop(place, for: .decision(signal)))
        return []
    }

    /// Forgets where the run was suspended, because no task can resume it there.
    mutating func forgetStop() -> [RunEffect] {
        switch state {
        case .settling(_, let opened): state = .running(opened)
        case .waiting(_, let opened): state = .waitingInCode(opened)
        case .ready(_, let opened, let over): state = .ready(nil, opened, over: over.filter { opened[$0.key] != nil })
        case .queued, .running, .waitingInCode, .parked, .stopping: break
        }
        return []
    }

    /// Parks a restored run before it resumes.
    mutating func parked(because reason: String, at now: Moment) -> [RunEffect] {
        guard let place else { return [] }
        let isNew = parkingReason == nil
        clock.stop(at: now)
        course.failure = place.action.isEmpty ? nil : reason
        let parked = Place(action: place.action, waiter: place.waiter, failure: course.failure)
        state = .parked(parked, reason: reason, inner: innerRun, [:])
        return [.keepProgress, warning(reason)] + (isNew ? [.reportParking] : [])
    }
}

// Listeners.
extension RunMachine {
    /// Changes who hears of the run.
    mutating func updateAudience<Value>(_ change: (inout RunAudience) -> Value) -> Value { change(&audience) }
}

// Records.
extension RunMachine {
    /// Records that the run's stored progress is out of date.
    ///
    /// - Returns: Whether the stored progress was up to date before.
    mutating func fallsBehind() -> Bool {
        defer { keeping.isBehind = true }
        return !keeping.isBehind
    }

    /// Returns the run's progress for the store; nil if no action can have executed.
    mutating func takeProgress() -> ProgressRecord? {
        keeping.isBehind = false
        guard let kept = keptState else { return nil }
        keeping.hasRecord = true
        return ProgressRecord(self, kept)
    }
}

// Waits.
extension RunMachine {
    /// Forgets what code of an action waited for under this id.
    private mutating func forget(_ waiter: WaiterID) { updateOpened { $0[waiter] = nil } }

    /// Forgets everything that the run waits for.
    private mutating func forgetWaits() {
        _ = forgetStop()
        updateOpened { $0 = [:] }
    }

    private mutating func updateOpened(_ change: (inout Opened) -> Void) {
        var opened = opened
        change(&opened)
        switch state {
        case .running: state = .running(opened)
        case .settling(let stop, _): state = .settling(stop, opened)
        case .waiting(let stop, _): state = .waiting(stop, opened)
        case .waitingInCode: state = .waitingInCode(opened)
        case .ready(let stop, _, let over):
            state = .ready(
                stop,
                opened,
                over: over.filter { $0.key == stop?.place.waiter || opened[$0.key] != nil }
            )
        case .parked(let place, let reason, let inner, _):
            state = .parked(place, reason: reason, inner: inner, opened)
        case .queued, .stopping: break
        }
    }
}

extension RunMachine.Stop {
    /// The same place, where the run waits no longer for its gate if its wait ends so that it may go on.
    ///
    /// The run then evaluates again whether it needs the gate.
    fileprivate func goingOn(from waiter: WaiterID, with outcome: WaitOutcome) -> Self {
        guard case .proceed = outcome, waiter == place.waiter, wait.signal != nil else { return self }
        return Self(place, for: .nothing)
    }
}
