import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// What holds of the core's books between two events, and when all is over.
extension BusRules {
    /// What holds between any two events.
    mutating func check(_ core: WorkerState) {
        let limits = core.configuration.limits
        checkQueues(core)
        checkSuperseded(core)
        checkLanes(core)
        checkRuns(core)
        if isDraining, core.phase != .draining { violate("it was to stop, and is \(core.phase)") }
        checkBounds(core)
        if core.signals.waiting.count > limits.waitingSignals { violate("\(core.signals.waiting.count) signals wait") }
        if core.signals.ended.size > limits.decidedSizeInBytes + WireLimits.decisionSizeInBytes {
            violate("\(core.signals.ended.size) bytes of decisions kept")
        }
        for run in core.signals.ended.byRun.keys where core.runs[run] == nil {
            violate("decisions of \(run) are kept whole")
        }
        if core.evaluations.count > limits.evaluations { violate("\(core.evaluations.count) evaluations owed") }
        if core.ledger.count > limits.requests { violate("\(core.ledger.count) requests kept") }
        if core.ledger.count != requests.count {
            violate("\(requests.count) requests stored, not \(core.ledger.count)")
        }
        if core.watches.count > limits.watches { violate("\(core.watches.count) watches") }
        if core.watches.count != watches.count { violate("\(core.watches.count) watches, not \(watches.count)") }
        for run in core.runs.unfinished where run.over.keys.contains(where: { !run.holds($0) }) {
            violate("a decision for nobody is kept")
        }
    }

    /// What runs take of the bounds is what there is of them.
    private mutating func checkBounds(_ core: WorkerState) {
        let (bounds, limits) = (core.bounds, core.configuration.limits)
        var active: [String: Int] = [:]
        var suspended: [String: Int] = [:]
        for run in core.runs.unfinished {
            if run.isActive {
                active[run.principal, default: 0] += 1
            } else {
                suspended[run.principal, default: 0] += 1
            }
        }
        if bounds.active != active { violate("\(bounds.active) of \(active) active runs") }
        if bounds.suspended != suspended { violate("\(bounds.suspended) of \(suspended) suspended runs") }
        for (principal, count) in active where count + suspended[principal, default: 0] >= limits.mostRuns {
            violate("\(principal) has \(count) runs and \(suspended[principal, default: 0]) that wait")
        }
        let seeds = core.runs.unfinished.reduce(0) { $0 + $1.terms.seeds.footprint }
        if bounds.seedsSize != seeds || seeds > limits.seedsSizeInBytes { violate("seeds take \(seeds) bytes") }
    }

    /// What results and votes take is what there is of them.
    ///
    /// A sum that is wrong once stays wrong, so it need not be added up anew after each event.
    private mutating func checkSums(_ core: WorkerState) {
        let results = core.ended.reduce(0) { $0 + $1.value.result.footprint }
        if core.bounds.resultsSize != results {
            violate("results take \(results) bytes, not \(core.bounds.resultsSize)")
        }
        let votes = core.signals.waiting.order.names.reduce(0) { $0 + (core.signals.waiting[$1]?.votesSize ?? 0) }
        if core.signals.waiting.votesSize != votes {
            violate("votes take \(core.signals.waiting.votesSize) bytes, and not \(votes)")
        }
    }

    private mutating func checkRuns(_ core: WorkerState) {
        for run in core.runs.unfinished {
            guard run.place != nil else { continue }
            if run.holdsSlot { violate("\(run.id) rests, and holds a slot") }
        }
        for run in core.runs.unfinished
        where run.audience.listeners.count > core.configuration.limits.attachedConnections {
            violate("\(run.audience.listeners.count) connections of \(run.id)")
        }
    }

    /// Slots are held by runs, no more of them than there are, and none is free while somebody waits for it.
    private mutating func checkQueues(_ core: WorkerState) {
        let limits = core.configuration.limits
        let all = core.runs.unfinished.count { $0.holdsSlot }
        if all > limits.executingRuns { violate("\(all) runs execute") }
        for (name, pipeline) in core.runs.pipelines {
            let load = core.queues.load(of: name)
            let runs = core.runs.unfinished.lazy.filter { $0.pipeline == name }
            let holders = runs.count { $0.holdsSlot }
            if load.held != holders { violate("\(load.held) slots of \(name) held by \(holders) runs") }
            if load.held > pipeline.slots { violate("\(load.held) of \(pipeline.slots) slots of \(name) held") }
            let queued = runs.count { if case .queued = $0.state { true } else { false } }
            if queued > limits.queuedRuns { violate("\(queued) runs of \(name) queued") }
            let rejoining = runs.count { $0.isReady }
            if load.waiting != queued + rejoining {
                violate("\(load.waiting) wait in \(name), not \(queued + rejoining)")
            }
            let isFilled = core.phase == .ready || core.phase == .draining && !core.isDurable && wasReady
            let isPaused = pauses[PauseSubject(.pipeline, name)] != nil
            let isHeldUp = runs.allSatisfy { $0.account.slot != .awaited || isKeyHeld(for: $0) }
            if isFilled, !isPaused, !isHeldUp, load.held < pipeline.slots, all < limits.executingRuns {
                violate("a run of \(name) waits beside a free slot")
            }
        }
    }

    /// The orders of the lists hold each run and each waiting signal once, and nothing else.
    private mutating func checkOrders(_ core: WorkerState) {
        let (runs, gates) = (core.runs, core.signals)
        let unfinished = names(in: runs.order.unfinished)
        if Set(unfinished) != Set(runs.ids) || unfinished.count != runs.count {
            violate("unfinished runs are listed wrong")
        }
        let all = names(in: runs.order.all)
        if Set(all) != Set(runs.ids).union(runs.ended.map(\.key)) || all.count != runs.count + runs.ended.count {
            violate("runs are listed wrong")
        }
        let waiting = names(in: gates.waiting.order)
        if waiting.count != gates.waiting.count || !waiting.allSatisfy({ gates.waiting[$0] != nil }) {
            violate("a signal is listed that does not wait")
        }
        for (signal, state) in signals {
            if case .waiting = state, !waiting.contains(signal) { violate("\(signal) waits and is not listed") }
        }
    }

    private mutating func names(in index: NameIndex) -> [Name] {
        var (names, last) = ([Name](), NameIndex.Place?.none)
        index.scan(after: nil, backwards: false) { place in
            if let last, !last.precedes(place) { violate("the list is out of order at \(place)") }
            last = place
            names.append(place.name)
            return true
        }
        return names
    }

    /// What a store keeps of signals is what the book knows.
    mutating func compare(_ harness: CoreHarness) {
        checkDeadlines(harness.core, at: harness.now)
        checkSums(harness.core)
        compareRuns(harness)
        checkOrders(harness.core)
        for lane in harness.core.lanes where (harness.kept[.trouble(lane.name)] != nil) != (lane.trouble != nil) {
            violate("the monitor \(lane.name) fails: \(lane.trouble != nil), and is kept otherwise")
        }
        comparePauses(harness)
        for (signal, state) in signals {
            let (book, stored) = (harness.core.signals, state.standing)
            if book.state(of: signal) != stored
                || book.record(of: signal, at: harness.now).map({ !$0.state.isSame(as: state) }) == true
            {
                violate("\(signal) is stored as \(state)")
            }
        }
    }

    /// What a store keeps of unfinished runs is what the books know of them.
    private mutating func compareRuns(_ harness: CoreHarness) {
        for (key, record) in harness.kept {
            guard case .progress(let progress) = record else { continue }
            guard let run = harness.core.runs[progress.run] else { return violate("\(key) is kept of no run") }
            // Until it is taken up again it stands as the earlier worker left it.
            if run.isRestored { continue }
            let course = run.course
            // One that is to end goes no further, whatever is kept of it.
            if !run.isStopping, !progress.isAsFar(as: course) {
                violate("\(run.id) has come further than is kept")
            }
            if progress.state.word != run.keptWord { violate("\(run.id) is kept as \(progress.state)") }
        }
        for run in harness.core.runs.unfinished {
            guard let record = harness.record(of: run.id), record.end == nil else {
                return violate("\(run.id) is not kept")
            }
            if record.deadline == nil, run.clock.deadline != nil { violate("the deadline of \(run.id) is not kept") }
            checkBeginning(of: run, record)
            if run.course.eligible != nil, harness.kept[.progress(run.id)] == nil {
                violate("the progress of \(run.id) is not kept")
            }
        }
    }

    /// A run has begun if it ever got a slot: one that was parked before never did.
    ///
    /// One that is suspended or parked waits for something.
    private mutating func checkBeginning(of run: RunMachine, _ record: RunRecord) {
        var isBegun = run.began != nil
        switch run.state {
        case .queued: isBegun = false
        case .running, .settling: isBegun = true
        case .waitingInCode(let opened) where opened.isEmpty: violate("\(run.id) waits for nothing")
        case .waiting, .waitingInCode, .ready, .parked, .stopping: break
        }
        if isBegun != (run.began != nil) || isBegun != (record.began != nil) {
            violate("\(run.id) has begun: \(isBegun), and is kept otherwise")
        }
    }

    /// What holds when everything is over and all retentions have passed.
    mutating func checkEnd(_ harness: CoreHarness, isEverythingOut: Bool) {
        let core = harness.core
        if !core.runs.isEmpty { violate("\(core.runs.count) runs never ended") }
        for name in core.runs.pipelines.keys where core.queues.load(of: name) != (0, 0) {
            violate("slots held by nobody")
        }
        let bounds = core.bounds
        if !bounds.active.isEmpty || !bounds.suspended.isEmpty {
            violate("runs left: \(bounds.active) \(bounds.suspended)")
        }
        if core.signals.waiting.votesSize != 0 { violate("votes take room for ever") }
        if core.signals.ended.size != 0 || !core.signals.ended.byRun.isEmpty { violate("decisions kept for ever") }
        if core.signals.waiting.count != 0 { violate("a signal waits for ever") }
        if core.evaluations.count != 0 { violate("evaluations owed for ever") }
        if core.ledger.count != 0 || core.ended.count != 0 { violate("requests kept for ever") }
        // What is owed a monitor waits for a worker that evaluates it.
        let kept = harness.kept.keys.filter { key in
            // A pause that nobody ends lasts for ever.
            if case .pause(let pause) = harness.kept[key], pause.until == nil { return false }
            return key.kind != .trouble && (key.kind != .debt || !core.isDurable)
        }
        if !kept.isEmpty { violate("\(kept.count) records kept for ever: \(kept.map(\.text).sorted())") }
        if core.nextDue != nil { violate("something is due for ever") }
        if !waits.isEmpty { violate("waiters never resumed: \(waits.keys.map(\.number).sorted())") }
        if !isEverythingOut { violate("effects never carried out") }
        if seen["drained"] == nil { violate("never drained") }
        for (index, lane) in lanes.enumerated() where lane.uncovered > 0 {
            violate("\(lane.uncovered) notifications of monitor \(index) are uncovered")
        }
    }
}

extension WorkerLimits {
    /// One principal has fewer runs, whether they wait or not.
    fileprivate var mostRuns: Int { unfinishedRuns + suspendedRuns }
}

extension SignalRecord.State {
    /// How a book shows a signal that a store keeps so.
    fileprivate var standing: Signals.State {
        switch self {
        case .waiting(let wait, _): .waiting(owner: wait.owner.label)
        case .settled(let wait, .decided(let outcome, let principal, _, _), _):
            .decided(outcome.kind, by: principal, owner: wait.owner.label)
        case .settled(let wait, .expired, _): .expired(owner: wait.owner.label)
        case .settled(let wait, .closed(let why), _): .closed(owner: wait.owner.label, why: why)
        case .early(let early): .early(by: early.map(\.principal))
        }
    }
}

extension SignalRecord.Owner {
    /// Whose signal it is, in words.
    fileprivate var label: String {
        switch self {
        case .action(let run, let action): "\(run)/\(action)"
        case .process(let name): name
        }
    }
}

extension RunMachine {
    /// What a store is to say that it is doing.
    fileprivate var keptWord: String {
        switch state {
        case .queued: return "queued"
        case .running, .settling: return "executing"
        case .stopping: return "stopping"
        case .parked: return "parked"
        case .waiting, .waitingInCode, .ready: return waiters.first?.signal != nil ? "waiting" : "retrying"
        }
    }
}

extension ProgressRecord {
    /// Whether whoever finds it goes on where the run is.
    fileprivate func isAsFar(as course: RunCourse) -> Bool {
        eligible == course.eligible && actions == course.actions && values == course.values && unkept == course.unkept
            && attempt == course.attempt && crashes == course.crashes && earlierAttempts == course.earlierAttempts
            && unrecorded == course.unrecorded
    }
}

extension ProgressRecord.State {
    fileprivate var word: String {
        switch self {
        case .executing: "executing"
        case .waiting: "waiting"
        case .awaiting: "awaiting"
        case .retrying: "retrying"
        case .parked: "parked"
        case .stopping: "stopping"
        }
    }
}
