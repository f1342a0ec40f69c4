import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Makes all decisions of a worker: takes one event at a time, and returns its consequences.
///
/// The core itself only routes: it passes each event to the book that owns the event's subject, with the other books
/// that this book needs. The core has no clock, no socket and no lock. The reactor thread owns the worker's core; a
/// test owns a core of its own.
struct WorkerCore {
    let configuration: CoreConfiguration
    /// The identity of the worker's store; nil until the store is loaded.
    private(set) var storeIdentity: String?
    var access: AccessPolicy
    var phase = Pong.State.starting
    var requests: RequestBook
    var runs: RunBook
    var signals: SignalBook
    var monitors: MonitorBook
    /// The runs that monitors and events have requested and that have not begun.
    var owed: OwedBook
    var pauses = PauseBook()
    var watches: WatchBook
    var callers: CallerBook
    /// The consequences of the current step.
    var out: Outbox
    /// Whether the store has so little free space that only started work may use it.
    var isShort = false
    /// The number of histories and outputs that the worker is reading from the store now.
    var histories = 0
    /// Whether the core has reported that the worker need not wait for anything more before it stops.
    private var isDrained = false
    /// Whether the worker has stopped and left its runs to the next worker.
    private(set) var hasLeft = false
    /// When the drain time is over; nil before the drain.
    private var drainEnd: Moment?

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        access = configuration.access
        requests = RequestBook(configuration)
        runs = RunBook(configuration)
        let gates = GateBook(
            limits: configuration.limits,
            retention: configuration.signalRetention,
            declared: configuration.signals,
            gates: configuration.pipelines.flatMap(\.signals)
        )
        signals = SignalBook(gates, configuration.access)
        monitors = MonitorBook(configuration)
        owed = OwedBook(configuration)
        watches = WatchBook(limits: configuration.limits)
        callers = CallerBook(outstanding: configuration.limits.outstanding)
        out = Outbox(
            keepsRecords: configuration.keepsRecords,
            auditRetention: configuration.auditRetention,
            reportsEvents: configuration.reportsEvents
        )
    }

    /// When the core needs its next step if no other event comes; nil if it needs none.
    ///
    /// The core needs no step once the worker has left its runs to the next worker.
    var nextDue: Moment? {
        hasLeft
            ? nil
            : [out.deadlines.next, requests.ledger.nextExpiry, signals.gates.nextExpiry, out.refusals.nextEnd]
                .compactMap { $0 }.min()
    }

    /// Decides the consequences of `event`, and appends them to `list`.
    mutating func step(_ event: Event, at now: Moment, into list: inout Consequences) {
        // Once the worker has left its runs, it ignores events, but it still counts the last events of watches.
        if hasLeft { guard case .told = event else { return } }
        begin(at: now, behind: &list)
        route(event)
        end(into: &list)
    }

    private mutating func route(_ event: Event) {
        switch event {
        case .received(let received): receive(received)
        case .transition(let run, let transition, let values, let checkpoint):
            runs.stepped(run, transition, values, &signals, &out)
            if let checkpoint { out.emit(.resume(checkpoint, .proceed)) }
        case .printed(let run, let output): runs.printed(run, output, &out)
        case .runEnded(let run, let actions, let outputs, let flaw):
            runs.ended(run, actions, outputs, flaw, &signals, &out)
        case .rested(let rest): runs.left(rest, &signals, &out)
        case .opened(let opening): runs.open(opening, &signals, &out)
        case .abandoned(let run, let action): runs.abandon(run, action, &signals, &out)
        case .told(let told, let isTaken): watches.told(told, isTaken: isTaken, &out)
        case .disconnected(let connection): watches.closeAll(of: connection)
        case .probed(let gone): watches.probed(gone: gone, at: out.moment)
        case .withdrawn(let signal, let waiter, let why): end(signal, waiter, as: .closed(why: why))
        case .cycleEnded(let monitor, let outcome): monitors.cycleEnded(monitor, outcome, &out)
        case .remedyRequested(let request): remedy(request)
        case .standingChanged(let monitor, let standing): monitors.standingChanged(monitor, standing, &out)
        case .published(let publication, let principal, let others):
            published(publication, by: principal, othersMayBeLost: others)
        case .publicationsMayBeLost: if phase == .ready { monitors.makeUpForLoss(&out) }
        case .accessReplaced(let policy, let cause): replaceAccess(with: policy, by: cause)
        case .performed(let key, let result): requests.performed(key, result, access, &out)
        case .lookedUp(let query, let content): tell(query, content)
        case .room(let room): isShort = room == .short
        case .ready: becomeReady()
        case .drain: drain()
        case .drainTimeEnded: leave()
        case .tick: catchUp()
        }
    }

    private mutating func begin(at now: Moment, behind list: inout Consequences) {
        out.begin(at: now, behind: &list)
        out.isWatched = !watches.isEmpty
    }

    /// Completes the step.
    ///
    /// Starts the retention of finished requests, sends events to watches, and counts first answers. Reports the end of
    /// a drain, and removes deadlines that nothing needs any more.
    private mutating func end(into list: inout Consequences) {
        beginRequestedRuns()
        if phase == .draining { endWaitsInMemory() }
        for key in out.takeFinished() { requests.finish(key, at: out.moment) }
        watches.tell(access, &out)
        for effect in out.consequences.effects[out.first...] {
            if case .answer(let answer, let caller) = effect, answer.content.isFirst { callers.owes(caller) }
        }
        if phase == .draining { reportIfDrained() }
        if out.deadlines.areOvergrown { sweepDeadlines() }
        out.end(into: &list)
    }

    /// Appends the progress of each run that advanced, only once even if the run made several steps.
    ///
    /// The worker's loop calls this method before each commit. So the loop carries out no effect of a step before the
    /// progress that led to the effect is stored.
    mutating func keepProgress(into list: inout Consequences) {
        guard runs.isBehind || owed.isBehind else { return }
        out.begin(at: out.moment, behind: &list)
        runs.keepProgress(&out)
        owed.keepFolds(&out)
        out.end(into: &list)
    }
}

// The worker's life.
extension WorkerCore {
    /// Restores everything that an earlier worker committed; the loop calls this method once, before the first step.
    ///
    /// Runs resume after their last ended action, and gates keep waiting. Deadlines that passed while no worker ran
    /// take effect now.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - store: The identity of their store.
    ///   - runPrefix: The prefix of the ids of new runs; nil for the prefix of the configuration.
    ///   - now: The current time.
    ///   - list: Gets the consequences.
    mutating func restore(
        _ records: [StoreRecord],
        of store: String? = nil,
        runPrefix: String? = nil,
        at now: Moment,
        into list: inout Consequences
    ) {
        begin(at: now, behind: &list)
        storeIdentity = store
        if let runPrefix { runs.numbers = RunNumbers(prefix: runPrefix) }
        let left = LeftRecords(records)
        requests.restore(left.requests, left.runs, at: now)
        signals.restore(left.signals, &out)
        for record in left.runs {
            if let end = record.end {
                runs.restore(record, end)
            } else {
                runs.restore(record, left.progress[record.run], &signals, &out)
            }
        }
        runs.resumeRequesters(&signals, &out)
        signals.digest { [runs] in runs[$0] == nil }
        monitors.restore(left.debts, left.modes, left.troubles, &out)
        restore(left.pauses)
        owed.restore(left.owed, runs.unfinished.filter { $0.terms.origin != nil })
        for (run, reason) in runs.parkedHooks where left.wasParked(run.id) {
            owed.restore(parked: run.id, of: run.pipeline, reason: reason, at: out.moment)
        }
        catchUp()
        end(into: &list)
    }

    private mutating func restore(_ records: [PauseRecord]) {
        pauses.restore(records, &out)
        for pause in pauses.records {
            RequestBook.setPaused(true, pause.subject, &runs, &signals, &monitors, &out)
        }
    }

    private mutating func becomeReady() {
        guard phase == .starting else { return }
        phase = .ready
        runs.open(&signals, &out)
        monitors.evaluateAll(&out)
    }

    private mutating func drain() {
        guard phase != .draining else { return }
        phase = .draining
        drainEnd = out.moment.advanced(by: configuration.drainTime)
        // With a durable store, the next worker starts and resumes the runs that wait for a slot now.
        if configuration.isDurable { runs.close() }
        monitors.drain(&out)
    }

    /// Leaves the unfinished work, because the drain time is over.
    private mutating func leave() {
        runs.leaveAll(because: Errors.lostAtStop, &signals, &out)
        monitors.expireAll(&out)
        // From now on the worker does not wait for a running cycle.
        if configuration.isDurable || !monitors.areSettled { reportDrained() }
    }

    /// Ends the runs of a worker in memory as lost, if none of them can go on before the drain time is over.
    ///
    /// What waits for a decision that may come much later is lost anyway, so the worker does not wait for it.
    private mutating func endWaitsInMemory() {
        guard let drainEnd, !configuration.isDurable, monitors.areSettled else { return }
        // The end of a run may request another one, for instance one that reports the end.
        while !runs.canGoOn(before: drainEnd, signals) {
            runs.leaveAll(because: Errors.lostWhileWaiting, &signals, &out)
            beginRequestedRuns()
        }
    }

    private mutating func reportIfDrained() {
        let isDone = configuration.isDurable ? runs.queues.areIdle : runs.isEmpty && owed.isEmpty
        if isDone, monitors.areSettled { reportDrained() }
    }

    private mutating func reportDrained() {
        guard !isDrained else { return }
        isDrained = true
        out.auditRefusals(all: true)
        out.emit(.drained)
        hasLeft = configuration.isDurable
    }

    private mutating func catchUp() {
        while let due = out.deadlines.pop(at: out.moment) { meet(due) }
        for run in requests.forget(&out) { runs.forget(run, &out) }
        signals.forgetSettled(&out) { [runs] in runs[$0] != nil }
        out.auditRefusals()
    }
}

// Events that concern several books.
extension WorkerCore {
    /// Ends the wait for a signal without a decision, and resumes its waiter.
    mutating func end(_ signal: Name, _ waiter: WaiterID, as decision: GateDecision) {
        let waiting = signals.gates.waiting(under: signal)
        guard let owner = signals.end(signal, waiter, as: decision, place: place(of: signal), &out) else { return }
        if case .expired = decision, let waiting { runs.report(expired: signal, waiting, &out) }
        runs.signalEnded(signal, waiter, of: owner, as: decision, &signals, &out)
    }

    /// How many actions of the run that owns the signal have ended; nil if no run owns the signal.
    func place(of signal: Name) -> Int? {
        signals.gates.owner(of: signal)?.run.flatMap { runs.place(of: $0) }
    }

    /// Handles a publication; if `othersMayBeLost`, earlier publications on any topic may be lost.
    ///
    /// If no grant allows the publication, the worker only records the refusal in the audit. A worker that is starting
    /// or draining ignores publications, because each worker evaluates all monitors when it becomes ready.
    private mutating func published(
        _ publication: Publication,
        by principal: AccessPolicy.Principal,
        othersMayBeLost: Bool
    ) {
        if let grant = access.ruling(for: principal, .notify, on: .name(publication.topic)).missingGrant {
            let event = AuditRecord.Event.refused(grant: grant)
            let record = AuditRecord(event, principal: principal.name, request: publication.id)
            return out.audit(refusal: record, key: principal.keyText)
        }
        guard phase == .ready else { return }
        monitors.published(publication, by: principal, othersMayBeLost: othersMayBeLost, &out)
    }
}
