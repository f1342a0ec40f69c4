import ForgeBusProtocol
import ForgeBusStore

/// What becomes of a run that an earlier worker left: it goes on, waits on, stays parked, or comes to its end.
extension WorkerCore {
    /// A run that ended: its result is kept for what is left of its time.
    mutating func restore(_ record: RunRecord, _ end: RunRecord.End) {
        let over = EndedRun(record, end)
        ended[record.run] = over
        bounds.restored(over)
    }

    /// A run that did not end: it goes on as it stood, or is parked where its pipeline is another now.
    mutating func restore(_ record: RunRecord, _ progress: ProgressRecord?, at now: Moment) {
        var run = Run(record, tellsTransitions: configuration.keepsRecords)
        run.deadline = record.deadline.map { now.at(unix: $0) }
        run.changesTold = run.numberBeforeNextChange(at: now)
        bounds.began(run)
        run.hasProgressKept = progress != nil
        if let progress { run.course = RunCourse(progress) }
        let isSame = definitions[run.pipeline] == run.definition
        if isSame, let pipeline = pipelines[run.pipeline] {
            // What was taken under this definition fits it.
            run.values = (try? Seed.values(of: run.terms.seeds, declared: pipeline.seeds)) ?? [:]
        }
        if let deadline = run.deadline { deadlines.add(.runDeadline(run.id, redrives: 0), at: deadline) }
        // One that has begun and answered no condition yet begins again, and remembers that a worker died with it.
        guard let progress = progress ?? (record.began != nil ? ProgressRecord(run: record.run) : nil) else {
            runs[run.id] = run
            if isSame { return queues.enqueue(run.id, of: run.pipeline) }
            return park(run, because: whyParked(run.pipeline), remaining: nil, at: now)
        }
        run.state = .running
        run.isRestored = true
        if case .stopping(let state, let reason) = progress.standing {
            runs[run.id] = run
            return finish(run, result(of: run, state, reason), at: now)
        }
        guard isSame else {
            var remaining: Int64?
            switch progress.standing {
            case .parked(_, let left): remaining = left
            case .executing, .waiting: run.course.breakOff()
            case .retrying, .stopping: break
            }
            return park(run, because: whyParked(run.pipeline), remaining: remaining, at: now)
        }
        if let key = progress.unkept { journal("begun_again", run.id, ["unkept": .string(key)]) }
        goOn(run, progress.standing, at: now)
    }

    /// What a run comes to of which nothing is executed any more, not even to say that.
    func result(
        of run: Run,
        _ state: RunResult.State,
        _ reason: String,
        brokenOff: String = "The worker died meanwhile."
    ) -> RunResult {
        let actions = run.course.actions(brokenOff: brokenOff, at: age(of: run))
        let outputs = outputs(of: run, beside: actions)?.values ?? [:]
        return RunResult(run: run.id, state: state, reason: reason, actions: actions, outputs: outputs)
    }

    /// All its actions had ended when the worker died: only that was still to be told.
    private mutating func conclude(_ run: Run, at now: Moment) {
        runs[run.id] = run
        let outputs = outputs(of: run, beside: run.course.actions)
        end(run.id, run.course.actions, outputs?.values ?? [:], outputs?.flaw, at: now)
    }

    /// What its values are worth to whoever asked for it; nil where its pipeline is not served any more.
    private func outputs(of run: Run, beside actions: [ActionOutcome]) -> RunOutputs? {
        var values = run.values
        for value in run.course.values { values[value.key] = value.restored }
        return pipelines[run.pipeline].map { RunOutputs(of: $0, values, beside: actions) }
    }

    /// A run goes on as it stood.
    private mutating func goOn(_ run: Run, _ standing: ProgressRecord.Standing, at now: Moment) {
        let action = run.course.next ?? ""
        switch standing {
        case .executing where run.course.isThrough: conclude(run, at: now)
        case .executing: takeUpAgain(run, at: now)
        case .waiting(let signal): wait(run, action, for: signal)
        case .retrying(let due):
            let failure = due == 0 ? "The worker stopped meanwhile." : "It failed, and was to be tried again."
            let waiter = rest(run, action, in: .retry(action: action, due: due), failure: failure)
            deadlines.add(.retry(run.id, waiter), at: moment(unix: due, atMost: ActionPolicy.longestBackoff))
        // It was parked before: that is no news.
        case .parked(let reason, let remaining): rest(run, parkedBecause: reason, remaining: remaining, at: now)
        case .stopping: fatalError("A run that is to end does not go on.")
        }
    }

    /// A worker died while the run was executing.
    private mutating func takeUpAgain(_ run: Run, at now: Moment) {
        var run = run
        run.course.crashes += 1
        run.course.breakOff()
        let action = run.course.next ?? ""
        if run.course.crashes >= RunCourse.mostCrashes {
            let name = action.isEmpty ? "its conditions were asked" : "\(action) was executing"
            let reason = "The worker died \(run.course.crashes) times while \(name)."
            return park(run, because: reason, remaining: nil, at: now)
        }
        let owner = SignalOwner.action(run.id, action)
        if let signal = signal(of: run, at: action), gates.decision(on: signal, for: owner) != nil {
            // A gate that was decided is not asked again whether it is needed.
            wait(run, action, for: signal)
        } else {
            proceed(run, action, failure: action.isEmpty ? nil : "The worker died meanwhile.")
        }
        keepProgress(of: run.id)
        journal("taken_up_again", run.id, ["action": .string(action), "crashes": .integer(Int64(run.course.crashes))])
    }

    /// The run is taken up again as soon as it has a slot.
    private mutating func proceed(_ run: Run, _ action: String, failure: String? = nil) {
        let waiter = rest(run, action, in: .retry(action: action, due: 0), failure: failure)
        proceed(run.id, waiter, with: .proceed)
    }

    /// The run waits on, or learns what was decided meanwhile.
    private mutating func wait(_ run: Run, _ action: String, for signal: SignalID) {
        let owner = SignalOwner.action(run.id, action)
        // An action that waits within itself is executed again, opens the signal again, and gets what stands.
        guard pipelines[run.pipeline]?.gate(action) != nil else {
            var run = run
            run.course.breakOff()
            return proceed(run, action)
        }
        if let waiting = gates.waiting(under: signal), waiting.owner == owner {
            rest(run, action, in: .signal(signal), waiter: waiting.waiter)
        } else if let decision = gates.decision(on: signal, for: owner) {
            let waiter = rest(run, action, in: .signal(signal))
            proceed(run.id, waiter, with: .decided(decision))
        } else {
            proceed(run, action)
        }
    }

    /// The run rests at an action, without a slot.
    @discardableResult
    private mutating func rest(
        _ run: Run,
        _ action: String,
        in wait: Run.Wait,
        failure: String? = nil,
        waiter known: WaiterID? = nil
    ) -> WaiterID {
        let waiter = known ?? mintWaiter()
        var run = run
        run.rest = Run.Rest(action: action, waiter: waiter, failure: failure)
        run.course.failure = failure
        run.waits = [waiter: wait]
        run.isActive = false
        runs[run.id] = run
        bounds.paused(run)
        return waiter
    }

    /// The run stops now until somebody redrives it.
    private mutating func park(_ run: Run, because reason: String, remaining: Int64?, at now: Moment) {
        if remaining == nil, let deadline = run.deadline, deadline <= now {
            // Its clock did not stand still before: the deadline passed while no worker was there.
            runs[run.id] = run
            return finish(run, result(of: run, .timedOut, Self.deadlinePassed), at: now)
        }
        rest(run, parkedBecause: reason, remaining: remaining, at: now)
        keepProgress(of: run.id)
        emit(.warn(.run(run.id, run.pipeline, state: .parked, reason: reason)))
        journal("parked", run.id, ["action": .string(run.course.next ?? ""), "reason": .string(reason)])
    }

    private mutating func rest(_ run: Run, parkedBecause reason: String, remaining: Int64?, at now: Moment) {
        var run = run
        run.state = .running
        run.remaining = remaining.map { .milliseconds($0) } ?? run.deadline.map { $0.since(now) }
        run.deadline = nil
        let action = run.course.next ?? ""
        rest(run, action, in: .redrive(action: action, reason: reason), failure: action.isEmpty ? nil : reason)
    }

    private mutating func journal(_ event: String, _ run: RunID, _ details: JSONObject) {
        let entry = JournalEntry(at: moment.unixMilliseconds, event, run: run, details: details)
        append(entry)
    }

    private func whyParked(_ pipeline: PipelineName) -> String {
        definitions[pipeline] == nil
            ? "The pipeline \(pipeline) is not served any more."
            : "The pipeline \(pipeline) is defined otherwise than when the run was taken."
    }

    /// A run that was taken under another definition is to go on under the one that holds.
    ///
    /// - Throws: ``BusError`` with code `unknown_pipeline` where there is none, and `bad_seed` or
    ///   `id_taken` where its seeds do not fit that one.
    mutating func renew(_ id: RunID, for principal: AccessPolicy.Principal) throws(BusError) {
        guard let run = runs[id], definitions[run.pipeline] != run.definition else { return }
        guard let pipeline = pipelines[run.pipeline], let definition = definitions[run.pipeline] else {
            throw unknown(run.pipeline)
        }
        let values = try Seed.values(of: run.terms.seeds, declared: pipeline.seeds)
        try checkGates(of: id, of: pipeline, with: values, after: run.course.actions, for: principal)
        runs[id]?.values = values
        runs[id]?.definition = definition
        if let run = runs[id] { keepRun(run, at: moment) }
        closeStrays(of: id, at: moment)
    }
}

extension Run {
    /// A run that an earlier worker took and did not end.
    fileprivate init(_ record: RunRecord, tellsTransitions: Bool) {
        let terms = RunTerms(
            id: record.run,
            request: record.request,
            fingerprint: record.fingerprint,
            pipeline: record.pipeline,
            accepted: record.accepted,
            principal: record.principal,
            seeds: record.seeds
        )
        self.init(
            terms: terms,
            definition: record.definition,
            began: record.began,
            values: [:],
            tellsTransitions: tellsTransitions,
            listeners: []
        )
    }
}

extension Run {
    /// A number that no change of the run has which an earlier worker told: how many of them is not kept, and none takes
    /// less than a microsecond.
    fileprivate func numberBeforeNextChange(at now: Moment) -> Int {
        Int(min(max(0, now.unixMilliseconds &- terms.accepted), 1 << 50) * 1000)
    }
}
