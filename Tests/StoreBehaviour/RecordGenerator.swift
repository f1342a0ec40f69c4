public import ForgeBusProtocol
public import ForgeBusStore

/// Makes records whose content is decided by a seed, and as hostile as a record may be.
public struct RecordGenerator {
    var random: SeededNumbers

    /// Records decided by `seed`.
    public init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    /// The kinds of records that a store gives back when it is loaded.
    static let loaded = StoreKey.Kind.allCases.filter(\.isLoaded)

    /// A record of any kind that a store gives back when it is loaded.
    public mutating func record() -> StoreRecord { record(random.one(of: Self.loaded)) }

    /// A record of `kind`.
    public mutating func record(_ kind: StoreKey.Kind) -> StoreRecord {
        switch kind {
        case .request: .request(request())
        case .run: .run(run())
        case .progress: .progress(progress())
        case .signal: signal(name())
        case .debt: .debt(debt())
        case .mode: .mode(ModeRecord(monitor: name(), screen: text(), until: integer()))
        case .requested: .requested(requested(name()))
        case .trouble: .trouble(TroubleRecord(monitor: name(), since: integer()))
        case .pipelinePause: .pause(pause(of: PauseSubject(.pipeline, name())))
        case .monitorPause: .pause(pause(of: PauseSubject(.monitor, name())))
        case .texts: .texts(RunTexts(run: name(), members: object()))
        }
    }

    /// So many records of `kind` under as many keys.
    public mutating func records(_ count: Int, of kind: StoreKey.Kind) -> [StoreRecord] {
        var records: [StoreKey: StoreRecord] = [:]
        while records.count < count {
            let record = record(kind)
            records[record.key] = record
        }
        return Array(records.values)
    }

    /// Puts a new record, replaces one of `kept`, or removes one, of `kept` or not.
    mutating func change(of kept: [StoreKey: StoreRecord]) -> StoreChange {
        let known = kept.keys.sorted { "\($0.kind) \($0.text)" < "\($1.kind) \($1.text)" }
        switch random.below(6) {
        case 0: return .remove(record().key)
        case 1 where !known.isEmpty: return .remove(random.one(of: known))
        case 2 where !known.isEmpty: return .put(record(under: random.one(of: known)))
        default: return .put(record())
        }
    }

    /// Two different records under one key.
    public mutating func twoOfOneKey() -> (StoreRecord, StoreRecord) {
        let first = record()
        var second = record(under: first.key)
        while second == first { second = record(under: first.key) }
        return (first, second)
    }

    private mutating func record(under key: StoreKey) -> StoreRecord {
        switch key {
        case .request(let key):
            var record = request()
            record.key = key
            return .request(record)
        case .run(let run):
            var record = self.run()
            record.run = run
            record.end?.result.run = RunID(run)
            return .run(record)
        case .progress(let run):
            var record = progress()
            record.run = run
            return .progress(record)
        case .signal(let signal): return self.signal(signal)
        case .debt(let monitor):
            var record = debt()
            record.monitor = monitor
            return .debt(record)
        case .mode(let monitor): return .mode(ModeRecord(monitor: monitor, screen: text(), until: integer()))
        case .requested(let run): return .requested(requested(run))
        case .trouble(let monitor): return .trouble(TroubleRecord(monitor: monitor, since: integer()))
        case .pipelinePause(let name): return .pause(pause(of: PauseSubject(.pipeline, name)))
        case .monitorPause(let name): return .pause(pause(of: PauseSubject(.monitor, name)))
        case .texts(let run): return .texts(RunTexts(run: run, members: object()))
        }
    }

    private mutating func requested(_ run: Name) -> RequestedRunRecord {
        RequestedRunRecord(
            run: run,
            pipeline: name(),
            origin: origin(),
            seeds: object(),
            unixMilliseconds: integer(),
            count: random.below(1_000),
            subjects: many { $0.text() }
        )
    }

    private mutating func origin() -> RunOrigin {
        let cause: RunOrigin.Cause =
            switch random.below(3) {
            case 0: .action(run: name(), action: text())
            case 1: .monitor(name(), action: text())
            default: .event(text())
            }
        return RunOrigin(cause, causers: Set(many { $0.text() }), depth: random.below(9), isQuiet: random.below(2) == 0)
    }

    private mutating func pause(of subject: PauseSubject) -> PauseRecord {
        PauseRecord(
            subject: subject,
            principal: text(),
            via: maybe { $0.text() },
            since: integer(),
            until: maybe { $0.integer() },
            reason: text()
        )
    }

    /// Requests whose keys differ in what is easily taken for the same.
    mutating func lookAlikes() -> [StoreRecord] {
        let principals = [
            "local", "local ", "LOCAL", "local\0", "", "e\u{301}", "\u{E9}", "\u{212B}", "\u{C5}", "a b", "a",
        ]
        let requests = principals.map { principal in
            var record = request()
            record.key = RequestKey(principal: principal, id: fixedID)
            return StoreRecord.request(record)
        }
        return requests + [signal("same"), .mode(ModeRecord(monitor: "same", screen: "", until: 0)), signal("SAME")]
    }

    private var fixedID: RequestID {
        guard let id = try? RequestID("id") else { fatalError("id is one") }
        return id
    }

    private mutating func request() -> RequestRecord {
        let outcome: RequestRecord.Outcome =
            switch random.below(3) {
            case 0: .run(name())
            case 1:
                .verdict(verdictReport())
            default:
                .confirmation(
                    StateReport(
                        random.one(of: StateReport.State.allCases),
                        run: maybe { RunID($0.name()) },
                        durability: maybe { $0.durability() },
                        retention: maybe { $0.duration() },
                        details: object()
                    )
                )
            }
        return RequestRecord(key: key(), fingerprint: fingerprint(), outcome: outcome, until: maybe { $0.integer() })
    }

    private mutating func run() -> RunRecord {
        let id = name()
        return RunRecord(
            run: id,
            request: key(),
            fingerprint: fingerprint(),
            pipeline: name(),
            definition: definition(),
            principal: text(),
            via: maybe { $0.text() },
            seeds: object(),
            title: maybe { $0.text() },
            key: maybe { ExclusiveKey($0.random.below(2) == 0 ? .pipeline($0.name()) : .group($0.name()), $0.text()) },
            accepted: integer(),
            deadline: maybe { $0.integer() },
            began: maybe { $0.integer() },
            origin: maybe { $0.origin() },
            end: maybe { generator in
                RunRecord.End(
                    result: RunResult(
                        run: RunID(id),
                        state: generator.random.one(of: RunResult.State.allCases),
                        reason: generator.text(),
                        actions: generator.many { $0.outcome() },
                        outputs: generator.object(),
                        abandoned: generator.many { $0.text() }
                    ),
                    ended: generator.integer(),
                    until: generator.integer(),
                    hasTexts: generator.random.below(2) == 0
                )
            }
        )
    }

    private mutating func definition() -> RunDefinition {
        RunDefinition(
            frame: fingerprint(),
            actions: many { RunDefinition.Action(id: $0.text(), work: $0.fingerprint(), handling: $0.fingerprint()) }
        )
    }

    private mutating func progress() -> ProgressRecord {
        let state: ProgressRecord.State =
            switch random.below(6) {
            case 0: .executing
            case 1: .waiting(name())
            case 2: .retrying(due: integer())
            case 3: .awaiting(name())
            case 4: .stopping(random.one(of: RunResult.State.allCases), reason: text())
            default: .parked(reason: text(), remaining: maybe { $0.integer() })
            }
        return ProgressRecord(
            run: name(),
            eligible: maybe { $0.many { $0.text() } },
            actions: many { $0.outcome() },
            values: many { ProgressRecord.Value(key: $0.text(), type: $0.text(), json: $0.data()) },
            unkept: maybe { $0.text() },
            attempt: random.below(5),
            crashes: random.below(5),
            earlierAttempts: random.below(5),
            unrecorded: random.below(5),
            highestAttempt: random.below(5),
            state: state
        )
    }

    private mutating func debt() -> DebtRecord {
        let causes = many { generator in
            DebtRecord.Cause(
                topic: generator.name(),
                count: generator.random.below(1_000),
                first: generator.integer(),
                last: generator.integer(),
                publisher: generator.text(),
                traceIDs: generator.many { $0.text() },
                body: generator.data(),
                bodySizeInBytes: generator.random.below(1_000_000)
            )
        }
        return DebtRecord(
            monitor: name(),
            causes: causes,
            others: random.below(1_000),
            principals: Set(many { $0.text() })
        )
    }

    /// A record of the signal `id`.
    public mutating func signal(_ id: Name) -> StoreRecord {
        let state: SignalRecord.State =
            switch random.below(3) {
            case 0: .waiting(wait(), deadline: maybe { $0.integer() })
            case 1: .settled(wait(), ending(), until: integer())
            default:
                .early(
                    many { generator in
                        SignalRecord.Early(
                            principal: generator.text(),
                            via: generator.maybe { $0.text() },
                            outcome: generator.decision(),
                            unixMilliseconds: generator.integer(),
                            until: generator.integer(),
                            isAsked: generator.random.below(2) == 0
                        )
                    }
                )
            }
        return .signal(SignalRecord(signal: id, state: state))
    }

    private mutating func wait() -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: random.below(2) == 0 ? .action(name(), text()) : .process(text()),
            isGate: random.below(2) == 0,
            rule: rule(),
            requester: maybe { $0.text() },
            causers: Set(many { $0.text() }),
            message: maybe { $0.text() },
            opened: integer(),
            barred: Set(many { $0.text() }),
            isEscalated: random.below(2) == 0,
            votes: many { generator in
                SignalRecord.Vote(
                    principal: generator.text(),
                    via: generator.maybe { $0.text() },
                    outcome: generator.decision(),
                    unixMilliseconds: generator.integer()
                )
            }
        )
    }

    private mutating func rule() -> GateRule {
        GateRule(
            allowed: maybe { $0.deciders() },
            requesterMayDecide: random.below(2) == 0,
            approvals: 1 + random.below(9),
            rejections: 1 + random.below(9),
            distinctFrom: Set(many { $0.text() }),
            value: maybe { generator in
                let members = generator.many { generator in
                    let type = ValueType.allCases[generator.random.below(ValueType.allCases.count)]
                    return (
                        generator.text(),
                        generator.random.below(2) == 0 ? GateRule.Member.required(type) : .optional(type)
                    )
                }
                return Dictionary(members) { first, _ in first }
            },
            reminder: maybe { .milliseconds($0.random.below(1_000_000)) },
            escalation: maybe {
                GateRule.Escalation(after: .milliseconds($0.random.below(1_000_000)), allowed: $0.deciders())
            }
        )
    }

    private mutating func deciders() -> Set<GateRule.Decider> {
        Set(many { $0.random.below(2) == 0 ? .principal($0.text()) : .group($0.text()) })
    }

    private mutating func ending() -> SignalRecord.Ending {
        switch random.below(3) {
        case 0: .decided(decision(), by: text(), via: maybe { $0.text() }, unixMilliseconds: integer())
        case 1: .expired
        default: .closed(why: text())
        }
    }

    /// An entry about the signal of `record`.
    public mutating func entry(about record: StoreRecord) -> JournalEntry {
        JournalEntry(at: integer(), text(), signal: try? Name(record.key.text), details: object())
    }

    /// An audit entry at `time`.
    public mutating func auditEntry(at time: Int64) -> AuditEntry {
        AuditEntry(
            at: time,
            text(),
            principal: maybe { $0.text() },
            key: maybe { $0.text() },
            request: maybe { $0.requestID() },
            allowedBy: maybe { $0.text() },
            facts: object()
        )
    }

    /// An entry about one, two or three of `names`.
    public mutating func entry(at time: Int64, among names: [Name]) -> JournalEntry {
        JournalEntry(
            at: time,
            text(),
            run: random.one(of: names),
            signal: maybe { $0.random.one(of: names) },
            monitor: maybe { $0.random.one(of: names) },
            principal: maybe { $0.text() },
            request: maybe { $0.requestID() },
            details: object()
        )
    }
}
