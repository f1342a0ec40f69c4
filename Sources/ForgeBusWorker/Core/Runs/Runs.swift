import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// All runs: the unfinished runs with the slots that they hold or await, and the results of the ended runs.
struct Runs {
    private var machines: [Name: RunMachine] = [:]
    /// The results of ended runs; each is kept as long as the ledger keeps the run's request.
    private(set) var ended = LargeTable<Name, EndedRun>()
    private(set) var order = RunOrder()
    private(set) var queues: RunQueues
    /// How much of the worker's limits the runs use.
    private(set) var bounds: RunBounds
    /// The runs that have advanced since their progress was last stored.
    private var behind: [Name] = []
    /// The exclusive keys for whose runs it may have come to pass that a newer run supersedes an older one.
    private var contested: [ExclusiveKey] = []
    /// Whether runs get free slots; false before the worker is ready, and after ``close()``.
    private(set) var givesSlots = false
    private(set) var numbers: RunNumbers
    let pipelines: [Name: HostedPipeline]
    /// The definitions of the pipelines; a restored run resumes only if its unfinished part is defined as before.
    let definitions: [Name: RunDefinition]
    /// Whether the new runs of a pipeline supersede others.
    private let isSuperseding: Bool
    /// How many connections may attach to a run.
    private let attachedConnections: Int

    init(_ configuration: CoreConfiguration) {
        pipelines = Dictionary(uniqueKeysWithValues: configuration.pipelines.map { ($0.name, $0) })
        definitions = pipelines.mapValues { RunDefinition(of: $0) }
        bounds = RunBounds(configuration.limits)
        numbers = RunNumbers(prefix: configuration.runPrefix)
        queues = RunQueues(
            configuration.pipelines,
            slots: configuration.limits.executingRuns,
            capacity: configuration.limits.queuedRuns
        )
        isSuperseding = configuration.pipelines.contains { $0.onePer?.newcomer == .supersede }
        attachedConnections = configuration.limits.attachedConnections
    }

    /// The unfinished run with this id, or nil.
    subscript(id: Name) -> RunMachine? { machines[id] }
    var count: Int { machines.count }
    var isEmpty: Bool { machines.isEmpty }
    /// The ids of all unfinished runs, in no order.
    var ids: Dictionary<Name, RunMachine>.Keys { machines.keys }
    /// All unfinished runs, in no order.
    var unfinished: Dictionary<Name, RunMachine>.Values { machines.values }

    /// Numbers new runs with this prefix from now on.
    mutating func number(with prefix: String) { numbers = RunNumbers(prefix: prefix) }

    /// Takes the id of a new run.
    mutating func takeID() -> Name { numbers.take() }
}

// Questions.
extension Runs {
    /// The run's owner and pipeline, on which access depends; nil if the run is unknown.
    func known(_ id: Name) -> AccessPolicy.KnownRun? {
        (self[id].map { ($0.principal, $0.pipeline) } ?? ended[id].map { ($0.principal, $0.pipeline) })
            .map { AccessPolicy.KnownRun(owner: $0.0, pipeline: $0.1) }
    }

    /// The number by which the run's history is ordered; nil if the run is unknown.
    ///
    /// It is the number of the run's ended actions. For an ended run it is the number of all its actions plus one.
    func place(of id: Name) -> Int? {
        self[id]?.course.actions.count ?? ended[id].map { $0.result.actions.count + 1 }
    }

    /// Whether a listener gets each step of the run.
    func isFollowed(_ id: Name) -> Bool { self[id]?.audience.isFollowed ?? false }

    /// Whether the run is unfinished and not stopping.
    func mayWait(_ id: Name) -> Bool { self[id].map { !$0.isStopping } ?? false }

    /// Whether this waiter stands for the suspended run itself, and not for waiting code of an action.
    func isResting(_ id: Name?, _ waiter: WaiterID) -> Bool {
        id.flatMap { self[$0]?.isResting(with: waiter) } ?? false
    }

    /// The outputs that the run has set so far; nil if the worker no longer serves the run's pipeline.
    func outputs(of run: RunMachine, beside actions: [ActionOutcome]) -> RunOutputs? {
        var values = run.values
        for value in run.course.values { values[value.key] = value.restored }
        return pipelines[run.pipeline].map { RunOutputs(of: $0, values, beside: actions) }
    }

    /// Makes the result of a run from its recorded progress, because no task reports the result.
    func result(
        of run: RunMachine,
        _ state: RunResult.State,
        _ reason: String,
        brokenOff: String = Errors.actionBrokenOff,
        at now: Moment
    ) -> RunResult {
        let actions = run.course.actions(brokenOff: brokenOff, at: run.age(at: now))
        let outputs = outputs(of: run, beside: actions)?.values ?? [:]
        return RunResult(run: RunID(run.id), state: state, reason: reason, actions: actions, outputs: outputs)
    }
}

// Slots.
extension Runs {
    /// Gives free slots to waiting runs from now on.
    mutating func open() { givesSlots = true }

    /// Gives no more slots, because the next worker will resume the waiting runs.
    mutating func close() { givesSlots = false }

    /// Gives the runs of a pipeline no slot from now on, or gives them slots again; a run that holds one continues.
    mutating func setPaused(_ isPaused: Bool, _ pipeline: Name) { queues.setPaused(isPaused, pipeline) }

    /// Removes all runs from the queues, so that no waiting run gets a slot.
    mutating func withdrawAll() { queues.withdrawAll() }

    /// Takes a free slot for the run that is to have it; nil if there is no such slot or run.
    mutating func takeSlot() -> Name? { givesSlots ? queues.next() : nil }

    /// Adds a new run, and queues it if no slot is free.
    ///
    /// - Returns: Whether the run holds a slot.
    mutating func begin(_ run: RunMachine) -> Bool {
        add(run)
        if givesSlots, queues.takeFreeSlot(for: run.id, of: run.pipeline) { return true }
        queues.enqueue(run.id, of: run.pipeline)
        return false
    }

    /// Queues a run of an earlier worker for its first slot.
    mutating func enqueue(_ id: Name) { if let run = machines[id] { queues.enqueue(id, of: run.pipeline) } }

    /// Passes an event to a run's state machine, and counts the slot that the run then holds or awaits.
    ///
    /// - Returns: The effects; empty if no unfinished run has this id.
    mutating func advance(_ id: Name, _ event: (inout RunMachine) -> [RunEffect]) -> [RunEffect] {
        guard let place = machines.index(forKey: id) else { return [] }
        let before = machines.values[place].account
        let effects = event(&machines.values[place])
        let after = machines.values[place].account
        if before != after { settle(machines.values[place], before, after) }
        return effects
    }

    /// Updates the slots and the counts of active and suspended runs, after a step changed the run's account.
    private mutating func settle(_ run: RunMachine, _ before: RunMachine.Account, _ after: RunMachine.Account) {
        switch (before.slot, after.slot) {
        case (.held, .none):
            queues.release(run.pipeline)
            contest(run)
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
}

// Exclusive keys.
extension Runs {
    /// The unfinished runs that a newer run with the same key supersedes now, each with that run, the oldest first.
    ///
    /// The newer run is the newest one of a pipeline whose new runs supersede others. A run that executes is superseded
    /// only when it comes to rest.
    mutating func takeSuperseded() -> [(old: Name, new: RunMachine)] {
        if contested.isEmpty { return [] }
        defer { contested.removeAll(keepingCapacity: true) }
        return contested.flatMap { superseded(with: $0) }
    }

    /// Notes that a run may be superseded from now on, or may supersede others.
    private mutating func contest(_ run: RunMachine) {
        if let key = run.terms.key, isSuperseding { contested.append(key) }
    }

    private func superseded(with key: ExclusiveKey) -> [(old: Name, new: RunMachine)] {
        let members = queues.keys.members(of: key)
        guard members.count > 1 else { return [] }
        let runs = members.compactMap { machines[$0] }
        let newer = runs.filter { !$0.isStopping && pipelines[$0.pipeline]?.onePer?.newcomer == .supersede }
        guard let newest = newer.max(by: { $0.terms.precede($1.terms) }) else { return [] }
        return runs.filter { $0.terms.precede(newest.terms) && !$0.isStopping && $0.account.slot != .held }
            .sorted { $0.terms.precede($1.terms) }
            .map { ($0.id, newest) }
    }

    /// Whether a new run of the pipeline with this key supersedes one that waits for its first slot in the same queue.
    func supersedesQueued(_ key: ExclusiveKey, _ pipeline: Name) -> Bool {
        guard pipelines[pipeline]?.onePer?.newcomer == .supersede else { return false }
        return queues.keys.members(of: key).contains { id in
            guard let run = machines[id], run.pipeline == pipeline, case .queued = run.state else { return false }
            return true
        }
    }

    /// The unfinished run because of which a new run with this key would have to wait: the holder of the key, or else the
    /// oldest run that waits for the key.
    func obstacle(with key: ExclusiveKey) -> RunMachine? {
        if let holder = queues.keys.holder(of: key) { return machines[holder] }
        return queues.keys.members(of: key).compactMap { machines[$0] }.min { $0.terms.precede($1.terms) }
    }

    /// Whether a run that `outer` requests and waits for could never begin, because the holder of its key waits for `outer`.
    ///
    /// - Parameters:
    ///   - key: The key of the requested run.
    ///   - outer: The run that requests it.
    ///   - supersedes: Whether the new run ends holders that wait, apart from those that wait for `outer` to end.
    /// - Returns: Whether it could never begin.
    func isDeadlock(_ key: ExclusiveKey, requestedBy outer: Name, supersedes: Bool) -> Bool {
        var next = queues.keys.holder(of: key)
        // Each run waits for one other run at most, so the way ends, or it comes to `outer`.
        for _ in 0...machines.count {
            guard let id = next, let run = machines[id] else { return false }
            if id == outer { return true }
            next = run.awaitedRun
            if let inner = next, let obstacle = queues.keys.obstacle(of: inner), machines[inner]?.began == nil {
                if supersedes { return false }
                next = obstacle
            }
        }
        return false
    }
}

// Beginnings and ends.
extension Runs {
    /// Adds an unfinished run of an earlier worker.
    mutating func takeOver(_ run: RunMachine) {
        add(run)
        if !run.account.isActive { bounds.suspended(run) }
    }

    private mutating func add(_ run: RunMachine) {
        machines[run.id] = run
        order.began(run)
        bounds.began(run)
        guard let key = run.terms.key else { return }
        queues.add(run.id, with: key, hasBegun: run.began != nil)
        contest(run)
    }

    /// Adds a run that ended in an earlier worker.
    mutating func takeOver(_ run: EndedRun) {
        ended[run.id] = run
        order.restored(run)
        bounds.restored(run)
    }

    /// Replaces an unfinished run by its result, and releases its slot.
    mutating func end(_ run: RunMachine, as over: EndedRun) {
        switch run.account.slot {
        case .held: queues.release(run.pipeline)
        case .awaited, .none: queues.withdraw(run.id, of: run.pipeline)
        }
        queues.end(run.id, of: run.pipeline)
        machines[run.id] = nil
        order.ended(run)
        ended[run.id] = over
        bounds.ended(run, keeping: over)
    }

    /// Drops an unfinished run, which the next worker will continue.
    mutating func leave(_ id: Name) {
        guard let run = machines.removeValue(forKey: id) else { return }
        queues.end(id, of: run.pipeline)
        order.left(run)
    }

    /// Removes and returns a run's result; nil if none is kept.
    mutating func forget(_ id: Name) -> EndedRun? {
        guard let over = ended.removeValue(forKey: id) else { return nil }
        order.forgot(over)
        bounds.forgot(over)
        return over
    }

    /// Gives a run a new definition and new initial values.
    mutating func renew(_ id: Name, _ definition: RunDefinition, values: [String: any Sendable]) {
        machines[id]?.renewed(definition, values: values)
    }
}

// Progress.
extension Runs {
    /// Whether a run has advanced since ``takeProgress()`` was called last.
    var isBehind: Bool { !behind.isEmpty }

    /// Marks a run, so that its progress is stored with the next commit.
    mutating func fallBehind(_ id: Name) {
        if machines[id]?.fallsBehind() == true { behind.append(id) }
    }

    /// The progress of each marked run that has not ended, once even if the run made several steps; takes the marks away.
    mutating func takeProgress() -> [ProgressRecord] {
        let records = behind.compactMap { machines[$0]?.takeProgress() }
        behind.removeAll(keepingCapacity: true)
        return records
    }

    /// The progress of a run, if it is marked.
    mutating func takeProgress(of id: Name) -> ProgressRecord? {
        machines[id]?.keeping.isBehind == true ? machines[id]?.takeProgress() : nil
    }
}

// Listeners.
extension Runs {
    /// Numbers the next change of a run, and returns the listeners that it is sent to.
    mutating func numberNextChange(of id: Name, toldToAll: Bool) -> (number: Int, audience: [RunAudience.Listener])? {
        guard let place = machines.index(forKey: id) else { return nil }
        return machines.values[place].updateAudience { $0.numberNextChange(toldToAll: toldToAll) }
    }

    /// Has the run's task report every transition from now on.
    ///
    /// - Returns: Whether the task did not report them before.
    mutating func follow(_ id: Name) -> Bool { machines[id]?.updateAudience { $0.followTransitions() } ?? false }

    /// Adds a listener to an unfinished run; another listener may have to make room for it.
    ///
    /// - Returns: The listener's number, and the listener that was let go; nil if no unfinished run has this id.
    mutating func attach(
        _ listener: RunAudience.Listener,
        to id: Name
    ) -> (number: Int, letGo: RunAudience.Listener?)? {
        guard let place = machines.index(forKey: id) else { return nil }
        return machines.values[place].updateAudience { $0.attach(listener, atMost: attachedConnections) }
    }

    /// Detaches a listener.
    mutating func detach(_ number: Int, from id: Name) { machines[id]?.updateAudience { $0.detach(number) } }

    /// Detaches the listeners for which `isGone` returns true.
    mutating func detachAll(where isGone: (RunAudience.Listener, RunMachine) -> Bool) {
        for (id, run) in machines where run.audience.listeners.contains(where: { isGone($0, run) }) {
            machines[id]?.updateAudience { $0.detachAll { isGone($0, run) } }
        }
    }
}
