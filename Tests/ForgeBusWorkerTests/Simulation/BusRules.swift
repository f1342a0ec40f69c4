import DequeModule
import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// What must hold of a worker's core whatever happens, written down as it happens.
///
/// It knows what a store was told and what was answered, and nothing of how the core decides. The extensions hold what
/// must hold of requests, signals, monitors and watches, and of the books between two events.
struct BusRules {
    /// What a request that is done once was answered last.
    enum Final: Equatable {
        case result(RunResult)
        case verdict(VerdictReport)
        case confirmation(StateReport)
    }

    private(set) var violations: [String] = []
    /// How often each thing of interest happened, so that a test can tell that schedules are worth something.
    private(set) var seen: [String: Int] = [:]
    /// How many events there were.
    private(set) var step = 0
    /// What the store keeps of the request that is being stepped.
    var precedent: RequestRecord?
    /// Requests that are kept, and since when they are finished.
    var requests: [RequestKey: Moment?] = [:]
    /// Which run a request began.
    var requestedRuns: [RequestKey: Name] = [:]
    var finals: [RequestKey: Final] = [:]
    var started: Set<Name> = []
    /// Runs that have no task, and whose wait's end takes them up again.
    var resting: [Name: WaiterID] = [:]
    /// What runs must end as whose tasks were cancelled.
    var stopping: [Name: RunResult.State] = [:]
    /// Runs that are parked and nobody has redriven.
    var parked: Set<Name> = []
    /// When runs must end at the latest, unless they were parked.
    var latest: [Name: Moment] = [:]
    /// What was left of that when they were parked.
    var remaining: [Name: Duration] = [:]
    /// When the actions of cancelled runs must have returned, or be asked for.
    var patience: [Name: Moment] = [:]
    /// Whose run a waiter belongs to.
    var owners: [WaiterID: Name] = [:]
    /// Who attached, was told how its run stands, and is not to be told more.
    var silent: Set<WatchKey> = []
    /// Until when those who attached want to wait at least; nil until the end.
    var attached: [WatchKey: Moment?] = [:]
    /// Who waits, until it is resumed; for a signal, or until it may try again.
    var waits: [WaiterID: Name?] = [:]
    /// Whose wait a signal's decision ends.
    var waiting: [Name: WaiterID] = [:]
    /// What a wait must end with.
    var decided: [WaiterID: SignalRecord.State] = [:]
    var signals: [Name: SignalRecord.State] = [:]
    var watches: [WatchKey: Watched] = [:]
    var lanes: [Lane]
    /// When each notification was taken, by who sent it.
    var notices: [WatchKey: Int] = [:]
    /// What follows by the policy where an action failed, for runs that were left there.
    var expected: [Name: FailurePolicy] = [:]
    /// What the store kept of the signal that a sender takes its decision back from, and who asks.
    var withdrawnFrom: SignalRecord.State?
    var withdrawer = ""
    /// Who decides, and what, in the event that is being stepped.
    var voter: (principal: String, via: String?, outcome: Decision.Outcome)?
    /// Whether what is being told of is to be kept: what an action of an unfinished run printed.
    var isToBeKept = false
    /// What is being opened.
    var opening: SignalOpening?
    /// Who may decide what waits or is decided, and whose run it is.
    var guards: [Name: (rule: GateRule, requester: String?)] = [:]
    /// When a worker first found a signal left whose process is gone; of one that was announced again, the time before.
    var abandoned: [Name: Moment] = [:]
    /// Who waits and is to be told that it may not any more.
    var dismissed: Set<WatchKey> = []
    /// Which access policy holds.
    var regime = Regime.usual
    /// How much the audit was told before the event that is being stepped.
    var audited = 0
    /// What has been said, as long as it is kept.
    var promises: [RequestKey: Promise] = [:]
    /// How often a request of each key was forgotten: the same id is another request then.
    var forgotten: [RequestKey: Int] = [:]
    /// That, for each answer that has not left, as it was when it was decided.
    var unsaid: Deque<Int> = []
    /// What an earlier worker left of runs, until they are taken up.
    var left: [Name: Left] = [:]
    /// The highest number of an attempt that executed, by its action.
    var attempts: [Name: [String: Int]] = [:]
    /// Notifications that are to survive the worker and whose acceptance has not left it: for which monitors.
    var durableNotices: [WatchKey: (step: Int, lanes: [Int])] = [:]
    /// What is paused, as far as a store keeps it.
    var pauses: [PauseSubject: PauseRecord] = [:]
    /// Whether the worker was ever ready: one that stops before that goes on with nothing.
    var wasReady = false
    private(set) var isDraining = false
    private(set) var isDrainTimeOver = false
    /// Whether the worker had left everything to another before the event that is being stepped.
    private var isGone = false
    /// Whether what is kept and what is known are to be held side by side when the turn ends.
    private var isToBeCompared = false

    /// What is known of the keys of runs.
    var keys: Keys

    /// Whether each signal's id matches a gate's template.
    let expectsGates: Bool

    init(_ core: WorkerState, expectsGates: Bool, keys form: BusSetting.KeyForm) {
        keys = Keys(form: form)
        lanes = core.lanes.map { Lane(topics: $0.topics) }
        self.expectsGates = expectsGates
    }

    mutating func violate(_ what: String) { violations.append(what) }

    mutating func saw(_ what: String) { seen[what, default: 0] += 1 }

    /// The worker says that nothing is left to finish.
    mutating func drained() { saw("drained") }

    /// A worker begins.
    mutating func begins() { (isDraining, isDrainTimeOver, isGone, wasReady) = (false, false, false, false) }

    /// Nothing has to be finished any more.
    mutating func drainTimeEnded() { isDrainTimeOver = true }

    /// An event is about to be stepped.
    mutating func stepping(_ event: Event, _ harness: CoreHarness) {
        step += 1
        precedent = nil
        opening = nil
        isToBeKept = false
        (voter, withdrawnFrom) = (nil, nil)
        audited = harness.audited.count
        isGone = harness.core.hasLeft
        if isGone { return }
        switch event {
        case .received(let received):
            precedent = harness.precedent(under: received.key, run: requestedRuns[received.key])
            switch received.request.command {
            case .withdraw(let request): withdrawnFrom = harness.state(of: request.signal)
            case .decide(let decision): voter = (received.principal.name, received.principal.via, decision.outcome)
            default: break
            }
            withdrawer = received.principal.name
            silent.remove(WatchKey(caller: received.caller, request: received.request.id))
        case .cycleEnded(let monitor, let outcome): cycleEnded(monitor, outcome)
        case .disconnected(let connection): watches = watches.filter { $0.key.caller.connection != connection }
        case .probed(let gone): watches = watches.filter { !gone.contains($0.key.caller.connection) }
        case .opened(let opening):
            self.opening = opening
            owners[opening.waiting.waiter] = opening.waiting.owner.run
        case .published(let publication, let principal, let othersMayBeLost):
            published(publication, principal.name, othersMayBeLost, harness.core.phase)
        case .publicationsMayBeLost: missed(harness.core.phase)
        case .accessReplaced(let policy, _): replaced(by: Regime(policy), harness.core)
        case .drain:
            isDraining = true
            forgiven()
        case .rested(let rest): rested(rest, harness)
        case .replaced, .performed, .lookedUp, .room: break
        case .ready: becameReady(harness.core.phase)
        case .printed(let run, _): isToBeKept = harness.core.runs[run] != nil
        case .transition, .runEnded, .abandoned, .told, .withdrawn, .runRequested, .standingChanged: break
        case .drainTimeEnded, .tick: break
        }
    }

    /// An event was stepped: `harness` keeps what was changed.
    mutating func stepped(_ event: Event, _ consequences: Consequences, _ harness: CoreHarness) {
        if isGone { return afterLeaving(event, consequences, harness) }
        checkPrinted(consequences)
        for change in consequences.changes { paused(change) }
        for case .put(let record) in consequences.changes { put(record, harness) }
        noteSuperseded(harness.audited.dropFirst(audited), harness)
        if case .received(let received) = event { answered(received, consequences, harness) }
        defer { if case .accessReplaced = event { checkDismissals(consequences, harness) } }
        checkAudit(of: event, consequences, harness.audited.dropFirst(audited))
        for effect in consequences.effects { decided(effect, event, harness) }
        for case .remove(let key) in consequences.changes { remove(key, harness) }
        if harness.core.hasLeft { return }
        check(harness.core)
        if case .tick = event {
            isToBeCompared = true
            checkPauses(at: harness.now)
        }
    }

    /// A turn has ended: what is kept now is all that would be left.
    mutating func turnEnded(_ harness: CoreHarness) {
        guard isToBeCompared, !harness.core.hasLeft else { return }
        isToBeCompared = false
        compare(harness)
    }

    /// The worker has left everything to another: it says to the end what watches are told, and nothing else.
    private mutating func afterLeaving(_ event: Event, _ consequences: Consequences, _ harness: CoreHarness) {
        if !consequences.changes.isEmpty { violate("it has left, and changes something") }
        guard case .told = event else {
            return consequences.effects.isEmpty ? () : violate("it has left, and \(event.line) leads to something")
        }
        for effect in consequences.effects { decided(effect, event, harness) }
    }

    private mutating func decided(_ effect: Effect, _ event: Event, _ harness: CoreHarness) {
        switch effect {
        case .answer(let answer, let caller): told(answer, caller, harness)
        case .tell(let told): watched(told)
        case .start(let start):
            checkPause(of: start, event)
            checkKey(of: start)
            begun(start, harness)
        case .dropRest(let run): dropped(run, harness)
        case .resume(let waiter, let outcome):
            if case .decided(.closed) = outcome { checkOrder(waiter, harness.core) }
            resumed(waiter, outcome, harness)
        case .runCycle(let monitor, let causes): cycle(monitor, causes)
        case .drained:
            // A run that executes nothing is left to the worker that comes next, where that can take it over.
            let left = harness.core.runs.unfinished.filter { !harness.core.isDurable || $0.holdsSlot }
            if !left.isEmpty { violate("drained, and runs are left") }
            if !isDrainTimeOver { checkDrained(harness.core) }
        case .cancel(let run): cancelled(run, because: event, harness)
        case .abandon(let run): patience[run] = nil
        case .lookUp(let query): shown(query, harness)
        case .follow: violate("a run of a worker that keeps records is followed from its beginning")
        case .pause(let isPaused, let monitor): paused(isPaused, monitor, harness.core)
        case .cancelCycle, .show, .perform, .audit, .warn: break
        }
    }

    private mutating func told(_ answer: Answer, _ caller: Caller, _ harness: CoreHarness) {
        guard let id = answer.id else { return violate("an answer to nobody") }
        let principal = BusSetting.principals[BusSetting.client(of: caller)]
        let key = RequestKey(principal: principal.name, id: id)
        unsaid.append(forgotten[key, default: 0])
        if !regime.stands(client: BusSetting.client(of: caller)), !answer.content.isForbidden {
            violate("\(id) is answered, and its key is gone")
        }
        if silent.contains(WatchKey(caller: caller, request: id)) { violate("\(id) is told more") }
        switch answer.content {
        case .accepted(let acceptance):
            if let run = acceptance.run?.knownName { accepted(run, key, harness) } else { saw("accepted notification") }
        case .result(let result): ended(result, key, principal.name, harness)
        case .verdict(let report): final(.verdict(report), key)
        case .ok(let report): confirmed(report, key, WatchKey(caller: caller, request: id), harness)
        case .evaluated(let evaluation): evaluated(evaluation, WatchKey(caller: caller, request: id))
        case .event: violate("\(id) is told of an event as an answer")
        case .error(let error): saw("error \(error.code)\(error.details["limit"]?.string.map { ", \($0)" } ?? "")")
        case .progress(let progress):
            checkHearing(of: progress.run.knownName, principal.name, harness)
            saw("progress \(progress.change.word)")
        case .page, .pong, .welcome, .shown: break
        }
    }

    private mutating func remove(_ key: StoreKey, _ harness: CoreHarness) {
        switch key {
        case .request(let key):
            // A run's request goes with its run.
            if requestedRuns[key] == nil { forget(key, at: harness.now) }
        case .run(let run):
            guard let key = requestedRuns.first(where: { $0.value == run })?.key else {
                return violate("\(run) is forgotten, and was never kept")
            }
            requestedRuns[key] = nil
            forget(key, at: harness.now)
        case .signal(let signal): forget(signal, harness)
        case .progress(let run):
            if harness.record(of: run).map({ $0.end == nil }) == true { violate("the progress of \(run) is forgotten") }
        case .texts(let run):
            if harness.record(of: run) != nil { violate("the texts of \(run) go before it does") }
        case .debt, .mode, .requested, .trouble, .pipelinePause, .monitorPause: break
        }
    }

    private mutating func forget(_ key: RequestKey, at now: Moment) {
        guard let known = requests.removeValue(forKey: key), let finished = known else {
            return violate("\(key.id) was forgotten before it was finished")
        }
        if now.since(finished) < BusSetting.retention { violate("\(key.id) was forgotten too early") }
        (finals[key], promises[key]) = (nil, nil)
        forgotten[key, default: 0] += 1
    }

    private mutating func put(_ record: StoreRecord, _ harness: CoreHarness) {
        switch record {
        case .request(let request):
            if requests[request.key] != nil { violate("\(request.key.id) was taken twice") }
            if case .run = request.outcome { violate("\(request.key.id) is kept beside its run") }
            requests[request.key] = harness.now
        case .run(let run):
            if requests[run.request] == nil {
                requests[run.request] = .some(nil)
                requestedRuns[run.request] = run.run
            }
            if requestedRuns[run.request] != run.run { violate("\(run.request.id) was taken twice") }
            if run.end != nil { requests[run.request] = harness.now }
            keyed(run)
        case .signal(let signal): settled(signal, harness)
        case .texts(let texts):
            if harness.record(of: texts.run)?.end?.hasTexts != true {
                violate("texts of \(texts.run), which has not ended")
            }
            saw("texts")
        case .progress, .debt, .mode, .requested, .trouble, .pause: break
        }
    }
}

extension CoreHarness {
    /// What a store keeps of a run.
    func record(of run: Name) -> RunRecord? {
        if case .run(let record) = kept[.run(run)] { record } else { nil }
    }

    /// What a store keeps of a request, and of the run that it began.
    func precedent(under key: RequestKey, run: Name?) -> RequestRecord? {
        if case .request(let record) = kept[.request(key)] { return record }
        guard let run, let record = record(of: run) else { return nil }
        return RequestRecord(key: key, fingerprint: record.fingerprint, outcome: .run(run))
    }

    /// What a store keeps of a signal.
    func state(of signal: Name) -> SignalRecord.State? {
        if case .signal(let record) = kept[.signal(signal)] { record.state } else { nil }
    }
}
