import ForgeBusProtocol

/// Form 3 of a record, which has more values of a wait than form 2.
///
/// It adds the rest of a gate's rule, the principals that may not decide the gate, whether the gate is escalated, and
/// its votes.
enum V3 {
    /// The number of the form, which is the first byte of an encoded record.
    static let number: UInt8 = 3

    typealias Flaw = RecordReader.Flaw

    /// Reads the record under `key`.
    static func record(under key: StoreKey, _ reader: inout RecordReader) throws(Flaw) -> StoreRecord {
        switch key {
        case .signal(let signal): .signal(try V2.signal(signal, &reader, wait: wait))
        case .request, .run, .progress, .debt, .mode, .owed, .trouble, .pipelinePause, .monitorPause:
            try V2.record(under: key, &reader)
        }
    }

    static func wait(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: try V1.owner(&reader),
            isGate: try reader.bool(),
            rule: try rule(&reader),
            requester: try reader.optionalText(),
            causers: [],
            message: try reader.optionalText(),
            opened: try reader.optionalInteger(),
            barred: Set(try reader.texts()),
            isEscalated: try reader.bool(),
            votes: try reader.array { reader throws(Flaw) in
                SignalRecord.Vote(
                    principal: try reader.text(),
                    via: nil,
                    outcome: try V1.decision(&reader),
                    unixMilliseconds: try reader.integer()
                )
            }
        )
    }

    private static func rule(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Rule {
        SignalRecord.Rule(
            allowed: try reader.optional(deciders),
            requesterMayDecide: try reader.bool(),
            approvals: try reader.int(),
            rejections: try reader.int(),
            distinctFrom: try reader.texts(),
            value: try reader.optional { reader throws(Flaw) in try reader.array(member) },
            reminder: try reader.optionalInteger(),
            escalation: try reader.optional { reader throws(Flaw) in
                SignalRecord.Escalation(after: try reader.integer(), allowed: try deciders(&reader))
            }
        )
    }

    private static func deciders(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Deciders {
        SignalRecord.Deciders(principals: Set(try reader.texts()), groups: Set(try reader.texts()))
    }

    private static func member(_ reader: inout RecordReader) throws(Flaw) -> SignalRecord.Member {
        SignalRecord.Member(key: try reader.text(), type: try reader.text(), isRequired: try reader.bool())
    }
}
