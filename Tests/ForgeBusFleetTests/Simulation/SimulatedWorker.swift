import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport

@testable import ForgeBusWorker

/// One worker of a simulated fleet: a real core, and what its process and its machine do.
struct SimulatedWorker {
    /// A cycle of a monitor.
    struct Cycle {
        let number: Int
        /// When its condition was evaluated; nil while an exclusion holds it back.
        var evaluated: Int64?
        var isGood = false
        /// Whether the worker has cancelled it.
        var isCutShort = false
    }

    struct Monitor {
        var cycle: Cycle?
        var cycles = 0
        var isScreenExcluded = false
        var isPaused = false
        /// How far the machine is from what the policy asks.
        var level = 0
        /// When the condition of the latest good cycle that has ended was evaluated, in any life of the worker.
        var lastGood = Int64.min

        var isExcluded: Bool { isScreenExcluded || isPaused }
        var standing: MonitorStanding {
            MonitorStanding(isExcluded: isExcluded, holdsBack: cycle.map { $0.evaluated == nil } ?? false)
        }
    }

    let name: Name
    let hosted: Int
    let isDurable: Bool
    var clock: SimulatedClock
    var core: WorkerState
    var isAlive = false
    var isSuspended = false
    /// What has happened while the worker was suspended.
    var heldBack: [Happening] = []
    /// Counts the processes of the worker.
    var life = 0
    /// What the clock showed when the process began.
    private var began: Int64 = 0
    var monitors: [Monitor]
    var access = FleetSetting.Access.everything
    /// The runs that have tasks.
    var tasks: Set<Name> = []
    /// What the store has.
    private var kept: [StoreKey: StoreRecord] = [:]
    /// The runs that began for each request.
    var runs: [RequestID: Set<RunID>] = [:]
    /// The requests whose runs have completed.
    var completed: Set<RequestID> = []
    /// When the next tick is planned, and its number.
    var nextTick: (time: Int64, number: Int)?
    var ticks = 0
    /// Whether the process dies in the next step, before the step is committed.
    var isDoomed = false

    init(_ name: Name, _ hosted: Int, isDurable: Bool, _ clock: SimulatedClock, _ generator: inout SeededGenerator) {
        (self.name, self.hosted, self.isDurable, self.clock) = (name, hosted, isDurable, clock)
        core = WorkerState(FleetSetting.configuration(name, hosted, isDurable: isDurable, life: 0))
        monitors = FleetSetting.monitors[hosted].map { _ in
            var monitor = Monitor()
            monitor.level = generator.below(3)
            return monitor
        }
    }

    /// The time as the process tells it to its core.
    func moment(at time: Int64) -> Moment {
        let nanoseconds = clock.reading(at: time) - began
        let wall = 1_790_000_000_000 + time / 1_000_000 + clock.wallError
        return Moment(nanoseconds: nanoseconds, unixMilliseconds: wall)
    }

    /// When the core needs its next step.
    var due: Int64? { core.nextDue.map { clock.time(of: $0.nanoseconds + began) } }

    /// Another process begins, with what the store has kept.
    mutating func start(at time: Int64) -> Consequences {
        (life, began, isAlive, isDoomed, nextTick) = (life + 1, clock.reading(at: time), true, false, nil)
        core = WorkerState(FleetSetting.configuration(name, hosted, isDurable: isDurable, life: life))
        if let policy = FleetSetting.policies[access] { core.access = policy }
        tasks = []
        for index in monitors.indices { (monitors[index].cycle, monitors[index].isPaused) = (nil, false) }
        if !isDurable { (kept, runs) = ([:], [:]) }
        var consequences = Consequences()
        let records = kept.values.sorted { ($0.key.kind.rawValue, $0.key.text) < ($1.key.kind.rawValue, $1.key.text) }
        core.restore(records, at: moment(at: time), into: &consequences)
        keep(consequences)
        return consequences
    }

    /// Steps the core; what follows is committed at once, unless the process dies before.
    mutating func step(_ event: Event, at time: Int64) -> Consequences? {
        var consequences = Consequences()
        core.decide(event, at: moment(at: time), into: &consequences)
        core.flush(into: &consequences)
        if isDoomed { return nil }
        keep(consequences)
        return consequences
    }

    private mutating func keep(_ consequences: Consequences) {
        guard isDurable else { return }
        for change in consequences.changes {
            switch change {
            case .put(let record): kept[record.key] = record
            case .remove(let key): kept[key] = nil
            case .append, .output, .audit: break
            }
        }
    }
}

// What happens to workers.
extension SimulatedFleet {
    mutating func happen(_ happening: WorkerHappening, to worker: Int) {
        switch happening {
        case .starts: start(worker)
        case .tick(let number):
            guard workers[worker].nextTick?.number == number else { return }
            workers[worker].nextTick = nil
            if let due = workers[worker].due, due <= now { step(.tick, worker) } else { planTick(of: worker) }
        case .evaluates(let monitor): evaluate(monitor, of: worker)
        case .cycleEnds(let monitor, let cycle): endCycle(cycle, of: monitor, worker)
        case .standingChanges(let monitor): tellStanding(of: monitor, worker)
        case .runEnds(let run): endRun(run, of: worker)
        case .shows(let monitor, let isExcluded):
            exclude(monitor, of: worker) { $0.isScreenExcluded = isExcluded }
        case .pauses(let monitor): pause(monitor, of: worker)
        case .wallClockJumps:
            workers[worker].clock.wallError += Int64(generator.below(20_000_000)) - 10_000_000
            planTick(of: worker)
        case .gets(let access): change(access, of: worker)
        case .drains:
            step(.drain, worker)
            plan(.dies, worker, in: .milliseconds(generator.below(3_000)))
        case .dies: die(worker)
        case .isDoomed: workers[worker].isDoomed = true
        case .isSuspended:
            workers[worker].isSuspended = true
            agenda.add(.worker(worker, life: 0, .resumes), at: now + some(from: 10, to: 60_000))
        case .resumes: resume(worker)
        }
    }

    /// Plans what happens to a worker, as long as its process lives.
    mutating func plan(_ happening: WorkerHappening, _ worker: Int, in time: Int64) {
        agenda.add(.worker(worker, life: workers[worker].life, happening), at: now + time)
    }

    private mutating func start(_ worker: Int) {
        guard !workers[worker].isAlive else { return }
        let consequences = workers[worker].start(at: now)
        carryOut(consequences.effects, worker)
        for monitor in workers[worker].monitors.indices where workers[worker].monitors[monitor].isExcluded {
            tellStanding(of: monitor, worker)
        }
        step(.ready, worker)
    }

    /// The process dies, and begins again soon, later or never.
    private mutating func die(_ worker: Int) {
        guard workers[worker].isAlive else { return }
        (workers[worker].isAlive, workers[worker].isSuspended, workers[worker].heldBack) = (false, false, [])
        // What was planned for this life does not happen any more.
        workers[worker].life += 1
        if !generator.oneIn(8) { plan(.starts, worker, in: some(from: 5, to: 60_000)) }
    }

    private mutating func resume(_ worker: Int) {
        guard workers[worker].isSuspended else { return }
        workers[worker].isSuspended = false
        // What has come meanwhile comes now, one after the other.
        for (index, happening) in workers[worker].heldBack.enumerated() {
            agenda.add(happening, at: now + Int64(index))
        }
        workers[worker].heldBack = []
    }

    private mutating func change(_ access: FleetSetting.Access, of worker: Int) {
        workers[worker].access = access
        if let policy = FleetSetting.policies[access] { step(.accessReplaced(policy, by: "test"), worker) }
    }

    mutating func step(_ event: Event, _ worker: Int) {
        guard workers[worker].isAlive else { return }
        guard let consequences = workers[worker].step(event, at: now) else { return die(worker) }
        carryOut(consequences.effects, worker)
        planTick(of: worker)
    }

    private mutating func planTick(of worker: Int) {
        guard let due = workers[worker].due else { return }
        let time = max(due, now)
        if let planned = workers[worker].nextTick, planned.time <= time { return }
        workers[worker].ticks += 1
        workers[worker].nextTick = (time, workers[worker].ticks)
        plan(.tick(number: workers[worker].ticks), worker, in: time - now)
    }

    private mutating func carryOut(_ effects: [Effect], _ worker: Int) {
        for effect in effects {
            switch effect {
            case .answer(let answer, let caller):
                rules.left(answer, workers: &workers, worker)
                send(answer, from: worker, to: Int(caller.connection.number))
            case .start(let start): begin(start.run, worker)
            case .cancel(let run): if generator.oneIn(2) { plan(.runEnds(run), worker, in: .milliseconds(5)) }
            case .abandon(let run): step(.abandoned(run, action: nil), worker)
            case .runCycle(let monitor, _): beginCycle(of: monitor, worker)
            case .cancelCycle(let monitor): cutShort(monitor, of: worker)
            case .pause(let isPaused, let monitor): exclude(monitor, of: worker) { $0.isPaused = isPaused }
            case .show(let screen, let monitor): exclude(monitor, of: worker) { $0.isScreenExcluded = screen != nil }
            case .tell, .follow, .dropRest, .resume, .audit, .warn, .lookUp, .perform, .drained: break
            }
        }
    }
}
