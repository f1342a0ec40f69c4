import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A core with a time of its own: events go in, and what they lead to comes out as short lines.
///
/// It also holds the core to what a store may rely on: what was put and not removed is in ``kept``.
struct CoreHarness {
    private(set) var core: WorkerState
    /// Who speaks on which connection, and what is owed there.
    private(set) var callers: Callers
    private var configuration: CoreConfiguration
    /// How many workers there were.
    private(set) var workers = 1
    private(set) var now = start
    private static let start = Moment(nanoseconds: 0, unixMilliseconds: 1_790_000_000_000)
    /// Everything a store would keep now.
    private(set) var kept: [StoreKey: StoreRecord] = [:]
    /// What actions printed, in its order.
    private(set) var outputs: [ActionOutput] = []
    /// Everything that joined the journal, in its order.
    private(set) var journal: [JournalEntry] = []
    /// Everything the audit was told, which is in no effects.
    private(set) var audited: [AuditRecord] = []
    /// Everything that joined the audit's chain, in its order.
    private(set) var chained: [AuditEntry] = []
    /// Up to when the latest audit entry lets older ones be dropped.
    private(set) var horizon = Int64.min
    /// Everything the log was told, which is in no effects.
    private(set) var warned: [Trouble] = []

    init(
        pipelines: [HostedPipeline] = [],
        monitors: [HostedMonitor] = [],
        limits: WorkerLimits = WorkerLimits(),
        durability: Durability = .memory,
        retention: Duration = .seconds(60),
        signalRetention: Duration = .seconds(3600),
        signals: [NamePattern]? = nil,
        access: AccessPolicy = .local,
        events: [WorkerEvent: Name] = [:],
        isReady: Bool = true
    ) {
        configuration = CoreConfiguration(
            name: "test",
            keepsRecords: true,
            durability: durability,
            retention: retention,
            signalRetention: signalRetention,
            cancelGrace: .seconds(30),
            limits: limits,
            signals: signals,
            access: access,
            pipelines: pipelines,
            monitors: monitors,
            events: events,
            publicURL: "https://bus.example.org",
            runPrefix: "run"
        )
        core = WorkerState(configuration)
        callers = Callers(limits: limits)
        if isReady { step(.ready) }
    }

    /// Somebody speaks on a connection.
    mutating func hear(_ caller: Caller) -> Callers.Hearing {
        var caller = caller
        return callers.hear(&caller, among: 0)
    }

    /// A first answer was handed to its connection, or given up.
    mutating func answered(_ caller: Caller) { callers.answered(caller) }

    /// Steps the core and gives its effects back.
    @discardableResult
    mutating func effects(of event: Event) -> [Effect] { consequences(of: event).effects }

    /// Steps the core through the events of one turn and gives back what they change and lead to.
    mutating func consequences(of events: Event...) -> Consequences {
        var consequences = Consequences()
        for event in events { core.decide(event, at: now, into: &consequences) }
        core.flush(into: &consequences)
        note(&consequences)
        return consequences
    }

    /// Steps the core through one event of a turn that has more, or is ended by ``endTurn()``.
    mutating func consequencesWithinTurn(of event: Event) -> Consequences {
        var consequences = Consequences()
        core.decide(event, at: now, into: &consequences)
        note(&consequences)
        return consequences
    }

    /// What is only kept at a turn's end: how far runs have come.
    mutating func endTurn() -> Consequences {
        var consequences = Consequences()
        core.flush(into: &consequences)
        note(&consequences)
        return consequences
    }

    /// The worker is gone, and another one takes over `records`, all that it left; it is not ready yet, and the turn goes
    /// on.
    ///
    /// - Parameters:
    ///   - records: What was committed.
    ///   - change: What is configured otherwise from now on.
    /// - Returns: What that changes and leads to.
    mutating func restart(
        from records: [StoreRecord],
        changing change: (inout CoreConfiguration) -> Void = { _ in }
    ) -> Consequences {
        workers += 1
        configuration.runPrefix = "run\(workers)"
        change(&configuration)
        core = WorkerState(configuration)
        callers = Callers(limits: configuration.limits)
        kept = Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0) })
        var consequences = Consequences()
        core.restore(records, at: now, into: &consequences)
        note(&consequences)
        return consequences
    }

    private mutating func note(_ consequences: inout Consequences) {
        callers.owe(consequences.effects[...])
        consequences.effects.removeAll { effect in
            if case .warn(let trouble) = effect { warned.append(trouble) }
            if case .warn = effect { return true }
            guard case .audit(let record) = effect else { return false }
            audited.append(record)
            return true
        }
        for change in consequences.changes {
            switch change {
            case .put(let record): kept[record.key] = record
            case .remove(let key): kept[key] = nil
            case .append(let entry): journal.append(entry)
            case .output(let output): outputs.append(output)
            case .audit(let entry, let horizon):
                chained.append(entry)
                self.horizon = horizon
            }
        }
    }

    /// Steps the core and gives what it leads to back, a line each.
    @discardableResult
    mutating func step(_ event: Event) -> [String] { effects(of: event).map(\.line) }

    /// Sends a command from a connection.
    @discardableResult
    mutating func send(
        _ command: Request.Command,
        id: String = "a",
        from peer: Int = 1,
        source: String? = nil
    ) -> [String] {
        guard let id = try? RequestID(id) else { return ["no id"] }
        return step(.received(Received(Request(command, id: id, source: source), from: peer)))
    }

    /// Lets time pass, and steps the core whenever something is due.
    @discardableResult
    mutating func advance(by duration: Duration) -> [String] {
        let end = now.advanced(by: duration)
        var lines: [String] = []
        while let consequences = tick(until: end) { lines += consequences.effects.map(\.line) }
        return lines
    }

    /// Lets time pass up to the next moment at which something is due, or to `end` when nothing is: then nil.
    mutating func tick(until end: Moment) -> Consequences? {
        guard let due = core.nextDue, due <= end else {
            move(to: end)
            return nil
        }
        move(to: max(due, now))
        return consequences(of: .tick)
    }

    /// Lets time pass without stepping the core: whatever was due meanwhile is stepped later, if at all.
    mutating func oversleep(_ duration: Duration) { move(to: now.advanced(by: duration)) }

    private mutating func move(to moment: Moment) {
        let milliseconds = Int64(moment.nanoseconds / 1_000_000)
        now = Moment(nanoseconds: moment.nanoseconds, unixMilliseconds: Self.start.unixMilliseconds + milliseconds)
    }
}

extension CoreHarness {
    /// Asks for a run of `p`.
    @discardableResult
    mutating func run(
        _ id: String = "a",
        pipeline: Name = "p",
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        isDetached: Bool = false,
        from peer: Int = 1
    ) -> [String] {
        let request = RunRequest(pipeline: pipeline, seeds: seeds, isDetached: isDetached, deadline: deadline)
        return send(.run(request), id: id, from: peer)
    }

    /// An action of a run opens a gate or signal.
    @discardableResult
    mutating func open(
        _ signal: Name,
        run: Name = "run-1",
        action: String = "approve",
        kind: SignalKind = .gate,
        waiter: UInt64 = 1,
        deadline: Duration? = nil
    ) -> [String] {
        let owner = SignalOwner.action(run, action)
        let waiting = SignalWait(owner: owner, kind: kind, waiter: WaiterID(number: waiter))
        return step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: deadline)))
    }

    /// A run is left at an action, and nothing of it executes; at a gate, or because the action failed.
    @discardableResult
    mutating func rest(
        _ kind: RunRest.Kind,
        run: Name = "run-1",
        action: String = "work",
        waiter: UInt64 = 7,
        eligible: [String]? = nil,
        after actions: [ActionOutcome] = []
    ) -> [String] {
        let waiter = WaiterID(number: waiter)
        let eligible = eligible ?? actions.map(\.action) + [action]
        let rest = RunRest(
            run: run,
            action: action,
            waiter: waiter,
            kind: kind,
            eligible: eligible,
            actions: actions
        )
        return step(.rested(rest))
    }

    /// A run rests at a gate.
    @discardableResult
    mutating func restAtGate(
        _ signal: Name,
        run: Name = "run-1",
        action: String = "approve",
        waiter: UInt64 = 1,
        deadline: Duration? = nil,
        after actions: [ActionOutcome] = []
    ) -> [String] {
        let kind = RunRest.Kind.gate(signal, rule: .anybody, deadline: deadline)
        return rest(kind, run: run, action: action, waiter: waiter, after: actions)
    }

    @discardableResult
    mutating func complete(_ signal: Name, _ value: JSONValue = .null, id: String, from peer: Int = 2) -> [String] {
        let bytes = value == .null ? [] : value.encoded
        return send(.decide(.asked(signal, .approved(value: bytes))), id: id, from: peer)
    }

    @discardableResult
    mutating func reject(_ signal: Name, _ reason: String = "no", id: String, from peer: Int = 2) -> [String] {
        send(.decide(.asked(signal, .rejected(reason: reason))), id: id, from: peer)
    }

    /// A run's actions are through.
    @discardableResult
    mutating func end(_ run: Name = "run-1", failing reason: String? = nil) -> [String] {
        step(.runEnded(run, .test(failing: reason), outputs: [:], flaw: nil))
    }

    /// The kinds of entries a store would keep now, counted.
    var keptCount: Int { kept.count }
}

extension PipelineReport {
    /// A report of one action.
    static func test(_ action: ActionID = "work", failing reason: String? = nil) -> PipelineReport {
        let result: ActionResult = reason.map { .failed($0) } ?? .completed
        let report = ActionReport(id: action, result: result, start: .zero, duration: .milliseconds(1))
        return PipelineReport(eligible: [action], actions: [report], isCancelled: false)
    }
}

extension [ActionOutcome] {
    /// What came of one action.
    static func test(_ action: ActionID = "work", failing reason: String? = nil) -> [ActionOutcome] {
        PipelineReport.test(action, failing: reason).actions.map { ActionOutcome($0) }
    }
}

extension Received {
    /// A request as it comes from a connection with this number; by default of a process without a key.
    convenience init(_ request: Request, from peer: Int, as principal: AccessPolicy.Principal? = nil) {
        var buffer = FrameBuffer()
        request.encode(into: &buffer)
        self.init(
            request: request,
            fingerprint: Fingerprint(of: request, frames: buffer.frames),
            caller: Caller(.numbered(peer), principal?.speaker ?? .local(source: request.source)),
            principal: principal ?? .local(source: request.source)
        )
    }
}

extension AccessPolicy.Principal {
    /// Who sends its requests: another principal that acts for it, or itself.
    var speaker: AccessPolicy.Principal { via.map { AccessPolicy.Principal($0) } ?? self }
}

extension Caller {
    /// The number of its connection.
    var number: Int { Int(connection.number) }
}

extension ConnectionID {
    /// A connection that only has a number.
    static func numbered(_ number: Int) -> ConnectionID { ConnectionID(number: UInt64(number)) }
}

extension Decision {
    /// A decision that is kept for a day if nobody waits yet, also for a gate.
    static func asked(_ signal: Name, _ outcome: Outcome) -> Decision {
        Decision(signal: signal, outcome: outcome, keep: WireLimits.defaultKeep)
    }
}
