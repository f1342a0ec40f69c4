import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// All runs: the unfinished runs with the slots that they hold or await, and the results of the ended runs.
///
/// The book carries out the effects of the runs' state machines, and passes the signals of runs to the signal book.
struct RunBook {
    private var machines: [Name: RunMachine] = [:]
    /// The results of ended runs; each is kept as long as the ledger keeps the run's request.
    private(set) var ended = LargeTable<Name, EndedRun>()
    private(set) var order = RunOrder()
    private(set) var queues: RunQueues
    /// How much of the worker's limits the runs use.
    private(set) var bounds: RunBounds
    /// The runs that have advanced since their progress was last stored.
    private var behind: [Name] = []
    /// Whether runs get free slots; false before the worker is ready, and after ``close()``.
    private(set) var givesSlots = false
    var numbers: RunNumbers
    let configuration: CoreConfiguration
    let pipelines: [Name: HostedPipeline]
    /// The definitions of the pipelines; a restored run resumes only if its unfinished part is defined as before.
    let definitions: [Name: RunDefinition]

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        definitions = pipelines.mapValues { RunDefinition(of: $0) }
        bounds = RunBounds(configuration.limits)
        numbers = RunNumbers(prefix: configuration.runPrefix)
        queues = RunQueues(
            configuration.pipelines,
            slots: configuration.limits.executingRuns,
            capacity: configuration.limits.queuedRuns
        )
    }

    /// The unfinished run with this id, or nil.
    subscript(id: Name) -> RunMachine? { machines[id] }
    var count: Int { machines.count }
    var isEmpty: Bool { machines.isEmpty }
    /// The ids of all unfinished runs, in no order.
    var ids: Dictionary<Name, RunMachine>.Keys { machines.keys }
    /// All unfinished runs, in no order.
    var unfinished: Dictionary<Name, RunMachine>.Values { machines.values }
}

// Slots.
extension RunBook {
    /// Gives free slots to waiting runs from now on.
    mutating func open(_ signals: inout SignalBook, _ out: inout Outbox) {
        givesSlots = true
        fillSlots(&signals, &out)
    }

    /// Gives no more slots, because the next worker will resume the waiting runs.
    mutating func close() { givesSlots = false }

    /// Begins an accepted run: it gets a free slot, or waits for one.
    mutating func begin(_ run: consuming RunMachine, _ signals: inout SignalBook, _ out: inout Outbox) {
        let (id, pipeline) = (run.id, run.pipeline)
        out.publish(run, .queued)
        bounds.began(run)
        if let deadline = run.clock.deadline { out.wake(.runDeadline(id, redrives: 0), at: deadline) }
        machines[id] = run
        order.began(run)
        if givesSlots, queues.takeFreeSlot(of: pipeline) {
            grantSlot(id, &signals, &out)
        } else {
            queues.enqueue(id, of: pipeline)
            fillSlots(&signals, &out)
        }
        // A run that got a slot was stored at that moment.
        if let run = machines[id], case .queued = run.state { keep(run, &out) }
    }

    /// Gives the runs of a pipeline no slot from now on, or gives them slots again; a run that holds one continues.
    mutating func setPaused(_ isPaused: Bool, _ pipeline: Name, _ signals: inout SignalBook, _ out: inout Outbox) {
        queues.setPaused(isPaused, pipeline)
        fillSlots(&signals, &out)
    }

    /// Removes all runs from the queues, so that no waiting run gets a slot.
    mutating func withdrawAll() { queues.withdrawAll() }

    mutating func fillSlots(_ signals: inout SignalBook, _ out: inout Outbox) {
        guard givesSlots else { return }
        while let id = queues.next() { grantSlot(id, &signals, &out) }
    }

    private mutating func grantSlot(_ id: Name, _ signals: inout SignalBook, _ out: inout Outbox) {
        let now = out.moment
        step(id, &signals, &out) { $0.slotGranted(at: now) }
    }

    /// Steps a run's state machine, and carries out its effects.
    mutating func step(
        _ id: Name,
        _ signals: inout SignalBook,
        _ out: inout Outbox,
        _ event: (inout RunMachine) -> [RunEffect]
    ) {
        guard let place = machines.index(forKey: id) else { return }
        let before = machines.values[place].account
        let effects = event(&machines.values[place])
        let after = machines.values[place].account
        if before != after { settle(machines.values[place], before, after) }
        for effect in effects { carryOut(effect, of: id, &signals, &out) }
    }

    /// Updates the slots and the counts of active and suspended runs, after a step changed the run's account.
    private mutating func settle(_ run: RunMachine, _ before: RunMachine.Account, _ after: RunMachine.Account) {
        switch (before.slot, after.slot) {
        case (.held, .none): queues.release(run.pipeline)
        case (.awaited, .none): queues.withdraw(run.id, of: run.pipeline)
        case (.none, .awaited): queues.rejoin(run.id, of: run.pipeline)
        // A run that awaited a slot and now holds one got it from the queues, which counted the slot already.
        case (.awaited, .held), (.none, .none), (.awaited, .awaited), (.held, .held): break
        case (.none, .held): fatalError("Internal error: the run \(run.id) holds a slot that no queue granted.")
        case (.held, .awaited): fatalError("Internal error: the run \(run.id) waits for a slot but still holds one.")
        }
        guard before.isActive != after.isActive else { return }
        if after.isActive { bounds.resumed(run) } else { bounds.suspended(run) }
    }

    private mutating func carryOut(
        _ effect: RunEffect,
        of id: Name,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        switch effect {
        case .start(let start): out.emit(.start(start))
        case .cancelTask: out.emit(.cancel(id))
        case .dropRest: out.emit(.dropRest(id))
        case .resume(let waiter, let outcome): out.emit(.resume(waiter, outcome))
        case .open(let opening): openSignal(opening, of: id, &signals, &out)
        case .request(let request): out.request(request)
        case .stopInner(let inner): stop(inner, requestedBy: id, &signals, &out)
        case .reportParking: if let run = machines[id] { report(parked: run, &out) }
        case .close(let signal, let waiter, let decision):
            let place = machines[id]?.course.actions.count
            signals.end(signal, waiter, as: decision, place: place, &out)
        case .tell(let change, let toAll): tell(change, of: id, toAll: toAll, &out)
        case .publish(let state): if let run = machines[id] { out.publish(run, state) }
        case .warn(let state, let reason):
            if let run = machines[id] { out.emit(.warn(.run(id, run.pipeline, state: state, reason: reason))) }
        case .keepRun: if let run = machines[id] { keep(run, &out) }
        case .keepProgress: keepProgress(of: id)
        case .wake(let due, let moment): out.wake(due, at: moment)
        case .wakeAfterGrace(let due): out.wake(due, at: out.moment.advanced(by: configuration.cancelGrace))
        case .finish(let result): finish(id, result, &signals, &out)
        }
    }

    private mutating func tell(_ change: RunProgress.Change, of id: Name, toAll: Bool, _ out: inout Outbox) {
        guard let place = machines.index(forKey: id) else { return }
        let (number, audience) = machines.values[place].audience.numberNextChange(toldToAll: toAll)
        let run = machines.values[place]
        if configuration.keepsRecords, let entry = JournalEntry(change, of: id, at: out.moment) {
            out.journal(entry, place: run.course.actions.count)
        }
        for listener in audience {
            let progress = RunProgress(run: RunID(id), sequence: number, change: change)
            out.answer(listener.caller, listener.request, .progress(progress))
        }
    }

    /// Ends a run: stores its result, and sends it to the listeners.
    mutating func finish(
        _ id: Name,
        _ result: RunResult,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        step(id, &signals, &out) { $0.closeWaits() }
        guard let run = machines[id] else { return }
        signals.forgetOrphans(of: id, place: run.course.actions.count, &out)
        let texts = texts(of: run, signals.gates)
        signals.digest(of: id)
        switch run.account.slot {
        case .held: queues.release(run.pipeline)
        case .awaited, .none: queues.withdraw(id, of: run.pipeline)
        }
        machines[id] = nil
        order.ended(run)
        let over = EndedRun(run, result, hasTexts: !texts.isEmpty, at: out.moment.unixMilliseconds)
        ended[id] = over
        bounds.ended(run, keeping: over)
        out.finish(run.request)
        keep(run, with: result, texts: texts, &out)
        if run.keeping.hasRecord { out.forget(.progress(id)) }
        let state = StateReport.State(result.state)
        out.publish(run, state)
        if result.state.isTrouble {
            out.emit(.warn(.run(id, run.pipeline, state: state, reason: result.reason)))
        }
        for listener in run.audience.listeners where !listener.isDetached {
            out.answer(listener.caller, listener.request, .result(result))
        }
        report(run, result, &out)
        resumeRequester(of: run, result, &signals, &out)
    }
}

// Listeners.
extension RunBook {
    /// Adds a listener to an unfinished run.
    ///
    /// - Returns: The listener's number; nil if no unfinished run has this id.
    @discardableResult
    mutating func attach(_ listener: RunAudience.Listener, to id: Name, _ out: inout Outbox) -> Int? {
        guard let place = machines.index(forKey: id) else { return nil }
        if listener.wantsProgress, machines.values[place].audience.followTransitions() { out.emit(.follow(id)) }
        let capacity = configuration.limits.attachedConnections
        let (number, letGo) = machines.values[place].audience.attach(listener, atMost: capacity)
        if let letGo, letGo.hasAttached { tellStanding(of: id, to: letGo, &out) }
        return number
    }

    /// Ends the wait of an attached listener: the listener gets the run's state, and nothing more.
    ///
    /// Does nothing if the caller has sent the request again: the repetition made a new listener with its own patience.
    mutating func endAttachment(to id: Name, listener number: Int, _ out: inout Outbox) {
        guard let listener = machines[id]?.audience.listener(number) else { return }
        tellStanding(of: id, to: listener, &out)
        machines[id]?.audience.detach(number)
    }

    /// Detaches the listeners for which `isGone` returns true.
    mutating func detachAll(where isGone: (RunAudience.Listener, RunMachine) -> Bool) {
        for (id, run) in machines where run.audience.listeners.contains(where: { isGone($0, run) }) {
            machines[id]?.audience.detachAll { isGone($0, run) }
        }
    }
}

// Records.
extension RunBook {
    /// Marks a run, so that the next commit stores its progress.
    private mutating func keepProgress(of id: Name) {
        if configuration.keepsRecords, machines[id]?.fallsBehind() == true { behind.append(id) }
    }

    /// Stores the progress of each marked run once, even if the run made several steps.
    mutating func keepProgress(_ out: inout Outbox) {
        for id in behind { writeProgress(of: id, &out) }
        behind.removeAll(keepingCapacity: true)
    }

    /// Whether a run has advanced since the last ``keepProgress(_:)``.
    var isBehind: Bool { !behind.isEmpty }

    /// Stores a run's progress; does nothing if the run has ended, because the run's record then has its result.
    private mutating func writeProgress(of id: Name, _ out: inout Outbox) {
        if let record = machines[id]?.takeProgress() { out.keep(.progress(record)) }
    }

    /// Leaves the run to the next worker: stores its progress, and drops it from this book.
    mutating func leaveBehind(_ id: Name, _ out: inout Outbox) {
        if machines[id]?.keeping.isBehind == true { writeProgress(of: id, &out) }
        if let run = machines.removeValue(forKey: id) { order.left(run) }
    }

    /// Adds an unfinished run of an earlier worker.
    mutating func takeOver(_ run: RunMachine) {
        machines[run.id] = run
        order.began(run)
        bounds.began(run)
        if !run.account.isActive { bounds.suspended(run) }
    }

    /// Adds a run that ended in an earlier worker.
    mutating func takeOver(_ run: EndedRun) {
        ended[run.id] = run
        order.restored(run)
        bounds.restored(run)
    }

    /// Queues a run of an earlier worker for its first slot.
    mutating func enqueue(_ id: Name) { if let run = machines[id] { queues.enqueue(id, of: run.pipeline) } }

    /// Gives a run a new definition and new initial values, and stores the run.
    mutating func renew(_ id: Name, _ definition: RunDefinition, values: [String: any Sendable], _ out: inout Outbox) {
        machines[id]?.renewed(definition, values: values)
        if let run = machines[id] { keep(run, &out) }
    }

    /// Forgets a run's result, because its request was forgotten.
    mutating func forget(_ id: Name, _ out: inout Outbox) {
        guard let over = ended.removeValue(forKey: id) else { return out.forget(.run(id)) }
        order.forgot(over)
        bounds.forgot(over)
        out.forget(.run(id))
        if over.hasTexts { out.forget(.texts(id)) }
    }
}
