import ForgeBusProtocol

/// Reads the records that ``RecordWriter`` writes.
extension RecordReader {
    /// Reads the record under `key`.
    mutating func record(under key: StoreKey) throws(Flaw) -> StoreRecord {
        switch key {
        case .request(let key): .request(try request(key))
        case .run(let run): .run(try self.run(run))
        case .progress(let run): .progress(try progress(of: run))
        case .signal(let signal): .signal(SignalRecord(signal: signal, state: try signalState()))
        case .debt(let monitor): .debt(try debt(of: monitor))
        case .mode(let monitor): .mode(ModeRecord(monitor: monitor, screen: try text(), until: try integer()))
        case .requested(let run): .requested(try requested(run))
        case .trouble(let monitor): .trouble(TroubleRecord(monitor: monitor, since: try integer()))
        case .pipelinePause(let name): .pause(try pause(of: PauseSubject(.pipeline, name)))
        case .monitorPause(let name): .pause(try pause(of: PauseSubject(.monitor, name)))
        case .texts(let run): .texts(RunTexts(run: run, members: try object()))
        }
    }

    private mutating func pause(of subject: PauseSubject) throws(Flaw) -> PauseRecord {
        PauseRecord(
            subject: subject,
            principal: try text(),
            via: try optionalText(),
            since: try integer(),
            until: try optionalInteger(),
            reason: try text()
        )
    }
}

// MARK: - Requests

extension RecordReader {
    private mutating func request(_ key: RequestKey) throws(Flaw) -> RequestRecord {
        let fingerprint = try fingerprint()
        let until = try optionalInteger()
        let outcome: RequestRecord.Outcome =
            switch try tag(RecordTags.Outcome.self) {
            case .run: .run(try name())
            case .verdict: .verdict(try verdictReport())
            case .confirmation: .confirmation(try stateReport())
            }
        return RequestRecord(key: key, fingerprint: fingerprint, outcome: outcome, until: until)
    }

    private mutating func verdictReport() throws(Flaw) -> VerdictReport {
        VerdictReport(
            signal: SignalID(try name()),
            verdict: try verdict(),
            durability: try durability(),
            retention: try duration(),
            parkingReason: try optionalText()
        )
    }

    private mutating func verdict() throws(Flaw) -> Verdict {
        switch try tag(RecordTags.Verdict.self) {
        case .delivered: .delivered
        case .counted: .counted(have: try int(), need: try int())
        case .buffered: .buffered(for: try duration())
        case .duplicate: .duplicate
        case .conflict: .conflict(try standing())
        case .expired: .expired
        case .closed: .closed(why: try text())
        case .forbidden: .forbidden(why: try text())
        case .unknown: .unknown(why: try text())
        }
    }

    private mutating func standing() throws(Flaw) -> Verdict.Standing {
        guard let decision = Decision.Kind(rawValue: try text()) else { throw Flaw() }
        return Verdict.Standing(
            decision: decision,
            principal: try text(),
            via: try optionalText(),
            unixMilliseconds: try integer()
        )
    }

    private mutating func stateReport() throws(Flaw) -> StateReport {
        let run = try optional { reader throws(Flaw) in try reader.name() }
        guard let state = StateReport.State(rawValue: try text()) else { throw Flaw() }
        return StateReport(
            state,
            run: run.map { RunID($0) },
            durability: try optional { reader throws(Flaw) in try reader.durability() },
            retention: try optional { reader throws(Flaw) in try reader.duration() },
            details: try object()
        )
    }

    private mutating func durability() throws(Flaw) -> Durability {
        switch try tag(RecordTags.Durability.self) {
        case .memory: .memory
        case .fsynced: .fsynced
        case .replicated: .replicated
        }
    }
}

// MARK: - Runs

extension RecordReader {
    private mutating func run(_ run: Name) throws(Flaw) -> RunRecord {
        RunRecord(
            run: run,
            request: RequestKey(principal: try text(), id: try requestID()),
            fingerprint: try fingerprint(),
            pipeline: try name(),
            definition: try definition(),
            principal: try text(),
            via: try optionalText(),
            seeds: try object(),
            title: try optionalText(),
            key: try optional { reader throws(Flaw) in try reader.key() },
            accepted: try integer(),
            deadline: try optionalInteger(),
            began: try optionalInteger(),
            origin: try optional { reader throws(Flaw) in try reader.origin() },
            end: try optional { reader throws(Flaw) in
                RunRecord.End(
                    result: try reader.result(of: run),
                    ended: try reader.integer(),
                    until: try reader.integer(),
                    hasTexts: try reader.bool()
                )
            }
        )
    }

    private mutating func key() throws(Flaw) -> ExclusiveKey {
        let scope: ExclusiveKey.Scope =
            switch try tag(RecordTags.Scope.self) {
            case .pipeline: .pipeline(try name())
            case .group: .group(try name())
            }
        return ExclusiveKey(scope, try text())
    }

    private mutating func definition() throws(Flaw) -> RunDefinition {
        RunDefinition(
            frame: try fingerprint(),
            actions: try array { reader throws(Flaw) in
                RunDefinition.Action(
                    id: try reader.text(),
                    work: try reader.fingerprint(),
                    handling: try reader.fingerprint()
                )
            }
        )
    }

    private mutating func origin() throws(Flaw) -> RunOrigin {
        let cause: RunOrigin.Cause =
            switch try tag(RecordTags.Cause.self) {
            case .action: .action(run: try name(), action: try text())
            case .monitor: .monitor(try name(), action: try text())
            case .event: .event(try text())
            }
        return RunOrigin(cause, causers: Set(try texts()), depth: try int(), isQuiet: try bool())
    }

    private mutating func requested(_ run: Name) throws(Flaw) -> RequestedRunRecord {
        RequestedRunRecord(
            run: run,
            pipeline: try name(),
            origin: try origin(),
            seeds: try object(),
            unixMilliseconds: try integer(),
            count: try int(),
            subjects: try texts()
        )
    }

    private mutating func result(of run: Name) throws(Flaw) -> RunResult {
        RunResult(
            run: RunID(run),
            state: try resultState(),
            reason: try text(),
            actions: try array { reader throws(Flaw) in try reader.actionOutcome() },
            outputs: try object(),
            abandoned: try texts()
        )
    }

    private mutating func resultState() throws(Flaw) -> RunResult.State {
        guard let state = RunResult.State(rawValue: try text()) else { throw Flaw() }
        return state
    }

    private mutating func actionOutcome() throws(Flaw) -> ActionOutcome {
        let action = try text()
        let result: ActionOutcome.Result =
            switch try tag(RecordTags.Action.self) {
            case .completed: .completed
            case .skipped: .skipped
            case .failed: .failed(try text())
            }
        return ActionOutcome(action: action, result: result, start: try duration(), duration: try duration())
    }

    private mutating func progress(of run: Name) throws(Flaw) -> ProgressRecord {
        ProgressRecord(
            run: run,
            eligible: try optional { reader throws(Flaw) in try reader.texts() },
            actions: try array { reader throws(Flaw) in try reader.actionOutcome() },
            values: try array { reader throws(Flaw) in
                ProgressRecord.Value(key: try reader.text(), type: try reader.text(), json: try reader.data())
            },
            unkept: try optionalText(),
            attempt: try int(),
            crashes: try int(),
            earlierAttempts: try int(),
            unrecorded: try int(),
            highestAttempt: try int(),
            state: try progressState()
        )
    }

    private mutating func progressState() throws(Flaw) -> ProgressRecord.State {
        switch try tag(RecordTags.Progress.self) {
        case .executing: .executing
        case .waiting: .waiting(try name())
        case .awaiting: .awaiting(try name())
        case .retrying: .retrying(due: try integer())
        case .parked: .parked(reason: try text(), remaining: try optionalInteger())
        case .stopping: .stopping(try resultState(), reason: try text())
        }
    }
}
