import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A worker's core that can die, and another one that takes over what it left, as bytes and in no order.
///
/// Each has a clock of its own that begins anew, and numbers its runs under a prefix of its own; the clock on the wall
/// goes on while there is none.
struct RestartedCore {
    private(set) var core: WorkerState
    private(set) var now = Moment(nanoseconds: 5_000_000_000, unixMilliseconds: 1_790_000_000_000)
    /// Everything a store would keep now.
    private(set) var kept: [StoreKey: StoreRecord] = [:]
    /// Everything that joined the journal, in its order.
    private(set) var journal: [JournalEntry] = []
    /// Every answer that was given, in its order.
    private(set) var answers: [Answer] = []
    /// The audit's entries, in their order.
    private(set) var audit: [AuditEntry] = []
    /// The runs that were begun or gone on with, in their order.
    private(set) var starts: [RunStart] = []
    /// Why cycles began, in their order.
    private(set) var causes: [MonitorCauses] = []
    private var configuration: CoreConfiguration
    private var sent = 0
    private var deaths = 0

    init(
        pipelines: [HostedPipeline] = [],
        monitors: [HostedMonitor] = [],
        access: AccessPolicy = .local,
        limits: WorkerLimits = WorkerLimits(),
        events: [WorkerEvent: Name] = [:],
        isReady: Bool = true
    ) {
        configuration = CoreConfiguration(
            name: "test",
            keepsRecords: true,
            durability: .fsynced,
            retention: .seconds(600),
            signalRetention: .seconds(3600),
            cancelGrace: .seconds(30),
            limits: limits,
            signals: nil,
            access: access,
            pipelines: pipelines,
            monitors: monitors,
            events: events,
            runPrefix: "run"
        )
        core = WorkerState(configuration)
        if isReady { decide(.ready) }
    }

    /// The worker dies, and another takes its place when `gone` has passed.
    ///
    /// - Returns: What its taking over leads to, before it is ready.
    @discardableResult
    mutating func restart(
        after gone: Duration = .zero,
        pipelines: [HostedPipeline]? = nil,
        monitors: [HostedMonitor]? = nil,
        isReady: Bool = false
    ) -> [String] {
        deaths += 1
        configuration.runPrefix = "run\(deaths)"
        configuration.pipelines = pipelines ?? configuration.pipelines
        configuration.monitors = monitors ?? configuration.monitors
        now = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: now.unixMilliseconds + gone.milliseconds)
        core = WorkerState(configuration)
        let records = kept.map { key, record in
            guard let record = try? StoreRecord(encoded: record.encoded, under: key) else {
                fatalError("A record is not read as it was written: \(record)")
            }
            return record
        }
        var consequences = Consequences()
        core.restore(records, at: now, into: &consequences)
        core.flush(into: &consequences)
        return note(consequences) + (isReady ? decide(.ready) : [])
    }

    /// Steps the core and gives what it leads to back, a line each; the audit is left out.
    @discardableResult
    mutating func decide(_ event: Event) -> [String] {
        var consequences = Consequences()
        core.decide(event, at: now, into: &consequences)
        core.flush(into: &consequences)
        return note(consequences)
    }

    private mutating func note(_ consequences: Consequences) -> [String] {
        for change in consequences.changes {
            switch change {
            case .put(let record): kept[record.key] = record
            case .remove(let key): kept[key] = nil
            case .append(let entry): journal.append(entry)
            case .audit(let entry, _): audit.append(entry)
            case .output: break
            }
        }
        var lines: [String] = []
        for effect in consequences.effects {
            if case .audit = effect { continue }
            if case .warn = effect { continue }
            if case .answer(let answer, _) = effect { answers.append(answer) }
            if case .start(let start) = effect { starts.append(start) }
            if case .runCycle(_, let causes) = effect { self.causes.append(causes) }
            lines.append(effect.line)
        }
        return lines
    }

    /// Sends a command from a connection, under an id of its own unless it is given.
    @discardableResult
    mutating func send(
        _ command: Request.Command,
        id: String? = nil,
        source: String? = nil,
        as principal: AccessPolicy.Principal? = nil
    ) -> [String] {
        sent += 1
        guard let id = try? RequestID(id ?? "r\(sent)") else { return ["no id"] }
        return decide(.received(Received(Request(command, id: id, source: source), from: 1, as: principal)))
    }

    /// Lets time pass, and steps the core whenever something is due.
    @discardableResult
    mutating func advance(by duration: Duration) -> [String] {
        let end = now.advanced(by: duration)
        var lines: [String] = []
        while let due = core.nextDue, due <= end {
            move(to: max(due, now))
            lines += decide(.tick)
        }
        move(to: end)
        return lines
    }

    private mutating func move(to moment: Moment) {
        now = Moment(nanoseconds: moment.nanoseconds, unixMilliseconds: now.unix(of: moment))
    }
}

extension RestartedCore {
    /// Asks for a run of `p`.
    @discardableResult
    mutating func run(_ id: String, seeds: JSONObject = [:], deadline: Duration? = nil) -> [String] {
        send(.run(RunRequest(pipeline: "p", seeds: seeds, deadline: deadline)), id: id)
    }

    /// The conditions of a run were asked.
    mutating func asked(_ run: Name = "run-1", _ eligible: ActionID...) {
        decide(.transition(run, .eligible(eligible)))
    }

    /// An action of a run completed, and left these values.
    mutating func completed(_ action: ActionID, of run: Name = "run-1", leaving values: RunValues = RunValues()) {
        decide(.transition(run, .finished(PipelineReport.test(action).actions[0]), values))
    }

    /// A run rests, behind the first `past` of its eligible actions.
    @discardableResult
    mutating func rest(_ kind: RunRest.Kind, _ run: Name = "run-1", waiter: UInt64 = 7) -> [String] {
        guard let course = core.runs[run]?.course, let eligible = course.eligible, let action = course.next else {
            return ["no eligible actions"]
        }
        return decide(
            .rested(
                RunRest(
                    run: run,
                    action: action,
                    waiter: WaiterID(number: waiter),
                    kind: kind,
                    eligible: eligible,
                    actions: course.actions
                )
            )
        )
    }

    /// A run rests at its gate.
    @discardableResult
    mutating func restAtGate(
        _ signal: Name,
        _ run: Name = "run-1",
        deadline: Duration? = nil,
        waiter: UInt64 = 7
    ) -> [String] {
        rest(.gate(signal, rule: .anybody, deadline: deadline), run, waiter: waiter)
    }

    @discardableResult
    mutating func complete(_ signal: Name, _ value: JSONValue = .null, id: String? = nil) -> [String] {
        let bytes = value == .null ? [] : value.encoded
        return send(.decide(.asked(signal, .approved(value: bytes))), id: id)
    }

    /// A run's actions are through, the last of them `action`.
    @discardableResult
    mutating func end(_ run: Name = "run-1", _ action: ActionID = "work") -> [String] {
        decide(.runEnded(run, .test(action), outputs: [:], flaw: nil))
    }

    /// What a store would keep of a run's progress.
    func progress(of run: Name = "run-1") -> ProgressRecord? {
        guard case .progress(let record) = kept[.progress(run)] else { return nil }
        return record
    }

    /// The bytes of the latest answers, as they are sent.
    func latest(_ count: Int) -> [[UInt8]] {
        answers.suffix(count).map { answer in
            var buffer = FrameBuffer()
            answer.encode(into: &buffer)
            return buffer.bytes
        }
    }

    /// What the journal says of a run, word for word.
    func events(of run: Name = "run-1") -> [String] { journal.filter { $0.run == run }.map(\.event) }
}
