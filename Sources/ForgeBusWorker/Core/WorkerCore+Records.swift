import ForgeBusProtocol
import ForgeBusStore

/// What the store is told of runs and requests: enough to go on where this worker stopped.
extension WorkerCore {
    /// A request was done at once: it is kept for the retention.
    mutating func take(_ received: Received, _ outcome: RequestRecord.Outcome, at now: Moment) {
        var record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: outcome)
        record.until = now.unix(of: now.advanced(by: configuration.retention))
        ledger.admit(record)
        ledger.finish(received.key, at: now)
        keep(.request(record))
    }

    /// The store keeps a run and, once it has ended, its result; nobody needs its seeds then.
    mutating func keepRun(_ run: Run, _ result: RunResult? = nil, at now: Moment) {
        guard configuration.keepsRecords else { return }
        var record = RunRecord(
            run: run.id,
            request: run.request,
            fingerprint: run.fingerprint,
            pipeline: run.pipeline,
            definition: run.definition,
            principal: run.principal,
            seeds: run.seeds,
            accepted: run.accepted,
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

    /// The store keeps how far a run has come.
    mutating func keepProgress(of id: RunID) {
        guard configuration.keepsRecords, let run = runs[id], run.state.hasBegun else { return }
        keep(
            .progress(
                ProgressRecord(
                    run: id,
                    eligible: run.course.eligible,
                    actions: run.course.actions,
                    values: run.course.values,
                    unkept: run.course.unkept,
                    attempt: run.course.attempt,
                    crashes: run.course.crashes,
                    interruptions: run.course.interruptions,
                    standing: run.keptStanding
                )
            )
        )
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
