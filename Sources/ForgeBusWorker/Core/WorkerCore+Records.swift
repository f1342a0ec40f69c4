import ForgeBusProtocol
import ForgeBusStore

/// What the store is told of runs and requests: enough to go on where this worker stopped.
extension WorkerCore {
    /// A request was done at once: it is kept for the retention.
    mutating func take(_ received: Received, _ outcome: RequestRecord.Outcome, at now: Moment) {
        var record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: outcome)
        record.until = now.unix(of: now.advanced(by: configuration.retention))
        ledger.admit(record)
        ledger.finish(record.key, at: now)
        keep(.request(record))
    }

    /// The store keeps a run and, once it has ended, its result; nobody needs its seeds then.
    mutating func keepRun(_ run: Run, _ result: RunResult? = nil, at now: Moment) {
        guard configuration.keepsRecords else { return }
        var record = RunRecord(
            run: run.id,
            request: run.request,
            fingerprint: run.terms.fingerprint,
            pipeline: run.pipeline,
            definition: run.definition,
            principal: run.principal,
            seeds: run.terms.seeds,
            accepted: run.terms.accepted,
            deadline: run.deadline.map { now.unix(of: $0) },
            began: run.began
        )
        if let result {
            let until = now.unix(of: now.advanced(by: configuration.retention))
            record.seeds = [:]
            record.end = RunRecord.End(result: result, ended: now.unixMilliseconds, until: until)
        }
        keep(.run(record))
    }

    /// The store is to keep how far a run has come, with what is committed next.
    mutating func keepProgress(of id: RunID) {
        guard configuration.keepsRecords, runs[id]?.goesOn() == true else { return }
        advanced.append(id)
    }

    /// Appends how far the runs have come that went on: once each, however many steps those were.
    ///
    /// Asked before anything is committed: no effect of a step leaves before the progress that led to it is kept.
    mutating func keepProgress(into list: inout Consequences) {
        guard !advanced.isEmpty else { return }
        swap(&consequences, &list)
        for id in advanced { writeProgress(of: id) }
        advanced.removeAll(keepingCapacity: true)
        swap(&consequences, &list)
    }

    /// Nothing of a run that ended meanwhile: that is kept with its result.
    mutating func writeProgress(of id: RunID) {
        if let record = runs[id]?.takeProgress() { keep(.progress(record)) }
    }
}

extension Run.State {
    /// Whether an action may have executed.
    var hasBegun: Bool {
        switch self {
        case .queued: false
        case .running, .stopping: true
        }
    }
}

extension Run {
    /// It went on: what the store keeps of it is to be written anew.
    ///
    /// - Returns: Whether that was not known yet.
    fileprivate mutating func goesOn() -> Bool {
        defer { isAdvanced = true }
        return !isAdvanced
    }

    /// How far it has come, to be kept; nil where no action may have executed.
    fileprivate mutating func takeProgress() -> ProgressRecord? {
        isAdvanced = false
        guard state.hasBegun else { return nil }
        hasProgressKept = true
        return ProgressRecord(
            run: id,
            eligible: course.eligible,
            actions: course.actions,
            values: course.values,
            unkept: course.unkept,
            attempt: course.attempt,
            crashes: course.crashes,
            earlierAttempts: course.earlierAttempts,
            unrecorded: course.unrecorded,
            highestAttempt: course.highestAttempt,
            standing: keptStanding
        )
    }

    /// What a worker that finds it later is told that it was doing.
    fileprivate var keptStanding: ProgressRecord.Standing {
        if case .stopping(let end, let reason) = state { return .stopping(end, reason: reason) }
        guard !isActive, let wait = waits.min(by: { $0.key.number < $1.key.number })?.value else { return .executing }
        switch wait {
        case .signal(let signal): return .waiting(signal)
        case .retry(_, let due): return .retrying(due: due)
        case .redrive(_, let reason):
            // Redriven, it only waits for a slot.
            if isRejoining { return .retrying(due: 0) }
            return .parked(reason: reason, remaining: remaining?.milliseconds)
        }
    }
}

extension Moment {
    /// What the clock on the wall says at `moment`, in milliseconds since 1970, if nobody sets it meanwhile.
    func unix(of moment: Moment) -> Int64 {
        let (time, isTooFar) = unixMilliseconds.addingReportingOverflow(moment.since(self).milliseconds)
        return isTooFar ? .max : time
    }

    /// When the clock on the wall says `unixMilliseconds`, if nobody sets it meanwhile; it may be past.
    func at(unix unixMilliseconds: Int64) -> Moment {
        let (time, isTooFar) = unixMilliseconds.subtractingReportingOverflow(self.unixMilliseconds)
        return advanced(by: .milliseconds(isTooFar ? .max : time))
    }
}
