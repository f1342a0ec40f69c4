import ForgeBusProtocol

/// Writes the records of signals and monitors.
extension RecordWriter {
    mutating func put(_ record: SignalRecord) {
        switch record.state {
        case .waiting(let wait, let deadline):
            putTag(RecordTags.Signal.waiting)
            put(wait)
            put(deadline) { $0.put($1) }
        case .settled(let wait, let ending, let until):
            putTag(RecordTags.Signal.settled)
            put(wait)
            put(ending)
            put(until)
        case .early(let early):
            putTag(RecordTags.Signal.early)
            put(early) { writer, early in
                writer.put(early.principal)
                writer.put(early.via) { $0.put($1) }
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
            putTag(RecordTags.Owner.action)
            put(run)
            put(action)
        case .process(let name):
            putTag(RecordTags.Owner.process)
            put(name)
        }
        put(wait.isGate)
        put(wait.rule.json)
        put(wait.requester) { $0.put($1) }
        put(wait.causers)
        put(wait.message) { $0.put($1) }
        put(wait.opened)
        put(wait.barred)
        put(wait.isEscalated)
        put(wait.votes) { writer, vote in
            writer.put(vote.principal)
            writer.put(vote.via) { $0.put($1) }
            writer.put(vote.outcome)
            writer.put(vote.unixMilliseconds)
        }
    }

    mutating func put(_ names: Set<String>) { put(names.sorted()) { $0.put($1) } }

    private mutating func put(_ ending: SignalRecord.Ending) {
        switch ending {
        case .decided(let outcome, let principal, let via, let time):
            putTag(RecordTags.Ending.decided)
            put(outcome)
            put(principal)
            put(via) { $0.put($1) }
            put(time)
        case .expired: putTag(RecordTags.Ending.expired)
        case .closed(let why):
            putTag(RecordTags.Ending.closed)
            put(why)
        }
    }

    mutating func put(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            putTag(RecordTags.Decision.approved)
            put(value)
        case .rejected(let reason):
            putTag(RecordTags.Decision.rejected)
            put(reason)
        }
    }

    mutating func put(_ record: DebtRecord) {
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
