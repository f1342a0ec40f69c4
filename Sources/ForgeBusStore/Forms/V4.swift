import ForgeBusProtocol

/// Form 4 of a record, which has more values and kinds than form 3, mostly for runs that the worker itself requests.
///
/// It adds the origin of a run, and the state of a run that waits for another run. A wait also has the principals that
/// caused its run, and a monitor's debt has the principals that sent its notifications. Runs and decisions have the
/// principal that sent the request for another one. The new kinds are `owed`, `trouble`, `pipelinePause` and
/// `monitorPause`.
enum V4 {
    /// The number of the form, which is the first byte of an encoded record.
    static let number: UInt8 = 4

    typealias Flaw = RecordReader.Flaw

    /// The bytes for the causes of a run that the worker itself requests.
    enum CauseTag: UInt8 { case action = 0, monitor = 1, event = 2 }

    /// Reads the record under `key`.
    static func record(under key: StoreKey, _ reader: inout RecordReader) throws(Flaw) -> StoreRecord {
        switch key {
        case .request(let key): .request(try V1.request(key, &reader, verdict: verdictReport))
        case .signal(let signal): .signal(try V2.signal(signal, &reader, wait: wait, early: early, ending: ending))
        case .run(let run): .run(try self.run(run, &reader))
        case .progress(let run): .progress(try V1.progress(of: run, &reader, state: state))
        case .debt(let monitor): .debt(try debt(of: monitor, &reader))
        case .owed(let run): .owed(try owed(run, &reader))
        case .trouble(let monitor): .trouble(TroubleRecord(monitor: monitor, since: try reader.integer()))
        case .pipelinePause(let name): .pause(try pause(of: PauseSubject(.pipeline, name), &reader))
        case .monitorPause(let name): .pause(try pause(of: PauseSubject(.monitor, name), &reader))
        case .mode: try V3.record(under: key, &reader)
        }
    }

    private static func wait(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Wait {
        var wait = try V3.wait(&reader)
        wait.causers = Set(try reader.texts())
        for vote in wait.votes.indices { wait.votes[vote].via = try reader.optionalText() }
        return wait
    }

    private static func early(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Early {
        var early = try V2.early(&reader)
        early.via = try reader.optionalText()
        return early
    }

    private static func ending(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Ending {
        let ending = try V1.ending(&reader)
        guard case .decided(let outcome, let principal, _, let time) = ending else { return ending }
        return .decided(outcome, by: principal, via: try reader.optionalText(), unixMilliseconds: time)
    }

    private static func verdictReport(_ reader: inout RecordReader) throws(Flaw) -> VerdictReport {
        var report = try V2.verdictReport(&reader)
        if case .conflict(var standing) = report.verdict {
            standing.via = try reader.optionalText()
            report.verdict = .conflict(standing)
        }
        return report
    }

    private static func run(_ run: Name, _ reader: inout RecordReader) throws(Flaw) -> RunRecord {
        var record = try V2.run(run, &reader)
        record.origin = try reader.optional(origin)
        record.via = try reader.optionalText()
        return record
    }

    private static func state(
        _ tag: V1.ProgressTag,
        _ reader: inout RecordReader
    ) throws(Flaw) -> ProgressRecord.State {
        tag == .awaiting ? .awaiting(try reader.name()) : try V1.state(tag, &reader)
    }

    private static func debt(of monitor: Name, _ reader: inout RecordReader) throws(Flaw) -> DebtRecord {
        var record = try V1.debt(of: monitor, &reader)
        record.principals = Set(try reader.texts())
        return record
    }

    private static func origin(_ reader: inout RecordReader) throws(Flaw) -> RunOrigin {
        let cause: RunOrigin.Cause =
            switch try reader.tag(CauseTag.self) {
            case .action: .action(run: try reader.name(), action: try reader.text())
            case .monitor: .monitor(try reader.name(), action: try reader.text())
            case .event: .event(try reader.text())
            }
        return RunOrigin(
            cause,
            causers: Set(try reader.texts()),
            depth: try reader.int(),
            isQuiet: try reader.bool()
        )
    }

    private static func owed(_ run: Name, _ reader: inout RecordReader) throws(Flaw) -> OwedRecord {
        OwedRecord(
            run: run,
            pipeline: try reader.name(),
            origin: try origin(&reader),
            seeds: try reader.object(),
            unixMilliseconds: try reader.integer(),
            count: try reader.int(),
            subjects: try reader.texts()
        )
    }

    private static func pause(
        of subject: PauseSubject,
        _ reader: inout RecordReader
    ) throws(Flaw) -> PauseRecord {
        var record = PauseRecord(
            subject: subject,
            principal: try reader.text(),
            via: nil,
            since: try reader.integer(),
            until: try reader.optionalInteger(),
            reason: try reader.text()
        )
        record.via = try reader.optionalText()
        return record
    }
}
