import ForgeBusProtocol

/// Form 4 of a record, which has more values and kinds than form 3, mostly for runs that the worker itself requests.
///
/// It adds the origin of a run, and the state of a run that waits for another run. A wait also has the principals that
/// caused its run, and a monitor's debt has the principals that sent its notifications. The new kinds are `owed`,
/// `trouble`, `pipelinePause` and `monitorPause`.
enum V4 {
    /// The number of the form, which is the first byte of an encoded record.
    static let number: UInt8 = 4

    typealias Flaw = RecordReader.Flaw

    /// The bytes for the causes of a run that the worker itself requests.
    enum CauseTag: UInt8 { case action = 0, monitor = 1, event = 2 }

    /// Reads the record under `key`.
    static func record(under key: StoreKey, _ reader: inout RecordReader) throws(Flaw) -> StoreRecord {
        switch key {
        case .signal(let signal): .signal(try V2.signal(signal, &reader, wait: wait))
        case .run(let run): .run(try self.run(run, &reader))
        case .progress(let run): .progress(try V1.progress(of: run, &reader, state: state))
        case .debt(let monitor): .debt(try debt(of: monitor, &reader))
        case .owed(let run): .owed(try owed(run, &reader))
        case .trouble(let monitor): .trouble(TroubleRecord(monitor: monitor, since: try reader.integer()))
        case .pipelinePause(let name): .pause(try pause(of: PauseSubject(.pipeline, name), &reader))
        case .monitorPause(let name): .pause(try pause(of: PauseSubject(.monitor, name), &reader))
        case .request, .mode: try V3.record(under: key, &reader)
        }
    }

    private static func wait(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Wait {
        var wait = try V3.wait(&reader)
        wait.causers = Set(try reader.texts())
        return wait
    }

    private static func run(_ run: Name, _ reader: inout RecordReader) throws(Flaw) -> RunRecord {
        var record = try V2.run(run, &reader)
        record.origin = try reader.optional(origin)
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
        PauseRecord(
            subject: subject,
            principal: try reader.text(),
            since: try reader.integer(),
            until: try reader.optionalInteger(),
            reason: try reader.text()
        )
    }
}
