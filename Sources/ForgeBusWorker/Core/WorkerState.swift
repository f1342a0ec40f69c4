import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// All that a worker knows, and all of its decisions: takes one event at a time, and returns its consequences.
///
/// Each part keeps its own state private and offers verbs. What concerns several parts is a method of this type, in the
/// folder of its subject. There is no clock here, no socket and no lock. The reactor thread owns the worker's state; a test
/// owns a state of its own.
struct WorkerState {
    let configuration: CoreConfiguration
    /// The identity of the worker's store; nil until the store is loaded.
    private(set) var storeIdentity: String?
    var access: AccessPolicy
    private(set) var phase = Pong.State.starting
    /// Whether the store has so little free space that only started work may use it.
    private(set) var isShort = false
    var runs: Runs
    var signals: Signals
    var monitors: Monitors
    /// The EVALUATED answers that callers wait for.
    var evaluations = Evaluations()
    /// The runs that monitors and events have requested and that have not begun.
    var requested: RequestedRuns
    var pauses = Pauses()
    var ledger: RequestLedger
    var tasks = StoreTasks()
    var watches: Watches
    /// The consequences of the current step.
    var step: Step
    /// The number of histories and outputs that the worker is reading from the store now.
    var histories = 0
    /// Whether the core has reported that the worker need not wait for anything more before it stops.
    private var isDrained = false
    /// Whether the worker has stopped and left its runs to the next worker.
    private(set) var hasLeft = false
    /// When the drain time is over; nil before the drain.
    private var drainEnd: Moment?

    init(_ configuration: CoreConfiguration) {
        let limits = configuration.limits
        self.configuration = configuration
        access = configuration.access
        runs = Runs(configuration)
        signals = Signals(
            limits: limits,
            retention: configuration.signalRetention,
            declared: configuration.signals,
            gates: configuration.pipelines.flatMap(\.signals)
        )
        monitors = Monitors(configuration)
        requested = RequestedRuns(configuration)
        ledger = RequestLedger(retention: configuration.retention, capacity: limits.requests)
        watches = Watches(limits: limits)
        step = Step(
            keepsRecords: configuration.keepsRecords,
            auditRetention: configuration.auditRetention,
            reportsEvents: configuration.reportsEvents
        )
    }

    /// When the core needs its next step if no other event comes; nil if it needs none.
    ///
    /// The core needs no step once the worker has left its runs to the next worker.
    var nextDue: Moment? {
        if hasLeft { return nil }
        let due = Moment.earliest(step.deadlines.next, ledger.nextExpiry)
        return Moment.earliest(Moment.earliest(due, signals.ended.nextExpiry), step.refusals.nextEnd)
    }

    /// Decides the consequences of `event`, and appends them to `list`.
    mutating func decide(_ event: Event, at now: Moment, into list: inout Consequences) {
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
            advance(run) { $0.stepped(transition, leaving: values) }
            if let checkpoint { step.emit(.resume(checkpoint, .proceed)) }
        case .printed(let run, let output): printed(run, output)
        case .runEnded(let run, let actions, let outputs, let flaw): runEnded(run, actions, outputs, flaw)
        case .rested(let rest): rested(rest)
        case .opened(let opening): open(opening, of: opening.waiting.owner.run)
        case .abandoned(let run, let action): abandon(run, action)
        case .told(let event, let isTaken): told(event, isTaken: isTaken)
        case .disconnected(let connection): watches.closeAll(of: connection)
        case .replaced(let caller): forget(caller)
        case .probed(let gone): watches.probed(gone: gone, at: step.moment)
        case .withdrawn(let signal, let waiter, let why): end(signal, waiter, as: .closed(why: why))
        case .cycleEnded(let monitor, let outcome): cycleEnded(monitor, outcome)
        case .runRequested(let request): take(request)
        case .standingChanged(let monitor, let standing): standingChanged(monitor, standing)
        case .published(let publication, let principal, let others):
            published(publication, by: principal, othersMayBeLost: others)
        case .publicationsMayBeLost: if phase == .ready { makeUpForLoss() }
        case .accessReplaced(let policy, let cause): replaceAccess(with: policy, by: cause)
        case .performed(let key, let result): performed(key, result)
        case .lookedUp(let query, let content): tell(query, content)
        case .room(let room): isShort = room == .short
        case .ready: becomeReady()
        case .drain: drain()
        case .drainTimeEnded: leave()
        case .tick: catchUp()
        }
    }

    private mutating func begin(at now: Moment, behind list: inout Consequences) {
        step.begin(at: now, behind: &list, isWatched: !watches.isEmpty)
    }

    /// Completes the step.
    ///
    /// Gives free slots to waiting runs, begins the runs that the step requested, and starts the retention of finished
    /// requests. Sends events to watches. Reports the end of a drain, and removes deadlines that
    /// nothing needs any more.
    private mutating func end(into list: inout Consequences) {
        fillSlots()
        beginRequestedRuns()
        if phase == .draining { endWaitsInMemory() }
        for key in step.takeFinished() { ledger.finish(key, at: step.moment) }
        tellWatches()
        if phase == .draining { reportIfDrained() }
        if step.deadlines.areOvergrown { sweepDeadlines() }
        step.end(into: &list)
    }

    /// Appends the progress of each run that advanced, only once even if the run made several steps.
    ///
    /// The worker's loop calls this method before each commit. So the loop carries out no effect of a step before the
    /// progress that led to the effect is stored.
    mutating func flush(into list: inout Consequences) {
        guard runs.isBehind || requested.isBehind else { return }
        step.begin(at: step.moment, behind: &list, isWatched: !watches.isEmpty)
        for record in runs.takeProgress() { step.keep(.progress(record)) }
        for record in requested.takeChanges() { step.keep(.requested(record)) }
        step.end(into: &list)
    }
}

// The worker's life.
extension WorkerState {
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
        if let runPrefix { runs.number(with: runPrefix) }
        let left = LeftRecords(records)
        ledger.restore(left.requests, left.runs, at: now)
        restore(left.signals)
        for record in left.runs {
            if let end = record.end {
                runs.takeOver(EndedRun(record, end))
            } else {
                restore(record, left.progress[record.run])
            }
        }
        resumeRequesters()
        signals.digest { [runs] in runs[$0] == nil }
        restoreMonitors(left.debts, left.modes, left.troubles)
        restore(left.pauses)
        requested.restore(left.requested, runs.unfinished.filter { $0.terms.origin != nil })
        for (run, reason) in runs.parkedForEvents where left.wasParked(run.id) {
            // The earlier worker has warned of this already.
            _ = requested.failed(run.id, of: run.pipeline, because: reason, at: step.moment)
        }
        catchUp()
        end(into: &list)
    }

    private mutating func becomeReady() {
        guard phase == .starting else { return }
        phase = .ready
        runs.open()
        evaluateAll()
    }

    private mutating func drain() {
        guard phase != .draining else { return }
        phase = .draining
        drainEnd = step.moment.advanced(by: configuration.drainTime)
        // With a durable store, the next worker starts and resumes the runs that wait for a slot now.
        if configuration.isDurable { runs.close() }
        drainMonitors()
    }

    /// Leaves the unfinished work, because the drain time is over.
    private mutating func leave() {
        leaveAll(because: Errors.lostAtStop)
        expireEvaluations()
        // From now on the worker does not wait for a running cycle.
        if configuration.isDurable || !monitors.areSettled { reportDrained() }
    }

    /// Ends the runs of a worker in memory as lost, if none of them can go on before the drain time is over.
    ///
    /// What waits for a decision that may come much later is lost anyway, so the worker does not wait for it.
    private mutating func endWaitsInMemory() {
        guard let drainEnd, !configuration.isDurable, monitors.areSettled else { return }
        // The end of a run may request another one, for instance one that reports the end.
        while !canGoOn(before: drainEnd) {
            leaveAll(because: Errors.lostWhileWaiting)
            beginRequestedRuns()
        }
    }

    private mutating func reportIfDrained() {
        let isDone = configuration.isDurable ? runs.queues.areIdle : runs.isEmpty && requested.isEmpty
        if isDone, monitors.areSettled { reportDrained() }
    }

    private mutating func reportDrained() {
        guard !isDrained else { return }
        isDrained = true
        step.auditRefusals(all: true)
        step.emit(.drained)
        hasLeft = configuration.isDurable
    }

    private mutating func catchUp() {
        while let due = step.popDue() { meet(due) }
        forgetRequests()
        forgetSettled()
        step.auditRefusals()
    }
}

// Events that concern several parts.
extension WorkerState {
    /// Ends the wait for a signal without a decision, and resumes its waiter.
    mutating func end(_ signal: Name, _ waiter: WaiterID, as decision: GateDecision) {
        let waiting = signals.waiting[signal]
        guard let owner = close(signal, waiter, as: decision) else { return }
        if case .expired = decision, let waiting { report(expired: signal, waiting) }
        signalEnded(signal, waiter, of: owner, as: decision)
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
            return step.audit(refusal: record, key: principal.keyText)
        }
        guard phase == .ready else { return }
        notice(publication, by: principal, othersMayBeLost: othersMayBeLost)
    }
}
