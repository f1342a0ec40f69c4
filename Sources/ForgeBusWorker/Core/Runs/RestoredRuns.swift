import ForgeBusProtocol
import ForgeBusStore

/// Restores the runs of an earlier worker: they resume, keep waiting, stay parked or end.
extension WorkerState {
    /// Restores an unfinished run.
    mutating func restore(_ record: RunRecord, _ progress: ProgressRecord?) {
        let (id, now) = (record.run, step.moment)
        let change = change(ahead: record, progress)
        var run = RunMachine(record, followsTransitions: configuration.keepsRecords, at: now)
        if change == nil, let pipeline = runs.pipelines[run.pipeline] {
            // The accepted seeds still fit, because the declared seeds have not changed.
            // Runs with equal definitions share one copy of the digests.
            let shared = runs.definitions[record.pipeline].flatMap { $0 == run.definition ? $0 : nil } ?? run.definition
            run.renewed(shared, values: (try? Seed.values(of: record.seeds, declared: pipeline.seeds)) ?? [:])
        }
        if let deadline = run.clock.deadline { step.wake(.runDeadline(id, redrives: 0), at: deadline) }
        // A run that began, but whose conditions were not all evaluated, begins again; the worker's death counts as a
        // crash of the run.
        if let kept = progress ?? (record.began != nil ? ProgressRecord(run: id) : nil) {
            run.restore(kept, isKept: progress != nil, signals.mintWaiter(), at: now)
            runs.takeOver(run)
            resume(id, kept, change)
        } else if let change {
            let kept = ProgressRecord(run: id, state: .retrying(due: 0))
            run.restore(kept, isKept: false, signals.mintWaiter(), at: now)
            runs.takeOver(run)
            park(id, because: change.reason(of: record.pipeline))
        } else {
            runs.takeOver(run)
            runs.enqueue(id)
        }
    }

    /// Finds the first change of the pipeline's definition that concerns the unfinished part of the run.
    ///
    /// The comparison is with the definition under which the run was accepted or last redriven.
    ///
    /// - Returns: The change; nil if the run can resume.
    private func change(ahead record: RunRecord, _ progress: ProgressRecord?) -> DefinitionChange? {
        guard let pipeline = runs.pipelines[record.pipeline], let current = runs.definitions[record.pipeline] else {
            return .gone
        }
        return record.definition
            .change(to: current, requiring: pipeline.requirements, after: RunCourse(of: progress))
    }

    private mutating func resume(_ id: Name, _ progress: ProgressRecord, _ change: DefinitionChange?) {
        let now = step.moment
        guard let run = runs[id] else { return }
        if case .stopping(let state, let reason) = progress.state {
            return finish(id, runs.result(of: run, state, reason, at: now))
        }
        if let action = run.course.next { renewRule(of: run, at: action) }
        if let change {
            advance(id) { $0.redefined() }
            return park(id, because: change.reason(of: run.pipeline))
        }
        if let key = progress.unkept { journal("begun_again", id, ["unkept": .string(key)]) }
        switch progress.state {
        case .executing where run.course.isThrough:
            // All actions have ended; only the end of the run was not reported yet.
            let outputs = runs.outputs(of: run, beside: run.course.actions)
            advance(id) { $0.forgetStop() }
            runEnded(id, run.course.actions, outputs?.values ?? [:], outputs?.flaw)
        case .executing: interrupted(id)
        case .waiting: waitOn(id)
        case .retrying(let due):
            guard let waiter = run.place?.waiter else { return }
            step.wake(.retry(id, waiter), at: now.at(unix: due, atMost: ActionPolicy.longestBackoff))
        // When all runs are restored, `resumeRequesters` decides whether this run resumes.
        case .awaiting: break
        case .parked, .stopping: break
        }
    }

    /// Counts a crash of the run, because the worker died while the run was executing; then resumes the run.
    ///
    /// Parks the run instead after ``RunCourse/mostCrashes`` crashes in the same action.
    private mutating func interrupted(_ id: Name) {
        advance(id) { $0.interrupted() }
        guard let run = runs[id], let place = run.place else { return }
        let crashes = run.course.crashes
        if crashes >= RunCourse.mostCrashes {
            return park(id, because: Errors.crashed(crashes, action: place.action))
        }
        let now = step.moment
        var outcome = WaitOutcome.proceed
        // If the gate is decided, the run does not evaluate again whether the gate is needed.
        if let signal = runs.gateSignal(of: run, at: place.action),
            let decision = signals.decision(on: signal, for: .action(id, place.action))
        {
            outcome = .decided(decision)
            advance(id) { $0.waitsOn(signal, with: place.waiter) }
        }
        advance(id) { $0.waitEnded(place.waiter, with: outcome, at: now) + [.keepProgress] }
        journal("taken_up_again", id, ["action": .string(place.action), "crashes": .integer(Int64(crashes))])
    }

    /// Lets the run wait at its gate again, or resumes it with a decision that came in the meantime.
    private mutating func waitOn(_ id: Name) {
        guard let run = runs[id], let stop = run.stop, let signal = stop.wait.signal else { return }
        let place = stop.place
        let (owner, now) = (SignalOwner.action(id, place.action), step.moment)
        var outcome = WaitOutcome.proceed
        if runs.pipelines[run.pipeline]?.gate(place.action) == nil {
            // An action that waits inside its own code executes again, opens the signal again, and gets its decision.
            advance(id) { $0.brokenOff() }
        } else if let waiting = signals.waiting[signal], waiting.owner == owner {
            return advance(id) { $0.waitsOn(signal, with: waiting.waiter) }
        } else if let decision = signals.decision(on: signal, for: owner) {
            outcome = .decided(decision)
        }
        advance(id) { $0.waitEnded(place.waiter, with: outcome, at: now) }
    }

    /// Parks the run and stops its clock, or ends the run if its deadline has passed.
    ///
    /// If the run is parked already, its reason is kept, and the new reason is added to it.
    private mutating func park(_ id: Name, because reason: String) {
        guard let run = runs[id] else { return }
        let now = step.moment
        if run.clock.remaining == nil, let deadline = run.clock.deadline, deadline <= now {
            // The run's deadline passed while no worker ran.
            advance(id) { $0.forgetStop() }
            return finish(id, runs.result(of: run, .timedOut, Errors.deadlinePassed, at: now))
        }
        let full = run.parkingReason.map { $0.asParkingReason(andSince: reason) } ?? reason
        if full == run.parkingReason { return }
        advance(id) { $0.parked(because: full, at: now) }
        journal("parked", id, ["action": .string(run.course.next ?? ""), "reason": .string(full)])
    }

    private mutating func journal(_ event: String, _ id: Name, _ details: JSONObject) {
        let entry = JournalEntry(at: step.moment.unixMilliseconds, event, run: id, details: details)
        journal(entry)
    }
}

extension RunMachine {
    /// Restores a run that an earlier worker accepted and that has not ended.
    init(_ record: RunRecord, followsTransitions: Bool, at now: Moment) {
        let terms = RunTerms(
            id: record.run,
            request: record.request,
            fingerprint: record.fingerprint,
            pipeline: record.pipeline,
            accepted: record.accepted,
            principal: record.principal,
            via: record.via,
            seeds: record.seeds,
            title: record.title,
            key: record.key,
            origin: record.origin
        )
        // Higher than every number that an earlier worker used: no run changes more than once per microsecond.
        let told = Int(min(max(0, now.unixMilliseconds &- record.accepted), 1 << 50) * 1000)
        self.init(
            terms,
            definition: record.definition,
            values: [:],
            deadline: record.deadline.map { now.at(unix: $0) },
            audience: RunAudience(followsTransitions: followsTransitions, changesTold: told),
            began: record.began
        )
    }
}

extension String {
    /// Returns this reason of a parked run with a later reason added, unless the text contains that reason already.
    func asParkingReason(andSince later: String) -> String {
        let later = later.prefix(1).lowercased() + later.dropFirst()
        if lowercased().contains(later.lowercased()) { return self }
        let first = hasSuffix(".") ? dropLast() : self[...]
        return "\(first); after that: \(later)".asReason
    }
}
