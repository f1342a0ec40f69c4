import ForgeBusProtocol

/// Writes records; ``RecordReader`` reads the same values in the same order.
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
        case .requested(let record): put(record)
        case .trouble(let record): put(record.since)
        case .pause(let record):
            put(record.principal)
            put(record.via) { $0.put($1) }
            put(record.since)
            put(record.until) { $0.put($1) }
            put(record.reason)
        case .texts(let texts): put(texts.members)
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
            putTag(RecordTags.Outcome.run)
            put(run)
        case .verdict(let report):
            putTag(RecordTags.Outcome.verdict)
            put(report)
        case .confirmation(let report):
            putTag(RecordTags.Outcome.confirmation)
            put(report)
        }
    }

    mutating func put(_ report: VerdictReport) {
        put(report.signal.knownName)
        put(report.verdict)
        put(report.durability)
        put(report.retention)
        put(report.parkingReason) { $0.put($1) }
    }

    private mutating func put(_ verdict: Verdict) {
        switch verdict {
        case .delivered: putTag(RecordTags.Verdict.delivered)
        case .counted(let have, let need):
            putTag(RecordTags.Verdict.counted)
            put(have)
            put(need)
        case .buffered(let time):
            putTag(RecordTags.Verdict.buffered)
            put(time)
        case .duplicate: putTag(RecordTags.Verdict.duplicate)
        case .conflict(let standing):
            putTag(RecordTags.Verdict.conflict)
            put(standing.decision.rawValue)
            put(standing.principal)
            put(standing.via) { $0.put($1) }
            put(standing.unixMilliseconds)
        case .expired: putTag(RecordTags.Verdict.expired)
        case .closed(let why):
            putTag(RecordTags.Verdict.closed)
            put(why)
        case .forbidden(let why):
            putTag(RecordTags.Verdict.forbidden)
            put(why)
        case .unknown(let why):
            putTag(RecordTags.Verdict.unknown)
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
        case .memory: putTag(RecordTags.Durability.memory)
        case .fsynced: putTag(RecordTags.Durability.fsynced)
        case .replicated: putTag(RecordTags.Durability.replicated)
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
        put(record.via) { $0.put($1) }
        put(record.seeds)
        put(record.title) { $0.put($1) }
        put(record.key) { $0.put($1) }
        put(record.accepted)
        put(record.deadline) { $0.put($1) }
        put(record.began) { $0.put($1) }
        put(record.origin) { $0.put($1) }
        put(record.end) { writer, end in
            writer.put(end.result)
            writer.put(end.ended)
            writer.put(end.until)
            writer.put(end.hasTexts)
        }
    }

    mutating func put(_ key: ExclusiveKey) {
        switch key.scope {
        case .pipeline(let pipeline):
            putTag(RecordTags.Scope.pipeline)
            put(pipeline)
        case .group(let group):
            putTag(RecordTags.Scope.group)
            put(group)
        }
        put(key.value)
    }

    mutating func put(_ origin: RunOrigin) {
        switch origin.cause {
        case .action(let run, let action):
            putTag(RecordTags.Cause.action)
            put(run)
            put(action)
        case .monitor(let monitor, let action):
            putTag(RecordTags.Cause.monitor)
            put(monitor)
            put(action)
        case .event(let word):
            putTag(RecordTags.Cause.event)
            put(word)
        }
        put(origin.causers)
        put(origin.depth)
        put(origin.isQuiet)
    }

    mutating func put(_ record: RequestedRunRecord) {
        put(record.pipeline)
        put(record.origin)
        put(record.seeds)
        put(record.unixMilliseconds)
        put(record.count)
        put(record.subjects) { $0.put($1) }
    }

    mutating func put(_ definition: RunDefinition) {
        put(definition.frame)
        put(definition.actions) { writer, action in
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
        switch outcome.result {
        case .completed: putTag(RecordTags.Action.completed)
        case .skipped: putTag(RecordTags.Action.skipped)
        case .failed(let reason):
            putTag(RecordTags.Action.failed)
            put(reason)
        }
        put(outcome.start)
        put(outcome.duration)
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
        put(record.unrecorded)
        put(record.highestAttempt)
        put(record.state)
    }

    mutating func put(_ state: ProgressRecord.State) {
        switch state {
        case .executing: putTag(RecordTags.Progress.executing)
        case .waiting(let signal):
            putTag(RecordTags.Progress.waiting)
            put(signal)
        case .awaiting(let run):
            putTag(RecordTags.Progress.awaiting)
            put(run)
        case .retrying(let due):
            putTag(RecordTags.Progress.retrying)
            put(due)
        case .parked(let reason, let remaining):
            putTag(RecordTags.Progress.parked)
            put(reason)
            put(remaining) { $0.put($1) }
        case .stopping(let state, let reason):
            putTag(RecordTags.Progress.stopping)
            put(state.rawValue)
            put(reason)
        }
    }
}
