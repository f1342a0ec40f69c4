import ForgeBusProtocol

extension RecordWriter {
    mutating func put(_ record: RequestRecord) {
        put(record.fingerprint)
        put(record.until) { $0.put($1) }
        switch record.outcome {
        case .run(let run):
            putTag(0)
            put(run)
        case .verdict(let report):
            putTag(1)
            put(report)
        case .confirmation(let report):
            putTag(2)
            put(report)
        }
    }

    private mutating func put(_ report: VerdictReport) {
        put(report.signal)
        put(report.durability)
        put(report.retention)
        switch report.verdict {
        case .delivered: putTag(0)
        case .counted(let have, let need):
            putTag(1)
            put(have)
            put(need)
        case .buffered(let time):
            putTag(2)
            put(time)
        case .duplicate: putTag(3)
        case .conflict(let standing):
            putTag(4)
            put(standing.decision)
            put(standing.principal)
            put(standing.unixMilliseconds)
        case .expired: putTag(5)
        case .closed(let why):
            putTag(6)
            put(why)
        case .forbidden(let why):
            putTag(7)
            put(why)
        case .unknown: putTag(8)
        }
    }

    private mutating func put(_ report: StateReport) {
        put(report.run) { $0.put($1) }
        put(report.state.rawValue)
        put(report.durability) { $0.put($1) }
        put(report.retention) { $0.put($1) }
        put(report.details)
    }

    private mutating func put(_ durability: Durability) {
        switch durability {
        case .memory: putTag(0)
        case .fsynced: putTag(1)
        }
    }
}

extension RecordReader {
    mutating func request(_ key: RequestKey) throws(Flaw) -> RequestRecord {
        let fingerprint = try fingerprint()
        let until = try optional { reader throws(Flaw) in try reader.integer() }
        let outcome: RequestRecord.Outcome
        switch try tag() {
        case 0: outcome = .run(try name())
        case 1: outcome = .verdict(try verdictReport())
        case 2: outcome = .confirmation(try stateReport())
        default: throw Flaw()
        }
        return RequestRecord(key: key, fingerprint: fingerprint, outcome: outcome, until: until)
    }

    private mutating func verdictReport() throws(Flaw) -> VerdictReport {
        let signal = try name()
        let durability = try durability()
        let retention = try duration()
        return VerdictReport(signal: signal, verdict: try verdict(), durability: durability, retention: retention)
    }

    private mutating func verdict() throws(Flaw) -> Verdict {
        switch try tag() {
        case 0: return .delivered
        case 1: return .counted(have: try int(), need: try int())
        case 2: return .buffered(for: try duration())
        case 3: return .duplicate
        case 4:
            return .conflict(
                Verdict.Standing(decision: try text(), principal: try text(), unixMilliseconds: try integer())
            )
        case 5: return .expired
        case 6: return .closed(why: try text())
        case 7: return .forbidden(why: try text())
        case 8: return .unknown
        default: throw Flaw()
        }
    }

    private mutating func stateReport() throws(Flaw) -> StateReport {
        let run = try optional { reader throws(Flaw) in try reader.name() }
        guard let state = StateReport.State(rawValue: try text()) else { throw Flaw() }
        let durability = try optional { reader throws(Flaw) in try reader.durability() }
        let retention = try optional { reader throws(Flaw) in try reader.duration() }
        return StateReport(state, run: run, durability: durability, retention: retention, details: try object())
    }

    private mutating func durability() throws(Flaw) -> Durability {
        switch try tag() {
        case 0: return .memory
        case 1: return .fsynced
        default: throw Flaw()
        }
    }
}
