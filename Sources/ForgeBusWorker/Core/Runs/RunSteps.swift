import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Begins, advances and ends runs, and carries out what their state machines decide.
extension WorkerState {
    /// Begins an accepted run: it gets a free slot, or waits for one.
    mutating func begin(_ run: RunMachine) {
        step.publish(run, .queued)
        if let deadline = run.clock.deadline { step.wake(.runDeadline(run.id, redrives: 0), at: deadline) }
        if runs.begin(run) { grantSlot(run.id) } else { fillSlots() }
        // A run that got a slot was stored at that moment.
        if let run = runs[run.id], case .queued = run.state { keep(run) }
    }

    /// Gives the free slots to the runs that wait for them.
    ///
    /// Before that, ends the runs that newer runs supersede.
    mutating func fillSlots() {
        for (old, new) in runs.takeSuperseded() { supersede(old, by: new) }
        while let id = runs.takeSlot() { grantSlot(id) }
    }

    private mutating func grantSlot(_ id: Name) {
        let now = step.moment
        advance(id) { $0.slotGranted(at: now) }
    }

    /// Ends a run, because a newer run with the same key supersedes it.
    private mutating func supersede(_ old: Name, by new: RunMachine) {
        // The run may have ended with another one since.
        guard let run = runs[old], !run.isStopping else { return }
        let place = runs.place(of: old)
        stop(old, as: .cancelled, reason: Errors.superseded(by: new.id))
        let event = AuditRecord.Event.superseded(old, by: new.id)
        step.audit(
            AuditRecord(event, principal: new.principal, via: new.terms.via, request: new.request.id),
            place: place
        )
    }

    /// Passes an event to a run's state machine, and carries out the effects.
    mutating func advance(_ id: Name, _ event: (inout RunMachine) -> [RunEffect]) {
        for effect in runs.advance(id, event) { carryOut(effect, of: id) }
    }

    private mutating func carryOut(_ effect: RunEffect, of id: Name) {
        switch effect {
        case .emit(let effect): step.emit(effect)
        case .open(let opening): open(opening, of: id)
        case .request(let request): step.request(request)
        case .stopInner(let inner): stop(inner, requestedBy: id)
        case .reportParking: if let run = runs[id] { report(parked: run) }
        case .close(let signal, let waiter, let decision): close(signal, waiter, as: decision)
        case .tell(let change, let toAll): tell(change, of: id, toAll: toAll)
        case .publish(let state): if let run = runs[id] { step.publish(run, state) }
        case .keepRun: if let run = runs[id] { keep(run) }
        case .keepProgress: if configuration.keepsRecords { runs.fallBehind(id) }
        case .wake(let due, let moment): step.wake(due, at: moment)
        case .wakeAfterGrace(let due): step.wake(due, at: step.moment.advanced(by: configuration.cancelGrace))
        case .finish(let result): finish(id, result)
        }
    }

    private mutating func tell(_ change: RunProgress.Change, of id: Name, toAll: Bool) {
        guard let (number, audience) = runs.numberNextChange(of: id, toldToAll: toAll) else { return }
        if configuration.keepsRecords, let entry = JournalEntry(change, of: id, at: step.moment) { journal(entry) }
        for listener in audience {
            let progress = RunProgress(run: RunID(id), sequence: number, change: change)
            step.answer(listener.caller, listener.request, .progress(progress))
        }
    }

    /// Ends a run: stores its result, and sends it to the listeners.
    mutating func finish(_ id: Name, _ result: RunResult) {
        advance(id) { $0.closeWaits() }
        guard let run = runs[id] else { return }
        forgetOrphans(of: id)
        let texts = configuration.keepsRecords ? runs.texts(of: run, signals).json : [:]
        signals.digest(of: id)
        runs.end(run, as: EndedRun(run, result, hasTexts: !texts.isEmpty, at: step.moment.unixMilliseconds))
        step.finish(run.request)
        keep(run, with: result, texts: texts)
        if run.keeping.hasRecord { step.forget(.progress(id)) }
        let state = StateReport.State(result.state)
        step.publish(run, state)
        if result.state.isTrouble {
            step.emit(.warn(.run(id, run.pipeline, state: state, reason: result.reason)))
        }
        for listener in run.audience.listeners where !listener.isDetached {
            step.answer(listener.caller, listener.request, .result(result))
        }
        report(run, result)
        resumeRequester(of: run, result)
    }
}

// Listeners.
extension WorkerState {
    /// Adds a listener to an unfinished run.
    ///
    /// - Returns: The listener's number; nil if no unfinished run has this id.
    @discardableResult
    mutating func attach(_ listener: RunAudience.Listener, to id: Name) -> Int? {
        if listener.wantsProgress, runs.follow(id) { step.emit(.follow(id)) }
        guard let (number, letGo) = runs.attach(listener, to: id) else { return nil }
        if let letGo, letGo.hasAttached { tellStanding(of: id, to: letGo) }
        return number
    }

    /// Ends the wait of an attached listener: the listener gets the run's state, and nothing more.
    ///
    /// Does nothing if the caller has sent the request again: the repetition made a new listener with its own patience.
    mutating func endAttachment(to id: Name, listener number: Int) {
        guard let listener = runs[id]?.audience.listener(number) else { return }
        tellStanding(of: id, to: listener)
        runs.detach(number, from: id)
    }

    /// Tells an attached listener the run's state.
    private mutating func tellStanding(of id: Name, to listener: RunAudience.Listener) {
        guard let standing = runs[id]?.standing else { return }
        step.answer(listener.caller, listener.request, .ok(StateReport(standing, run: RunID(id))))
    }

    /// Detaches the listeners that the access policy no longer lets wait, and tells them why.
    mutating func endWaitsForRuns() {
        for run in runs.unfinished.sorted(by: { $0.id < $1.id }) {
            for listener in run.audience.listeners where !listener.isDetached {
                guard let error = access.endOfWait(of: listener, for: run) else { continue }
                step.answer(listener.caller, listener.request, .error(error))
            }
        }
        runs.detachAll { [access] in access.endOfWait(of: $0, for: $1) != nil }
    }
}

// Records.
extension WorkerState {
    /// Stores a run, with its result if it has ended.
    mutating func keep(_ run: RunMachine, with result: RunResult? = nil, texts: JSONObject = [:]) {
        guard configuration.keepsRecords else { return }
        let retention = configuration.retention
        let record = RunRecord(run, result, hasTexts: !texts.isEmpty, keptFor: retention, at: step.moment)
        if !texts.isEmpty { step.keep(.texts(RunTexts(run: run.id, members: texts))) }
        step.keep(.run(record))
    }

    /// Stores the output of an attempt at an action; drops the output of an action whose run has ended.
    mutating func printed(_ id: Name, _ printed: PrintedOutput) {
        guard runs[id] != nil, step.keepsRecords else { return }
        let output = ActionOutput(
            of: printed.action,
            in: id,
            attempt: printed.attempt,
            at: step.moment.unixMilliseconds,
            failure: printed.failure?.asReason,
            output: printed.output,
            errors: printed.errors
        )
        step.keep(output)
    }

    /// Leaves the run to the next worker: stores its progress, and drops the run.
    mutating func leaveBehind(_ id: Name) {
        if let record = runs.takeProgress(of: id) { step.keep(.progress(record)) }
        runs.leave(id)
    }

    /// Forgets a run's result, because its request was forgotten.
    mutating func forget(_ id: Name) {
        let over = runs.forget(id)
        step.forget(.run(id))
        if over?.hasTexts == true { step.forget(.texts(id)) }
    }

    /// Adds an entry to the journal; that of a run is ordered by how many of the run's actions have ended.
    mutating func journal(_ entry: @autoclosure () -> JournalEntry) {
        guard step.keepsRecords else { return }
        let entry = entry()
        step.journal(entry, place: entry.run.flatMap { runs.place(of: $0) })
    }
}
