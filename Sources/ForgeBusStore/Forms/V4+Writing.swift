import ForgeBusProtocol

/// Writes records in form 4, the newest form and the only form that this program writes.
///
/// The bytes for the cases of enumerations are those of form 1.
extension RecordWriter {
    mutating func put(_ record: StoreRecord) {
        switch record {
        case .request(let record): put(record)
        case .run(let record): put(record)
        case .progress(let record): put(record)
        case .signal(let record): put(record)
        case .debt(let record): put(record)
        case .mode(let record):
            put(record.screen)
            put(record.until)
        case .owed(let record): put(record)
        case .trouble(let record): put(record.since)
        case .pause(let record):
            put(record.principal)
            put(record.since)
            put(record.until) { $0.put($1) }
            put(record.reason)
            put(record.via) { $0.put($1) }
        }
    }
}

// MARK: - Requests

extension RecordWriter {
    mutating func put(_ record: RequestRecord) {
        put(record.fingerprint)
        put(record.until) { $0.put($1) }
        switch record.outcome {
        case .run(let run):
            putTag(V1.OutcomeTag.run)
            put(run)
        case .verdict(let report):
            putTag(V1.OutcomeTag.verdict)
            put(report)
        case .confirmation(let report):
            putTag(V1.OutcomeTag.confirmation)
            put(report)
        }
    }

    mutating func put(_ report: VerdictReport) {
        put(report.signal.knownName)
        put(report.durability)
        put(report.retention)
        switch report.verdict {
        case .delivered:
            putTag(V1.VerdictTag.delivered)
            put(report.parkingReason) { $0.put($1) }
        case .counted(let have, let need):
            putTag(V1.VerdictTag.counted)
            put(have)
            put(need)
        case .buffered(let time):
            putTag(V1.VerdictTag.buffered)
            put(time)
        case .duplicate: putTag(V1.VerdictTag.duplicate)
        case .conflict(let standing):
            putTag(V1.VerdictTag.conflict)
            put(standing.decision.rawValue)
            put(standing.principal)
            put(standing.unixMilliseconds)
            put(standing.via) { $0.put($1) }
        case .expired: putTag(V1.VerdictTag.expired)
        case .closed(let why):
            putTag(V1.VerdictTag.closed)
            put(why)
        case .forbidden(let why):
            putTag(V1.VerdictTag.forbidden)
            put(why)
        case .unknown(let why):
            putTag(V1.VerdictTag.unknown)
            put(why)
        }
    }

    mutating func put(_ report: StateReport) {
        put(report.run?.knownName) { $0.put($1) }
        put(report.state.rawValue)
        put(report.durability) { $0.put($1) }
        put(report.retention) { $0.put($1) }
        put(report.details)
    }

    mutating func put(_ durability: Durability) {
        switch durability {
        case .memory: putTag(V1.DurabilityTag.memory)
        case .fsynced: putTag(V1.DurabilityTag.fsynced)
        case .replicated: putTag(V1.DurabilityTag.replicated)
        }
    }
}

// MARK: - Runs

extension RecordWriter {
    mutating func put(_ record: RunRecord) {
        put(record.request.principal)
        put(record.request.id)
        put(record.fingerprint)
        put(record.pipeline)
        put(record.definition)
        put(record.principal)
        put(record.seeds)
        put(record.accepted)
        put(record.deadline) { $0.put($1) }
        put(record.began) { $0.put($1) }
        put(record.end) { writer, end in
            writer.put(end.result)
            writer.put(end.ended)
            writer.put(end.until)
        }
        put(record.parts) { $0.put($1) }
        put(record.origin) { $0.put($1) }
        put(record.via) { $0.put($1) }
    }

    mutating func put(_ origin: RunOrigin) {
        switch origin.cause {
        case .action(let run, let action):
            putTag(V4.CauseTag.action)
            put(run)
            put(action)
        case .monitor(let monitor, let action):
            putTag(V4.CauseTag.monitor)
            put(monitor)
            put(action)
        case .event(let word):
            putTag(V4.CauseTag.event)
            put(word)
        }
        put(origin.causers)
        put(origin.depth)
        put(origin.isQuiet)
    }

    mutating func put(_ record: OwedRecord) {
        put(record.pipeline)
        put(record.origin)
        put(record.seeds)
        put(record.unixMilliseconds)
        put(record.count)
        put(record.subjects) { $0.put($1) }
    }

    mutating func put(_ parts: DefinitionParts) {
        put(parts.frame)
        put(parts.actions) { writer, action in
            writer.put(action.id)
            writer.put(action.work)
            writer.put(action.handling)
        }
    }

    mutating func put(_ result: RunResult) {
        put(result.state.rawValue)
        put(result.reason)
        put(result.actions) { $0.put($1) }
        put(result.outputs)
        put(result.abandoned) { $0.put($1) }
    }

    mutating func put(_ outcome: ActionOutcome) {
        put(outcome.action)
        put(outcome.start)
        put(outcome.duration)
        switch outcome.result {
        case .completed: putTag(V1.ActionTag.completed)
        case .skipped: putTag(V1.ActionTag.skipped)
        case .failed(let reason):
            putTag(V1.ActionTag.failed)
            put(reason)
        }
    }

    mutating func put(_ record: ProgressRecord) {
        put(record.eligible) { writer, actions in writer.put(actions) { $0.put($1) } }
        put(record.actions) { $0.put($1) }
        put(record.values) { writer, value in
            writer.put(value.key)
            writer.put(value.type)
            writer.put(value.json)
        }
        put(record.unkept) { $0.put($1) }
        put(record.attempt)
        put(record.crashes)
        put(record.earlierAttempts)
        putTag(V1.ProgressTag.countsFollow)
        put(record.unrecorded)
        put(record.highestAttempt)
        put(record.state)
    }

    mutating func put(_ state: ProgressRecord.State) {
        switch state {
        case .executing: putTag(V1.ProgressTag.executing)
        case .waiting(let signal):
            putTag(V1.ProgressTag.waiting)
            put(signal)
        case .awaiting(let run):
            putTag(V1.ProgressTag.awaiting)
            put(run)
        case .retrying(let due):
            putTag(V1.ProgressTag.retrying)
            put(due)
        case .parked(let reason, let remaining):
            putTag(V1.ProgressTag.parked)
            put(reason)
            put(remaining) { $0.put($1) }
        case .stopping(let state, let reason):
            putTag(V1.ProgressTag.stopping)
            put(state.rawValue)
            put(reason)
        }
    }
}
