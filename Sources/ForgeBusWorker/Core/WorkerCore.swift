import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import ZeroMQ

/// Everything a worker decides: one event in, effects out.
///
/// No clock, no socket, no lock.
///
/// Owned by the reactor thread; a test owns one of its own. What is decided is in the books below, each a value of its
/// own; the extensions in this folder say what an event does to them.
struct WorkerCore {
    let configuration: CoreConfiguration
    var access: AccessPolicy
    let pipelines: [PipelineName: HostedPipeline]
    /// What the pipelines are, as far as that decides whether a run can be gone on with.
    let definitions: [PipelineName: Fingerprint]
    var phase = Pong.State.starting
    var ledger: RequestLedger
    var queues: RunQueues
    /// Unfinished runs.
    var runs: [RunID: Run] = [:]
    /// Those that went on since the store was told how far each has come.
    var advanced: [RunID] = []
    /// Results of ended runs, as long as the ledger keeps their requests.
    var ended = LargeTable<RunID, EndedRun>()
    /// What they take of the worker's bounds.
    var bounds: RunBounds
    var gates: GateBook
    /// Waits that are over whose runs have no slot yet to resume with.
    var decided: [WaiterID: WaitOutcome] = [:]
    var lanes: [MonitorLane]
    /// Which lanes follow a topic, for the topics that came lately.
    var followers: [Topic: [Int]] = [:]
    var evaluations = EvaluationBook()
    var callers: CallerBook
    var watches: WatchBook
    var deadlines = Deadlines()
    private var runNumber = 0
    /// What the step that is under way leads to.
    var consequences = Consequences()
    /// When the step that is under way happens.
    private(set) var moment = Moment(nanoseconds: 0, unixMilliseconds: 0)
    /// Whether the store has room only for what has begun.
    var isShort = false
    /// Whether the worker has stopped and left its runs to another.
    var hasLeft = false
    /// What operators asked of the store and is not done.
    var performing: [RequestKey: Performing] = [:]
    /// The signals for which runs waited in an earlier worker.
    var orphans: [RunID: [SignalID]] = [:]
    /// How many histories are being put together.
    var histories = 0
    /// Counts the waits that were taken over from an earlier worker.
    var restoredWaiters: UInt64 = 0

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        access = configuration.access
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        definitions = pipelines.mapValues { Fingerprint(of: $0) }
        queues = RunQueues(
            configuration.pipelines,
            slots: configuration.limits.executingRuns,
            capacity: configuration.limits.queuedRuns
        )
        lanes = configuration.monitors.map { monitor in
            MonitorLane(
                name: monitor.name,
                topics: monitor.topics,
                timing: monitor.timing,
                seed: configuration.runPrefix
            )
        }
        bounds = RunBounds(configuration.limits)
        ledger = RequestLedger(retention: configuration.retention, capacity: configuration.limits.requests)
        watches = WatchBook(limits: configuration.limits)
        callers = CallerBook(outstanding: configuration.limits.outstanding)
        gates = GateBook(
            limits: configuration.limits,
            retention: configuration.signalRetention,
            declared: configuration.signals
        )
    }

    /// When the core wants to be stepped again if nothing else happens; one that has left does not.
    var nextDue: Moment? {
        hasLeft ? nil : [deadlines.next, ledger.nextExpiry, gates.nextExpiry].compactMap { $0 }.min()
    }

    /// Decides what `event` leads to, and appends that to `list`.
    mutating func step(_ event: Event, at now: Moment, into list: inout Consequences) {
        // What a worker that has stopped is still told is for the one that takes its place; but it counts what it says last.
        if hasLeft { guard case .told = event else { return } }
        begin(at: now)
        swap(&consequences, &list)
        switch event {
        case .received(let received): receive(received, at: now)
        case .transition(let run, let transition, let values, let checkpoint):
            note(transition, values, of: run, at: now)
            if let checkpoint { emit(.resume(checkpoint, .proceed)) }
        case .runEnded(let run, let actions, let outputs, let flaw): end(run, actions, outputs, flaw, at: now)
        case .rested(let rest): self.rest(rest, at: now)
        case .opened(let opening): open(opening, at: now)
        case .abandoned(let run, let action): abandon(run, action, at: now)
        case .told(let told, let isTaken): self.told(told, isTaken: isTaken)
        case .disconnected(let peer): watches.closeAll(of: peer)
        case .probed(let gone): watches.probed(gone: gone, at: now)
        case .withdrawn(let signal, let waiter, let why): withdraw(signal, waiter, why: why, at: now)
        case .cycleEnded(let monitor, let outcome): cycleEnded(monitor, outcome, at: now)
        case .standingChanged(let monitor, let standing): standingChanged(monitor, standing, at: now)
        case .published(let publication, let principal, let others):
            published(publication, by: principal, othersMayBeLost: others, at: now)
        case .publicationsMayBeLost: publicationsMayBeLost(at: now)
        case .accessReplaced(let policy, let cause): replaceAccess(with: policy, by: cause, at: now)
        case .performed(let key, let result): performed(key, result, at: now)
        case .historyFound(let query, let content): tell(query, content)
        case .room(let room): isShort = room == .short
        case .ready: becomeReady(at: now)
        case .drain: drain(at: now)
        case .drainTimeEnded: loseWhatIsLeft(at: now)
        case .tick: catchUp(at: now)
        }
        if deadlines.areOvergrown { sweepDeadlines() }
        swap(&consequences, &list)
    }

    /// A step begins.
    mutating func begin(at now: Moment) { moment = now }

    /// The effect is carried out after those before it, once what was changed is committed.
    mutating func emit(_ effect: consuming Effect) {
        if case .answer(let answer, let caller) = effect, answer.content.isFirst { callers.owes(caller) }
        consequences.effects.append(effect)
    }

    /// The store keeps this from now on.
    mutating func keep(_ record: @autoclosure () -> StoreRecord) {
        if configuration.keepsRecords { consequences.changes.append(.put(record())) }
    }

    /// The store forgets this.
    mutating func forget(_ key: StoreKey) {
        if configuration.keepsRecords { consequences.changes.append(.remove(key)) }
    }

    /// The request had no effect.
    mutating func refuse(_ received: Received, _ error: BusError) {
        emit(.answer(Answer(to: received.request.id, .error(error)), to: received.caller))
        audit(error, received)
    }

    /// The id that the next run gets: no other run of any worker has it.
    var nextRunID: RunID { RunID(unchecked: "\(configuration.runPrefix)-\(runNumber + 1)") }

    /// Gives an id to a run, which keeps it also where it is refused.
    ///
    /// Otherwise a signal that somebody named after the next run would have all of them refused.
    mutating func takeRunID() -> RunID {
        defer { runNumber += 1 }
        return nextRunID
    }

    /// Codec, then authorisation, then ledger, then limits, then effect.
    private mutating func receive(_ received: Received, at now: Moment) {
        let ruling = access.ruling(on: received.request.command, of: received.principal)
        if let error = ruling.refusal(of: received.principal) { return refuse(received, error) }
        switch received.request.command {
        case .notify(let change): notify(change, received, at: now)
        case .run(let request): run(request, received, at: now)
        case .decide(let decision): decide(decision, received, at: now)
        case .attach(let request): attach(request, received, at: now)
        case .cancel(let request): cancel(request, received, at: now)
        case .redrive(let request): redrive(request, received, at: now)
        case .mode(let request): mode(request, received, at: now)
        case .admin(let request): administer(request, received, at: now)
        case .watch(let request): watch(request, received)
        case .unwatch: unwatch(received)
        case .show(let request): show(request, received)
        case .hello: emit(.answer(Answer(to: received.request.id, .welcome(welcome)), to: received.caller))
        case .list(let request):
            emit(.answer(Answer(to: received.request.id, .page(page(request))), to: received.caller))
        case .ping(let body):
            let pong = Pong(worker: configuration.name, state: phase, body: body)
            emit(.answer(Answer(to: received.request.id, .pong(pong)), to: received.caller))
        }
    }

    private mutating func becomeReady(at now: Moment) {
        guard phase == .starting else { return }
        phase = .ready
        fillSlots()
        evaluateAll(at: now)
    }

    mutating func catchUp(at now: Moment) {
        while let due = deadlines.pop(at: now) { meet(due, at: now) }
        forgetRequests(at: now)
        let signals = gates.forget(at: now) { [runs] in runs[$0] != nil }
        for signal in signals { forget(.signal(signal)) }
    }

    /// Why a run ended that took too long.
    static let deadlinePassed = "Its deadline passed."

    private mutating func meet(_ due: Due, at now: Moment) {
        switch due {
        case .runDeadline(let run, let redrives):
            guard runs[run]?.hasDeadline(redrives) == true else { return }
            stop(run, as: .timedOut, reason: Self.deadlinePassed, at: now)
        case .runGrace(let run): graceEnded(run)
        case .retry(let run, let waiter): retry(run, waiter)
        case .attachment(let run, let listener): endAttachment(to: run, listener: listener)
        case .gate(let signal, let waiter): expire(signal, waiter, at: now)
        case .early(let signal): dropEarly(signal, at: now)
        case .evaluation(let id): if let owed = evaluations.expire(id) { tell(owed, forgetting: id) }
        case .lane(let monitor, let number): wake(monitor, number, at: now)
        }
    }

    /// Sweeps out those at which nothing is left to do.
    private mutating func sweepDeadlines() {
        deadlines.sweep { [runs, gates, evaluations, lanes] due in
            switch due {
            case .runDeadline(let run, let redrives): runs[run]?.hasDeadline(redrives) == true
            case .runGrace(let run): runs[run] != nil
            case .retry(let run, let waiter): runs[run]?.waits[waiter] != nil
            case .attachment(let run, let listener): runs[run]?.listener(listener) != nil
            case .gate(let signal, let waiter): gates.isWaiting(signal, waiter)
            case .early(let signal): gates.keepsEarly(signal)
            case .evaluation(let id): evaluations.isOwed(id)
            case .lane(let monitor, let wake): lanes[monitor].awaits(wake: wake)
            }
        }
    }

    /// What keeps new work out while the worker starts or stops.
    var closedDoor: BusError? {
        switch phase {
        case .ready: nil
        case .starting:
            BusError(
                .notReady,
                "The worker is starting.",
                next: "Send the request again in a moment, under the same id.",
                retryAfter: .milliseconds(500)
            )
        case .draining:
            BusError(
                .draining,
                "The worker is stopping.",
                next: "Send the request again, under the same id, to the worker that takes its place.",
                retryAfter: .seconds(2)
            )
        }
    }

    /// Why a durability that was asked for cannot be given, where `given` is; nil if it can.
    func shortfall(of wanted: Durability?, given: Durability) -> BusError? {
        guard let wanted, wanted > given else { return nil }
        return BusError(
            .notDurable,
            "What was sent is kept as `\(given.rawValue)` here, not as `\(wanted.rawValue)`.",
            next: "Leave `durability` out, or send to a worker with a durable store."
        )
    }
}

extension BusError {
    /// A limit is reached.
    static func busy(_ limit: String, _ cause: String) -> BusError {
        BusError(
            .busy,
            cause,
            next: "Send the request again later, under the same id.",
            retryAfter: .seconds(1),
            details: ["limit": .string(limit)]
        )
    }
}
