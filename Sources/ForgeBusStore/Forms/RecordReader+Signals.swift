import ForgeBusProtocol

/// Reads the records of signals and monitors.
extension RecordReader {
    mutating func signalState() throws(Flaw) -> SignalRecord.State {
        switch try tag(RecordTags.Signal.self) {
        case .waiting: .waiting(try wait(), deadline: try optionalInteger())
        case .settled: .settled(try wait(), try ending(), until: try integer())
        case .early: .early(try array { reader throws(Flaw) in try reader.early() })
        }
    }

    private mutating func wait() throws(Flaw) -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: try owner(),
            isGate: try bool(),
            rule: try rule(),
            requester: try optionalText(),
            causers: Set(try texts()),
            message: try optionalText(),
            opened: try integer(),
            barred: Set(try texts()),
            isEscalated: try bool(),
            votes: try array { reader throws(Flaw) in
                SignalRecord.Vote(
                    principal: try reader.text(),
                    via: try reader.optionalText(),
                    outcome: try reader.decision(),
                    unixMilliseconds: try reader.integer()
                )
            }
        )
    }

    private mutating func owner() throws(Flaw) -> SignalRecord.Owner {
        switch try tag(RecordTags.Owner.self) {
        case .action: .action(try name(), try text())
        case .process: .process(try text())
        }
    }

    private mutating func rule() throws(Flaw) -> GateRule {
        let json = try object()
        do throws(BusError) { return try GateRule(json) } catch { throw Flaw() }
    }

    private mutating func ending() throws(Flaw) -> SignalRecord.Ending {
        switch try tag(RecordTags.Ending.self) {
        case .decided:
            .decided(try decision(), by: try text(), via: try optionalText(), unixMilliseconds: try integer())
        case .expired: .expired
        case .closed: .closed(why: try text())
        }
    }

    private mutating func early() throws(Flaw) -> SignalRecord.Early {
        SignalRecord.Early(
            principal: try text(),
            via: try optionalText(),
            outcome: try decision(),
            unixMilliseconds: try integer(),
            until: try integer(),
            isAsked: try bool()
        )
    }

    private mutating func decision() throws(Flaw) -> Decision.Outcome {
        switch try tag(RecordTags.Decision.self) {
        case .approved: .approved(value: try data())
        case .rejected: .rejected(reason: try text())
        }
    }

    mutating func debt(of monitor: Name) throws(Flaw) -> DebtRecord {
        DebtRecord(
            monitor: monitor,
            causes: try array { reader throws(Flaw) in
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
            },
            others: try int(),
            principals: Set(try texts())
        )
    }
}
