import ForgeBusProtocol

/// Form 2 of a record, which has more values than form 1.
///
/// It adds a gate's message, the time when a signal opened, and whether the sender asked for an early decision to be
/// kept. It also adds the reasons of some verdicts, and the digests of the parts of a run's definition.
enum V2 {
    /// The number of the form, which is the first byte of an encoded record.
    static let number: UInt8 = 2

    typealias Flaw = RecordReader.Flaw

    /// Reads the record under `key`.
    static func record(under key: StoreKey, _ reader: inout RecordReader) throws(Flaw) -> StoreRecord {
        switch key {
        case .request(let key): .request(try V1.request(key, &reader, verdict: verdictReport))
        case .signal(let signal): .signal(try self.signal(signal, &reader, wait: wait))
        case .run(let run): .run(try self.run(run, &reader))
        case .progress, .debt, .mode, .owed, .trouble, .pipelinePause, .monitorPause: try V1.record(under: key, &reader)
        }
    }

    static func signal(
        _ signal: Name,
        _ reader: inout RecordReader,
        wait: (inout RecordReader) throws(Flaw) -> SignalRecord.Wait,
        early: (inout RecordReader) throws(Flaw) -> SignalRecord.Early = early,
        ending: (inout RecordReader) throws(Flaw) -> SignalRecord.Ending = V1.ending
    ) throws(Flaw) -> SignalRecord {
        SignalRecord(signal: signal, state: try V1.signalState(&reader, wait: wait, early: early, ending: ending))
    }

    static func verdictReport(_ reader: inout RecordReader) throws(Flaw) -> VerdictReport {
        var report = try V1.verdictReport(&reader)
        switch report.verdict {
        case .unknown: report.verdict = .unknown(why: try reader.text())
        case .delivered: report.parkingReason = try reader.optionalText()
        case .counted, .buffered, .duplicate, .conflict, .expired, .closed, .forbidden: break
        }
        return report
    }

    private static func wait(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Wait {
        var wait = try V1.wait(&reader)
        wait.message = try reader.optionalText()
        wait.opened = try reader.optionalInteger()
        return wait
    }

    static func run(_ run: Name, _ reader: inout RecordReader) throws(Flaw) -> RunRecord {
        var record = try V1.run(run, &reader)
        record.parts = try reader.optional { reader throws(Flaw) in
            DefinitionParts(
                frame: try reader.fingerprint(),
                actions: try reader.array { reader throws(Flaw) in
                    DefinitionParts.Action(
                        id: try reader.text(),
                        work: try reader.fingerprint(),
                        handling: try reader.fingerprint()
                    )
                }
            )
        }
        return record
    }

    static func early(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Early {
        var early = try V1.early(&reader)
        early.isAsked = try reader.bool()
        return early
    }
}
