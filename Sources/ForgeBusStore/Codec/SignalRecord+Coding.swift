import ForgeBusProtocol

extension RecordWriter {
    mutating func put(_ record: SignalRecord) {
        switch record.state {
        case .waiting(let wait, let deadline):
            putTag(0)
            put(wait)
            put(deadline) { $0.put($1) }
        case .settled(let wait, let ending, let until):
            putTag(1)
            put(wait)
            put(ending)
            put(until)
        case .early(let early):
            putTag(2)
            put(early) { writer, early in
                writer.put(early.principal)
                writer.put(early.outcome)
                writer.put(early.unixMilliseconds)
                writer.put(early.until)
            }
        }
    }

    private mutating func put(_ wait: SignalRecord.Wait) {
        switch wait.owner {
        case .action(let run, let action):
            putTag(0)
            put(run)
            put(action)
        case .process(let name):
            putTag(1)
            put(name)
        }
        put(wait.isGate)
        put(wait.allowed) { writer, allowed in writer.put(allowed.sorted()) { $0.put($1) } }
        put(wait.requesterMayDecide)
        put(wait.requester) { $0.put($1) }
    }

    private mutating func put(_ ending: SignalRecord.Ending) {
        switch ending {
        case .decided(let outcome, let principal, let time):
            putTag(0)
            put(outcome)
            put(principal)
            put(time)
        case .expired: putTag(1)
        case .closed(let why):
            putTag(2)
            put(why)
        }
    }

    private mutating func put(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            putTag(0)
            put(value)
        case .rejected(let reason):
            putTag(1)
            put(reason)
        }
    }
}

extension RecordReader {
    mutating func signal(_ signal: SignalID) throws(Flaw) -> SignalRecord {
        SignalRecord(signal: signal, state: try signalState())
    }

    private mutating func signalState() throws(Flaw) -> SignalRecord.State {
        switch try tag() {
        case 0:
            let wait = try wait()
            return .waiting(wait, deadline: try optional { reader throws(Flaw) in try reader.integer() })
        case 1: return .settled(try wait(), try ending(), until: try integer())
        case 2:
            return .early(
                try array { reader throws(Flaw) in
                    SignalRecord.Early(
                        principal: try reader.text(),
                        outcome: try reader.decision(),
                        unixMilliseconds: try reader.integer(),
                        until: try reader.integer()
                    )
                }
            )
        default: throw Flaw()
        }
    }

    private mutating func wait() throws(Flaw) -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: try owner(),
            isGate: try bool(),
            allowed: try optional { reader throws(Flaw) in
                Set(try reader.array { reader throws(Flaw) in try reader.text() })
            },
            requesterMayDecide: try bool(),
            requester: try optional { reader throws(Flaw) in try reader.text() }
        )
    }

    private mutating func owner() throws(Flaw) -> SignalRecord.Owner {
        switch try tag() {
        case 0: return .action(try name(), try text())
        case 1: return .process(try text())
        default: throw Flaw()
        }
    }

    private mutating func ending() throws(Flaw) -> SignalRecord.Ending {
        switch try tag() {
        case 0: return .decided(try decision(), by: try text(), unixMilliseconds: try integer())
        case 1: return .expired
        case 2: return .closed(why: try text())
        default: throw Flaw()
        }
    }

    private mutating func decision() throws(Flaw) -> Decision.Outcome {
        switch try tag() {
        case 0: return .approved(value: try data())
        case 1: return .rejected(reason: try text())
        default: throw Flaw()
        }
    }
}
