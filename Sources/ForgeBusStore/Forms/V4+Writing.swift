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
        }
    }
}

// MARK: - Requests

extension RecordWriter {
    private mutating func put(_ record: RequestRecord) {
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

    private mutating func put(_ report: VerdictReport) {
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

    private mutating func put(_ report: StateReport) {
        put(report.run?.knownName) { $0.put($1) }
        put(report.state.rawValue)
        put(report.durability) { $0.put($1) }
        put(report.retention) { $0.put($1) }
        put(report.details)
    }

    private mutating func put(_ durability: Durability) {
        switch durability {
        case .memory: putTag(V1.DurabilityTag.memory)
        case .fsynced: putTag(V1.DurabilityTag.fsynced)
        }
    }
}

// MARK: - Runs

extension RecordWriter {
    private mutating func put(_ record: RunRecord) {
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
    }

    private mutating func put(_ origin: RunOrigin) {
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

    private mutating func put(_ record: OwedRecord) {
        put(record.pipeline)
        put(record.origin)
        put(record.seeds)
        put(record.unixMilliseconds)
        put(record.count)
        put(record.subjects) { $0.put($1) }
    }

    private mutating func put(_ parts: DefinitionParts) {
        put(parts.frame)
        put(parts.actions) { writer, action in
            writer.put(action.id)
            writer.put(action.work)
            writer.put(action.handling)
        }
    }

    private mutating func put(_ result: RunResult) {
        put(result.state.rawValue)
        put(result.reason)
        put(result.actions) { $0.put($1) }
        put(result.outputs)
        put(result.abandoned) { $0.put($1) }
    }

    private mutating func put(_ outcome: ActionOutcome) {
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

    private mutating func put(_ record: ProgressRecord) {
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

    private mutating func put(_ state: ProgressRecord.State) {
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

// MARK: - Signals and monitors

extension RecordWriter {
    private mutating func put(_ record: SignalRecord) {
        switch record.state {
        case .waiting(let wait, let deadline):
            putTag(V1.SignalTag.waiting)
            put(wait)
            put(deadline) { $0.put($1) }
        case .settled(let wait, let ending, let until):
            putTag(V1.SignalTag.settled)
            put(wait)
            put(ending)
            put(until)
        case .early(let early):
            putTag(V1.SignalTag.early)
            put(early) { writer, early in
                writer.put(early.principal)
                writer.put(early.outcome)
                writer.put(early.unixMilliseconds)
                writer.put(early.until)
                writer.put(early.isAsked)
            }
        }
    }

    private mutating func put(_ wait: SignalRecord.Wait) {
        switch wait.owner {
        case .action(let run, let action):
            putTag(V1.OwnerTag.action)
            put(run)
            put(action)
        case .process(let name):
            putTag(V1.OwnerTag.process)
            put(name)
        }
        put(wait.isGate)
        put(wait.rule)
        put(wait.requester) { $0.put($1) }
        put(wait.message) { $0.put($1) }
        put(wait.opened) { $0.put($1) }
        put(wait.barred)
        put(wait.isEscalated)
        put(wait.votes) { writer, vote in
            writer.put(vote.principal)
            writer.put(vote.outcome)
            writer.put(vote.unixMilliseconds)
        }
        put(wait.causers)
    }

    private mutating func put(_ rule: SignalRecord.Rule) {
        put(rule.allowed) { $0.put($1) }
        put(rule.requesterMayDecide)
        put(rule.approvals)
        put(rule.rejections)
        put(rule.distinctFrom) { $0.put($1) }
        put(rule.value) { writer, members in
            writer.put(members) { writer, member in
                writer.put(member.key)
                writer.put(member.type)
                writer.put(member.isRequired)
            }
        }
        put(rule.reminder) { $0.put($1) }
        put(rule.escalation) { writer, escalation in
            writer.put(escalation.after)
            writer.put(escalation.allowed)
        }
    }

    private mutating func put(_ deciders: SignalRecord.Deciders) {
        put(deciders.principals)
        put(deciders.groups)
    }

    private mutating func put(_ names: Set<String>) { put(names.sorted()) { $0.put($1) } }

    private mutating func put(_ ending: SignalRecord.Ending) {
        switch ending {
        case .decided(let outcome, let principal, let time):
            putTag(V1.EndingTag.decided)
            put(outcome)
            put(principal)
            put(time)
        case .expired: putTag(V1.EndingTag.expired)
        case .closed(let why):
            putTag(V1.EndingTag.closed)
            put(why)
        }
    }

    private mutating func put(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            putTag(V1.DecisionTag.approved)
            put(value)
        case .rejected(let reason):
            putTag(V1.DecisionTag.rejected)
            put(reason)
        }
    }

    private mutating func put(_ record: DebtRecord) {
        put(record.causes) { writer, cause in
            writer.put(cause.topic)
            writer.put(cause.count)
            writer.put(cause.first)
            writer.put(cause.last)
            writer.put(cause.publisher)
            writer.put(cause.traceIDs) { $0.put($1) }
            writer.put(cause.body)
            writer.put(cause.bodySizeInBytes)
        }
        put(record.others)
        put(record.principals)
    }
}
