import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator
import Logging
import ZeroMQ

/// Joins the core with the world: the ``Door`` asks, the ``Committer`` stores, the ``Postman`` answers, and ``HostedWork``
/// executes.
///
/// Publications come in through a ``PublicationIntake``.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class WorkerLoop: @unchecked Sendable {
    let reactor: Reactor
    let store: (any BusStore)?
    /// The lease by which the worker holds its store; nil if it needs none.
    ///
    /// It is set once, before anything executes, so that other threads may read it.
    private(set) var lease: (any StoreLease)?
    let logger: Logger
    /// The socket of requests; nil for a simulated worker, which only takes submissions.
    let socket: Socket<Router>?
    let audit: AuditSink
    private var state: WorkerState
    #if DEBUG
    /// How often the loop has read or changed the ``core``.
    private(set) var visits = 0
    #endif
    let limits: WorkerLimits
    let start: ContinuousClock.Instant
    /// The thread of a simulated worker; nil for any other worker.
    let simulated: SimulatedThread?
    /// The time of all events in the reactor's current turn; nil until the turn needs a time.
    private var turn: Moment?
    private var messagesInTurn = 0
    /// The changes and effects that the core has decided and the loop has not handled yet.
    private(set) var consequences = Consequences()
    /// Whether the core has decided something since its progress was last asked for.
    private var hasDecided = false
    /// Those that are being committed; a property, so that the memory of its arrays is reused.
    private var decided = Consequences()
    private(set) lazy var committer = Committer(of: self, to: store)
    /// The time at which the core must step next; nil if it was not asked since its latest decision.
    private var knownDue: Moment??
    private var timer: (id: TimerID, moment: Moment)?
    private(set) lazy var postman = Postman(
        of: self,
        AnswerLines(bytes: limits.unreadSizeInBytes, tellsPrincipalsApart: core.access.isKeyed)
    )
    /// What reads publications; the handlers of its sockets keep it until the reactor ends.
    weak var publications: PublicationIntake?
    private(set) lazy var door = Door(of: self)
    /// Reports of runs that the loop has not handled yet.
    let reports = Guarded<[RunReport]>([])
    let hosted: HostedWork
    let waits: WaitRegister
    var counters = WorkerCounters()
    var troubles: TroubleLog
    var conditions: WorkerConditions
    /// Completes when a drain has finished all work, when the store failed, or when a simulated worker died.
    let drained = CompletionSignal()
    /// Completes when the store failed, or when a simulated worker died.
    let failed = CompletionSignal()
    private(set) var failure: StoreError?
    /// The callers that wait until a simulated worker is idle.
    var settlers = Settlers()

    init(
        _ core: WorkerState,
        on reactor: Reactor,
        socket: Socket<Router>?,
        store: (any BusStore)?,
        audit: @escaping AuditSink,
        logger: Logger,
        simulation: (any Simulation)? = nil
    ) {
        simulated = simulation.map { SimulatedThread($0, on: reactor) }
        start = simulation?.instant ?? .now
        self.audit = audit
        state = core
        limits = core.configuration.limits
        self.reactor = reactor
        self.socket = socket
        self.store = store
        self.logger = logger
        troubles = TroubleLog(logger)
        conditions = WorkerConditions(logger)
        hosted = HostedWork(core.configuration, on: simulated, cyclesOn: simulated.map(SimulatedCycles.init))
        waits = WaitRegister()
    }

    /// The decisions; every use counts as a visit.
    private(set) var core: WorkerState {
        _read {
            visited()
            yield state
        }
        _modify {
            visited()
            yield &state
        }
    }

    @inline(__always) private func visited() {
        #if DEBUG
        visits += 1
        #endif
    }

    /// Begins to receive messages.
    func start(on reactor: isolated Reactor) throws(ZeroMQError) {
        if let socket {
            try reactor.observe(socket) { [self] event in
                switch event {
                case .accepted: door.opened()
                case .disconnected: door.closed()
                default: break
                }
            }
            reactor.receive(socket) { [self] message in
                if let peer = message.peer { take(message, from: peer, reactor) }
            }
        }
        reactor.onTurnEnd { [self] in endTurn(reactor) }
        hosted.observeMonitors(on: self)
    }

    /// Lets the core handle an event, and collects the consequences; does nothing once the worker may no longer act.
    func step(_ event: Event, _ reactor: isolated Reactor) {
        guard mayAct else { return }
        decide(event)
    }

    private func decide(_ event: Event) {
        let first = consequences.effects.count
        core.decide(event, at: now(), into: &consequences)
        door.owe(consequences.effects[first...])
        (hasDecided, knownDue) = (true, nil)
    }

    /// Restores the records of an earlier worker; the loop must not have handled any other event before.
    func restore(_ records: [StoreRecord], on reactor: isolated Reactor) {
        lease = store?.lease
        let runPrefix = lease.map { "\($0.name)-\($0.epoch)" }
        core.restore(records, of: storeIdentity, runPrefix: runPrefix, at: now(), into: &consequences)
        (hasDecided, knownDue) = (true, nil)
        watchLease(reactor)
        store?.observeRoom { [weak self] room in self?.roomChanged(room) }
    }

    /// After this number of messages in a turn, the loop commits their changes and sends their answers.
    ///
    /// So a client that keeps several requests unanswered can continue while the worker decides the rest.
    static let messagesPerCommit = 24

    /// Handles one message; a turn may have many messages.
    func take(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        door.receive(message, from: peer, reactor)
        messagesInTurn += 1
        if messagesInTurn.isMultiple(of: Self.messagesPerCommit), gather() { commit(reactor) }
    }

    /// Has the time of the turn read again: an age must count up to a moment after the question.
    func forgetTime() { turn = nil }

    /// Answers with an error, without passing the message to the core.
    func answer(_ error: BusError, to id: RequestID?, of caller: Caller) {
        consequences.effects.append(.answer(Answer(to: id, .error(error)), to: caller))
    }

    private func endTurn(_ reactor: isolated Reactor) {
        defer { (turn, messagesInTurn) = (nil, 0) }
        if let nextDue, nextDue <= now(), mayAct { decide(.tick) }
        // Handing over an event may have further consequences, such as the end of its watch.
        while gather() { commit(reactor) }
        committer.commitHeld(reactor)
        if simulated == nil { arm(reactor) } else { tellIfSettled(reactor) }
    }

    /// Adds the progress of runs to the consequences of the turn; returns whether there are any consequences.
    private func gather() -> Bool {
        if hasDecided { core.flush(into: &consequences) }
        hasDecided = false
        return !consequences.isEmpty
    }

    /// Passes on what the core has decided; carrying it out may cause further decisions.
    private func commit(_ reactor: isolated Reactor) {
        swap(&decided, &consequences)
        committer.commit(decided, reactor)
        decided.removeAll()
    }

    /// Whether the worker may decide, start and tell something: its store works, and it holds the lease of its store.
    var mayAct: Bool {
        guard failure == nil else { return false }
        guard let error = lease?.error else { return true }
        fail(error)
        return false
    }

    /// Stops the worker: uncommitted changes are never acknowledged, and nothing is decided on top of them.
    func fail(_ error: StoreError) {
        failure = error
        // Another process may execute the same now, so what still executes here is ended at once.
        if lease != nil { hosted.cancelAll() }
        logger.critical("the worker can no longer use its store, and stops", metadata: ["error": "\(error)"])
        failed.complete()
        drained.complete()
    }

    /// Stops the worker at the end of its lease, even if nothing else happens then.
    private func watchLease(_ reactor: isolated Reactor) {
        guard let lease, mayAct else { return }
        // While the machine sleeps, its timers do not run. And a lease may be lost before its end.
        reactor.schedule(at: min(lease.end, .now + .milliseconds(250))) { [self] in watchLease(reactor) }
    }

    /// Sets the timer for the moment at which the core must step next.
    private func arm(_ reactor: isolated Reactor) {
        let due = nextDue
        if timer?.moment == due { return }
        if let timer { reactor.cancel(timer.id) }
        timer = nil
        guard let due else { return }
        let instant = start.advanced(by: .nanoseconds(due.nanoseconds))
        timer = (reactor.schedule(at: instant) { [self] in timer = nil }, due)
    }

    /// The time at which the core must step next; nil if it waits for no time.
    var nextDue: Moment? {
        if let knownDue { return knownDue }
        let due = Self.nextDue(of: &core)
        knownDue = .some(due)
        return due
    }

    /// The core is passed as `inout`, because a read through the property would copy the whole state.
    private static func nextDue(of core: inout WorkerState) -> Moment? { core.nextDue }

    /// The time of the turn; within a turn it goes on only where a request asks for ages.
    func now() -> Moment {
        if let turn { return turn }
        let moment = Moment(at: instant, unixMilliseconds: unixMilliseconds, since: start)
        turn = moment
        return moment
    }
}
