import ForgeBusProtocol

/// Form 1 of a record, which is the layout of the bytes after the form's number.
///
/// Form 1 never changes, because stores of past releases contain it.
enum V1 {
    /// The number of the form, which is the first byte of an encoded record.
    static let number: UInt8 = 1

    typealias Flaw = RecordReader.Flaw

    /// Reads the record under `key`.
    static func record(under key: StoreKey, _ reader: inout RecordReader) throws(Flaw) -> StoreRecord {
        switch key {
        case .request(let key): .request(try request(key, &reader))
        case .run(let run): .run(try self.run(run, &reader))
        case .progress(let run): .progress(try progress(of: run, &reader))
        case .signal(let signal): .signal(SignalRecord(signal: signal, state: try signalState(&reader)))
        case .debt(let monitor):
            .debt(try debt(of: monitor, &reader))
        case .mode(let monitor):
            .mode(ModeRecord(monitor: monitor, screen: try reader.text(), until: try reader.integer()))
        // Only form 4 and later forms have these kinds.
        case .owed, .trouble, .pipelinePause, .monitorPause: throw Flaw()
        }
    }
}

// MARK: - Requests

extension V1 {
    static func request(
        _ key: RequestKey,
        _ reader: inout RecordReader,
        verdict: (inout RecordReader) throws(Flaw) -> VerdictReport = verdictReport
    ) throws(Flaw) -> RequestRecord {
        let fingerprint = try reader.fingerprint()
        let until = try reader.optionalInteger()
        let outcome: RequestRecord.Outcome =
            switch try reader.tag(OutcomeTag.self) {
            case .run: .run(try reader.name())
            case .verdict: .verdict(try verdict(&reader))
            case .confirmation: .confirmation(try stateReport(&reader))
            }
        return RequestRecord(key: key, fingerprint: fingerprint, outcome: outcome, until: until)
    }

    static func verdictReport(_ reader: inout RecordReader) throws(Flaw) -> VerdictReport {
        let signal = try reader.name()
        let durability = try durability(&reader)
        let retention = try reader.duration()
        return VerdictReport(
            signal: SignalID(signal),
            verdict: try verdict(&reader),
            durability: durability,
            retention: retention
        )
    }

    private static func verdict(_ reader: inout RecordReader) throws(Flaw) -> Verdict {
        switch try reader.tag(VerdictTag.self) {
        case .delivered: .delivered
        case .counted: .counted(have: try reader.int(), need: try reader.int())
        case .buffered: .buffered(for: try reader.duration())
        case .duplicate: .duplicate
        case .conflict:
            .conflict(
                Verdict.Standing(
                    decision: try decisionKind(&reader),
                    principal: try reader.text(),
                    unixMilliseconds: try reader.integer()
                )
            )
        case .expired: .expired
        case .closed: .closed(why: try reader.text())
        case .forbidden: .forbidden(why: try reader.text())
        case .unknown: .unknown(why: "")
        }
    }

    private static func decisionKind(_ reader: inout RecordReader) throws(Flaw) -> Decision.Kind {
        guard let kind = Decision.Kind(rawValue: try reader.text()) else { throw Flaw() }
        return kind
    }

    static func stateReport(_ reader: inout RecordReader) throws(Flaw) -> StateReport {
        let run = try reader.optional { reader throws(Flaw) in try reader.name() }
        guard let state = StateReport.State(rawValue: try reader.text()) else { throw Flaw() }
        return StateReport(
            state,
            run: run.map { RunID($0) },
            durability: try reader.optional(durability),
            retention: try reader.optional { reader throws(Flaw) in try reader.duration() },
            details: try reader.object()
        )
    }

    private static func durability(_ reader: inout RecordReader) throws(Flaw) -> Durability {
        switch try reader.tag(DurabilityTag.self) {
        case .memory: .memory
        case .fsynced: .fsynced
        case .replicated: .replicated
        }
    }
}

// MARK: - Runs

extension V1 {
    static func run(_ run: Name, _ reader: inout RecordReader) throws(Flaw) -> RunRecord {
        RunRecord(
            run: run,
            request: RequestKey(principal: try reader.text(), id: try reader.requestID()),
            fingerprint: try reader.fingerprint(),
            pipeline: try reader.name(),
            definition: try reader.fingerprint(),
            principal: try reader.text(),
            seeds: try reader.object(),
            accepted: try reader.integer(),
            deadline: try reader.optionalInteger(),
            began: try reader.optionalInteger(),
            end: try reader.optional { reader throws(Flaw) in
                RunRecord.End(
                    result: try result(of: run, &reader),
                    ended: try reader.integer(),
                    until: try reader.integer()
                )
            }
        )
    }

    private static func result(of run: Name, _ reader: inout RecordReader) throws(Flaw) -> RunResult {
        RunResult(
            run: RunID(run),
            state: try resultState(&reader),
            reason: try reader.text(),
            actions: try reader.array(actionOutcome),
            outputs: try reader.object(),
            abandoned: try reader.texts()
        )
    }

    private static func resultState(_ reader: inout RecordReader) throws(Flaw) -> RunResult.State {
        guard let state = RunResult.State(rawValue: try reader.text()) else { throw Flaw() }
        return state
    }

    private static func actionOutcome(_ reader: inout RecordReader) throws(Flaw) -> ActionOutcome {
        let action = try reader.text()
        let start = try reader.duration()
        let duration = try reader.duration()
        let result: ActionOutcome.Result =
            switch try reader.tag(ActionTag.self) {
            case .completed: .completed
            case .skipped: .skipped
            case .failed: .failed(try reader.text())
            }
        return ActionOutcome(action: action, result: result, start: start, duration: duration)
    }

    static func progress(
        of run: Name,
        _ reader: inout RecordReader,
        state: (ProgressTag, inout RecordReader) throws(Flaw) -> ProgressRecord.State = state
    ) throws(Flaw) -> ProgressRecord {
        var record = ProgressRecord(
            run: run,
            eligible: try reader.optional { reader throws(Flaw) in try reader.texts() },
            actions: try reader.array(actionOutcome),
            values: try reader.array { reader throws(Flaw) in
                ProgressRecord.Value(key: try reader.text(), type: try reader.text(), json: try reader.data())
            },
            unkept: try reader.optionalText(),
            attempt: try reader.int(),
            crashes: try reader.int(),
            earlierAttempts: try reader.int()
        )
        var tag = try reader.tag(ProgressTag.self)
        if tag == .countsFollow {
            record.unrecorded = try reader.int()
            record.highestAttempt = try reader.int()
            tag = try reader.tag(ProgressTag.self)
        } else {
            record.unrecorded = record.crashes
        }
        record.state = try state(tag, &reader)
        return record
    }

    static func state(
        _ tag: ProgressTag,
        _ reader: inout RecordReader
    ) throws(Flaw) -> ProgressRecord.State {
        switch tag {
        case .executing: .executing
        case .waiting: .waiting(try reader.name())
        case .retrying: .retrying(due: try reader.integer())
        case .parked: .parked(reason: try reader.text(), remaining: try reader.optionalInteger())
        case .stopping: .stopping(try resultState(&reader), reason: try reader.text())
        case .awaiting, .countsFollow: throw Flaw()
        }
    }
}

// MARK: - Signals and monitors

extension V1 {
    static func debt(of monitor: Name, _ reader: inout RecordReader) throws(Flaw) -> DebtRecord {
        DebtRecord(monitor: monitor, causes: try reader.array(cause), others: try reader.int())
    }

    static func signalState(
        _ reader: inout RecordReader,
        wait: (inout RecordReader) throws(Flaw) -> SignalRecord.Wait = wait,
        early: (inout RecordReader) throws(Flaw) -> SignalRecord.Early = early,
        ending: (inout RecordReader) throws(Flaw) -> SignalRecord.Ending = ending
    ) throws(Flaw) -> SignalRecord.State {
        switch try reader.tag(SignalTag.self) {
        case .waiting: .waiting(try wait(&reader), deadline: try reader.optionalInteger())
        case .settled: .settled(try wait(&reader), try ending(&reader), until: try reader.integer())
        case .early: .early(try reader.array(early))
        }
    }

    static func wait(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: try owner(&reader),
            isGate: try reader.bool(),
            rule: SignalRecord.Rule(
                allowed: try reader.optional { reader throws(Flaw) in Set(try reader.texts()) },
                requesterMayDecide: try reader.bool()
            ),
            requester: try reader.optionalText(),
            causers: [],
            message: nil,
            opened: nil,
            barred: [],
            isEscalated: false,
            votes: []
        )
    }

    static func owner(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Owner {
        switch try reader.tag(OwnerTag.self) {
        case .action: .action(try reader.name(), try reader.text())
        case .process: .process(try reader.text())
        }
    }

    static func ending(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Ending {
        switch try reader.tag(EndingTag.self) {
        case .decided:
            .decided(try decision(&reader), by: try reader.text(), via: nil, unixMilliseconds: try reader.integer())
        case .expired: .expired
        case .closed: .closed(why: try reader.text())
        }
    }

    static func early(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Early {
        SignalRecord.Early(
            principal: try reader.text(),
            via: nil,
            outcome: try decision(&reader),
            unixMilliseconds: try reader.integer(),
            until: try reader.integer(),
            // A worker that wrote form 1 told every sender of an early decision that a gate would use it.
            isAsked: true
        )
    }

    static func decision(_ reader: inout RecordReader) throws(Flaw) -> Decision.Outcome {
        switch try reader.tag(DecisionTag.self) {
        case .approved: .approved(value: try reader.data())
        case .rejected: .rejected(reason: try reader.text())
        }
    }

    private static func cause(_ reader: inout RecordReader) throws(Flaw) -> DebtRecord.Cause {
        DebtRecord.Cause(
            topic: try reader.name(),
            count: try reader.int(),
            first: try reader.integer(),
            last: try reader.integer(),
            publisher: try reader.text(),
            traceIDs: try reader.texts(),
            body: try reader.data(),
            bodySizeInBytes: try reader.int()
        )
    }
}
