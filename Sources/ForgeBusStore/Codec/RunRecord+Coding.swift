import ForgeBusProtocol

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
        case .completed: putTag(0)
        case .skipped: putTag(1)
        case .failed(let reason):
            putTag(2)
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
        // Written before attempts were numbered through, a record has none of this.
        putTag(Self.numbersFollow)
        put(record.unrecorded)
        put(record.highestAttempt)
        switch record.standing {
        case .executing: putTag(0)
        case .waiting(let signal):
            putTag(1)
            put(signal)
        case .retrying(let due):
            putTag(2)
            put(due)
        case .parked(let reason, let remaining):
            putTag(3)
            put(reason)
            put(remaining) { $0.put($1) }
        case .stopping(let state, let reason):
            putTag(4)
            put(state.rawValue)
            put(reason)
        }
    }

    /// Stands where the tag of a run's standing stood.
    fileprivate static let numbersFollow: UInt8 = 16
}

extension RecordReader {
    mutating func run(_ run: RunID) throws(Flaw) -> RunRecord {
        RunRecord(
            run: run,
            request: RequestKey(principal: try text(), id: try requestID()),
            fingerprint: try fingerprint(),
            pipeline: try name(),
            definition: try fingerprint(),
            principal: try text(),
            seeds: try object(),
            accepted: try integer(),
            deadline: try optional { reader throws(Flaw) in try reader.integer() },
            began: try optional { reader throws(Flaw) in try reader.integer() },
            end: try optional { reader throws(Flaw) in
                RunRecord.End(
                    result: try reader.result(of: run),
                    ended: try reader.integer(),
                    until: try reader.integer()
                )
            }
        )
    }

    private mutating func state() throws(Flaw) -> RunResult.State {
        guard let state = RunResult.State(rawValue: try text()) else { throw Flaw() }
        return state
    }

    private mutating func result(of run: RunID) throws(Flaw) -> RunResult {
        RunResult(
            run: run,
            state: try state(),
            reason: try text(),
            actions: try array { reader throws(Flaw) in try reader.outcome() },
            outputs: try object(),
            abandoned: try array { reader throws(Flaw) in try reader.text() }
        )
    }

    private mutating func outcome() throws(Flaw) -> ActionOutcome {
        let action = try text()
        let start = try duration()
        let duration = try duration()
        let result: ActionOutcome.Result
        switch try tag() {
        case 0: result = .completed
        case 1: result = .skipped
        case 2: result = .failed(try text())
        default: throw Flaw()
        }
        return ActionOutcome(action: action, result: result, start: start, duration: duration)
    }

    mutating func progress(_ run: RunID) throws(Flaw) -> ProgressRecord {
        var record = ProgressRecord(
            run: run,
            eligible: try optional { reader throws(Flaw) in
                try reader.array { reader throws(Flaw) in try reader.text() }
            },
            actions: try array { reader throws(Flaw) in try reader.outcome() },
            values: try array { reader throws(Flaw) in
                ProgressRecord.Value(key: try reader.text(), type: try reader.text(), json: try reader.data())
            },
            unkept: try optional { reader throws(Flaw) in try reader.text() },
            attempt: try int(),
            crashes: try int(),
            earlierAttempts: try int()
        )
        var tag = try self.tag()
        if tag == RecordWriter.numbersFollow {
            (record.unrecorded, record.highestAttempt) = (try int(), try int())
            tag = try self.tag()
        } else {
            record.unrecorded = record.crashes
        }
        record.standing = try runStanding(tag)
        return record
    }

    private mutating func runStanding(_ tag: UInt8) throws(Flaw) -> ProgressRecord.Standing {
        switch tag {
        case 0: return .executing
        case 1: return .waiting(try name())
        case 2: return .retrying(due: try integer())
        case 3:
            let reason = try text()
            return .parked(reason: reason, remaining: try optional { reader throws(Flaw) in try reader.integer() })
        case 4: return .stopping(try state(), reason: try text())
        default: throw Flaw()
        }
    }
}
