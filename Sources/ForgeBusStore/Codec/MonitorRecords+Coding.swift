import ForgeBusProtocol

extension RecordWriter {
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
    }

    mutating func put(_ record: ModeRecord) {
        put(record.screen)
        put(record.until)
    }
}

extension RecordReader {
    mutating func debt(_ monitor: Name) throws(Flaw) -> DebtRecord {
        let causes = try array { reader throws(Flaw) in
            DebtRecord.Cause(
                topic: try reader.name(),
                count: try reader.int(),
                first: try reader.integer(),
                last: try reader.integer(),
                publisher: try reader.text(),
                traceIDs: try reader.array { reader throws(Flaw) in try reader.text() },
                body: try reader.data(),
                bodySizeInBytes: try reader.int()
            )
        }
        return DebtRecord(monitor: monitor, causes: causes, others: try int())
    }

    mutating func mode(_ monitor: Name) throws(Flaw) -> ModeRecord {
        ModeRecord(monitor: monitor, screen: try text(), until: try integer())
    }
}
