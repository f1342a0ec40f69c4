import ForgeBusProtocol

/// Writes the records of signals and monitors in form 4.
extension RecordWriter {
    mutating func put(_ record: SignalRecord) {
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
                writer.put(early.via) { $0.put($1) }
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
        for vote in wait.votes { put(vote.via) { $0.put($1) } }
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

    mutating func put(_ names: Set<String>) { put(names.sorted()) { $0.put($1) } }

    private mutating func put(_ ending: SignalRecord.Ending) {
        switch ending {
        case .decided(let outcome, let principal, let via, let time):
            putTag(V1.EndingTag.decided)
            put(outcome)
            put(principal)
            put(time)
            put(via) { $0.put($1) }
        case .expired: putTag(V1.EndingTag.expired)
        case .closed(let why):
            putTag(V1.EndingTag.closed)
            put(why)
        }
    }

    mutating func put(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            putTag(V1.DecisionTag.approved)
            put(value)
        case .rejected(let reason):
            putTag(V1.DecisionTag.rejected)
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
