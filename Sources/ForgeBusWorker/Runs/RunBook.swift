import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Every run: the unfinished ones with the slots that they wait for and hold, and the results of those that ended.
///
/// Carries out what the state machines of runs want, and asks the signal book for what runs wait for.
struct RunBook {
    private var machines: [RunID: RunMachine] = [:]
    /// Results of ended runs, as long as the ledger keeps their requests.
    private(set) var ended = LargeTable<RunID, EndedRun>()
    private(set) var queues: RunQueues
    /// What runs take of the worker's bounds.
    private(set) var bounds: RunBounds
    /// Those that went on since the store was told how far each has come.
    private var behind: [RunID] = []
    /// Whether free slots are given: not before the worker is ready, nor once runs are left to the next one.
    private var givesSlots = false
    private var runNumber = 0
    let configuration: CoreConfiguration
    let pipelines: [PipelineName: HostedPipeline]
    /// What the pipelines are, as far as that decides whether a run can be resumed.
    let definitions: [PipelineName: Fingerprint]

    init(_ configuration: CoreConfiguration) {
        self.configuration = configuration
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        definitions = pipelines.mapValues { Fingerprint(of: $0) }
        bounds = RunBounds(configuration.limits)
        queues = RunQueues(
            configuration.pipelines,
            slots: configuration.limits.executingRuns,
            capacity: configuration.limits.queuedRuns
        )
    }

    /// An unfinished run.
    subscript(id: RunID) -> RunMachine? { machines[id] }
    var count: Int { machines.count }
    var isEmpty: Bool { machines.isEmpty }
    /// The ids of all unfinished runs, in no order.
    var ids: Dictionary<RunID, RunMachine>.Keys { machines.keys }
    /// All unfinished runs, in no order.
    var unfinished: Dictionary<RunID, RunMachine>.Values { machines.values }

    /// The id that the next run gets: no other run of any worker has it.
    var nextID: RunID { RunID(unchecked: "\(configuration.runPrefix)-\(runNumber + 1)") }

    /// Gives an id to a run, which keeps it also where it is refused.
    ///
    /// Otherwise a signal that somebody named after the next run would have all of them refused.
    mutating func takeID() -> RunID {
        defer { runNumber += 1 }
        return nextID
    }
}

// Slots.
extension RunBook {
    /// From now on free slots are given.
    mutating func open(_ signals: inout SignalBook, _ out: inout Outbox) {
        givesSlots = true
        fillSlots(&signals, &out)
    }

    /// From now on no slot is given: runs are left to the next worker.
    mutating func close() { givesSlots = false }

    /// A run was accepted: it gets the slot that is free for it, or waits for one.
    mutating func begin(_ run: consuming RunMachine, _ signals: inout SignalBook, _ out: inout Outbox) {
        let (id, pipeline) = (run.id, run.pipeline)
        out.publish(run, .queued)
        bounds.began(run)
        if let deadline = run.clock.deadline { out.wake(.runDeadline(id, redrives: 0), at: deadline) }
        machines[id] = run
        if givesSlots, queues.takeFreeSlot(of: pipeline) {
            grantSlot(id, &signals, &out)
        } else {
            queues.enqueue(id, of: pipeline)
            fillSlots(&signals, &out)
        }
        // One that has a slot already was kept with that.
        if let run = machines[id], case .queued = run.state { keep(run, &out) }
    }

    /// No run gets a slot that waits for one now.
    mutating func withdrawAll() { queues.withdrawAll() }

    mutating func fillSlots(_ signals: inout SignalBook, _ out: inout Outbox) {
        guard givesSlots else { return }
        while let id = queues.next() { grantSlot(id, &signals, &out) }
    }

    private mutating func grantSlot(_ id: RunID, _ signals: inout SignalBook, _ out: inout Outbox) {
        let now = out.moment
        step(id, &signals, &out) { $0.slotGranted(at: now) }
    }

    /// Steps a run's state machine, and does what it wants.
    mutating func step(
        _ id: RunID,
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

    /// Slots and bounds follow what a run takes now.
    private mutating func settle(_ run: RunMachine, _ before: RunMachine.Account, _ after: RunMachine.Account) {
        switch (before.slot, after.slot) {
        case (.held, .none): queues.release(run.pipeline)
        case (.awaited, .none): queues.withdraw(run.id, of: run.pipeline)
        case (.none, .awaited): queues.rejoin(run.id, of: run.pipeline)
        // Granted by the queues, which counted it.
        case (.awaited, .held), (.none, .none), (.awaited, .awaited), (.held, .held): break
        case (.none, .held), (.held, .awaited): fatalError("A slot that no queue gave.")
        }
        guard before.isActive != after.isActive else { return }
        if after.isActive { bounds.resumed(run) } else { bounds.paused(run) }
    }

    private mutating func carryOut(
        _ effect: RunEffect,
        of id: RunID,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        switch effect {
        case .start(let start): out.emit(.start(start))
        case .cancelTask: out.emit(.cancel(id))
        case .dropRest: out.emit(.dropRest(id))
        case .resume(let waiter, let outcome): out.emit(.resume(waiter, outcome))
        case .open(let opening): openSignal(opening, of: id, &signals, &out)
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

    private mutating func tell(_ change: RunProgress.Change, of id: RunID, toAll: Bool, _ out: inout Outbox) {
        guard let place = machines.index(forKey: id) else { return }
        let (number, audience) = machines.values[place].audience.numberNextChange(toldToAll: toAll)
        let run = machines.values[place]
        if configuration.keepsRecords, var entry = JournalEntry(change, of: id, at: out.moment) {
            if case .retrying = change { entry.details["reason"] = run.course.failure.map { .string($0) } }
            out.journal(entry, place: run.course.actions.count)
        }
        for listener in audience {
            let progress = RunProgress(run: id, sequence: number, change: change)
            out.answer(listener.caller, listener.request, .progress(progress))
        }
    }

    /// The run has ended so: its result is kept, and told to its listeners.
    mutating func finish(
        _ id: RunID,
        _ result: RunResult,
        _ signals: inout SignalBook,
        _ out: inout Outbox
    ) {
        step(id, &signals, &out) { $0.closeWaits() }
        guard let run = machines[id] else { return }
        signals.forgetOrphans(of: id, place: run.course.actions.count, &out)
        signals.digest(of: id)
        switch run.account.slot {
        case .held: queues.release(run.pipeline)
        case .awaited, .none: queues.withdraw(id, of: run.pipeline)
        }
        machines[id] = nil
        let over = EndedRun(run, result, at: out.moment.unixMilliseconds)
        ended[id] = over
        bounds.ended(run, keeping: over)
        out.finish(run.request)
        keep(run, with: result, &out)
        if run.keeping.hasRecord { out.forget(.progress(id)) }
        let state = StateReport.State(result.state)
        out.publish(run, state)
        if result.state.isTrouble {
            out.emit(.warn(.run(id, run.pipeline, state: state, reason: result.reason)))
        }
        for listener in run.audience.listeners where !listener.isDetached {
            out.answer(listener.caller, listener.request, .result(result))
        }
    }
}

// Who hears of runs.
extension RunBook {
    /// Somebody hears of an unfinished run from now on.
    ///
    /// - Returns: The listener's number; nil where the run is not unfinished.
    @discardableResult
    mutating func attach(_ listener: RunAudience.Listener, to id: RunID, _ out: inout Outbox) -> Int? {
        guard let place = machines.index(forKey: id) else { return nil }
        if listener.wantsProgress, machines.values[place].audience.followTransitions() { out.emit(.follow(id)) }
        let capacity = configuration.limits.attachedConnections
        let (number, letGo) = machines.values[place].audience.attach(listener, atMost: capacity)
        if let letGo, letGo.hasAttached { tellStanding(of: id, to: letGo, &out) }
        return number
    }

    /// The patience of a listener that attached is over: it is told what stands, and then no more.
    ///
    /// Nothing happens where it asked again meanwhile: then it is another listener, with a patience of its own.
    mutating func endAttachment(to id: RunID, listener number: Int, _ out: inout Outbox) {
        guard let listener = machines[id]?.audience.listener(number) else { return }
        tellStanding(of: id, to: listener, &out)
        machines[id]?.audience.detach(number)
    }

    private func tellStanding(of id: RunID, to listener: RunAudience.Listener, _ out: inout Outbox) {
        guard let standing = machines[id]?.standing else { return }
        out.answer(listener.caller, listener.request, .ok(StateReport(standing, run: id)))
    }

    /// These hear nothing more.
    mutating func detachAll(where isGone: (RunAudience.Listener, RunMachine) -> Bool) {
        for (id, run) in machines where run.audience.listeners.contains(where: { isGone($0, run) }) {
            machines[id]?.audience.detachAll { isGone($0, run) }
        }
    }
}

// What the store is told.
extension RunBook {
    /// The store is to keep how far a run has come, with what is committed next.
    private mutating func keepProgress(of id: RunID) {
        guard configuration.keepsRecords, machines[id]?.fallsBehind() == true else { return }
        behind.append(id)
    }

    /// Writes down how far the runs have come that went on: once each, however many steps those were.
    mutating func keepProgress(_ out: inout Outbox) {
        for id in behind { writeProgress(of: id, &out) }
        behind.removeAll(keepingCapacity: true)
    }

    /// Whether some run went on since ``keepProgress(_:)``.
    var isBehind: Bool { !behind.isEmpty }

    /// Nothing of a run that ended meanwhile: that is kept with its result.
    private mutating func writeProgress(of id: RunID, _ out: inout Outbox) {
        if let record = machines[id]?.takeProgress() { out.keep(.progress(record)) }
    }

    /// The run is the next worker's.
    mutating func leaveBehind(_ id: RunID, _ out: inout Outbox) {
        if machines[id]?.keeping.isBehind == true { writeProgress(of: id, &out) }
        machines[id] = nil
    }

    private func keep(_ run: RunMachine, with result: RunResult? = nil, _ out: inout Outbox) {
        guard configuration.keepsRecords else { return }
        let record = RunRecord(run, result, keptFor: configuration.retention, at: out.moment)
        out.keep(.run(record))
    }

    /// An unfinished run of an earlier worker.
    mutating func takeOver(_ run: RunMachine) {
        machines[run.id] = run
        bounds.began(run)
        if !run.account.isActive { bounds.paused(run) }
    }

    /// A run that ended in an earlier worker.
    mutating func takeOver(_ run: EndedRun) {
        ended[run.result.run] = run
        bounds.restored(run)
    }

    /// A run of an earlier worker waits for its first slot.
    mutating func enqueue(_ id: RunID) { if let run = machines[id] { queues.enqueue(id, of: run.pipeline) } }

    /// A run executes on under the definition that holds now.
    mutating func renew(_ id: RunID, _ definition: Fingerprint, values: [String: any Sendable], _ out: inout Outbox) {
        machines[id]?.renewed(definition, values: values)
        if let run = machines[id] { keep(run, &out) }
    }

    /// A run's request is forgotten, and so is its result.
    mutating func forget(_ id: RunID, _ out: inout Outbox) {
        if let over = ended.removeValue(forKey: id) { bounds.forgot(over) }
        out.forget(.run(id))
    }
}
