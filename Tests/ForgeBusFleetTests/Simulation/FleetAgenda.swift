import ForgeBusProtocol
import TestSupport

/// What may happen in a schedule.
enum Happening {
    /// A request comes to a worker from an asker.
    case request(Request, from: Int, at: Int)
    /// An answer comes to an asker from a worker.
    case answer(Answer, to: Int, from: Int)
    case worker(Int, life: Int, WorkerHappening)
    case asker(Int, AskerHappening)
    case policyChanges
}

/// What may happen in the process of a worker, or to it.
enum WorkerHappening {
    case tick(number: Int)
    case starts
    case evaluates(monitor: Int)
    case cycleEnds(monitor: Int, cycle: Int)
    case standingChanges(monitor: Int)
    case runEnds(Name)
    /// A screen that the monitor excludes is shown, or not any more.
    case shows(monitor: Int, isExcluded: Bool)
    case pauses(monitor: Int)
    case wallClockJumps
    case gets(FleetSetting.Access)
    case drains
    case dies
    /// It dies in the middle of its next step.
    case isDoomed
    case isSuspended
    case resumes
}

/// What may happen in the process of an asker.
enum AskerHappening {
    case asks
    case wakes(number: Int)
    case resends(call: Int)
    case looks(call: Int)
    /// By now the question must be over.
    case checksEnd(question: Int)
    /// By now this batch must be over.
    case checksBatch(question: Int, batch: Int)
}

/// What will happen, in the order of its times; what happens at the same time stays in the order in which it was added.
struct FleetAgenda {
    private var entries: [(time: Int64, Happening)] = []

    mutating func add(_ happening: Happening, at time: Int64) {
        var place = entries.count
        while place > 0, entries[place - 1].time <= time { place -= 1 }
        entries.insert((time, happening), at: place)
    }

    mutating func next() -> (time: Int64, happening: Happening)? { entries.popLast().map { ($0.0, $0.1) } }
}
