import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport

@testable import ForgeBusWorker

/// How cycles and runs go on.
extension SimulatedFleet {
    mutating func beginCycle(of monitor: Int, _ worker: Int) {
        workers[worker].monitors[monitor].cycles += 1
        let number = workers[worker].monitors[monitor].cycles
        workers[worker].monitors[monitor].cycle = SimulatedWorker.Cycle(number: number)
        if workers[worker].monitors[monitor].isExcluded {
            plan(.standingChanges(monitor: monitor), worker, in: .milliseconds(1))
        } else {
            planEvaluation(of: monitor, worker)
        }
    }

    mutating func planEvaluation(of monitor: Int, _ worker: Int) {
        plan(.evaluates(monitor: monitor), worker, in: generator.oneIn(3) ? some(from: 1, to: 900) : 1_000)
    }

    /// The condition of a cycle is evaluated: against the policy that holds now.
    mutating func evaluate(_ monitor: Int, of worker: Int) {
        guard let cycle = workers[worker].monitors[monitor].cycle, cycle.evaluated == nil else { return }
        workers[worker].monitors[monitor].cycle?.evaluated = now
        let isGood = workers[worker].monitors[monitor].level <= limit
        workers[worker].monitors[monitor].cycle?.isGood = isGood
        let lasts = generator.oneIn(15) ? some(from: 3_000, to: 20_000) : some(from: 1, to: 2_000)
        plan(.cycleEnds(monitor: monitor, cycle: cycle.number), worker, in: lasts)
        // Just then somebody changes the policy.
        if isSharp, generator.oneIn(3) {
            agenda.add(.policyChanges, at: now + 1_000 << Int64(generator.below(20)))
        }
    }

    mutating func endCycle(_ number: Int, of monitor: Int, _ worker: Int) {
        guard let cycle = workers[worker].monitors[monitor].cycle, cycle.number == number,
            let evaluated = cycle.evaluated
        else { return }
        workers[worker].monitors[monitor].cycle = nil
        if generator.oneIn(10) { return step(.cycleEnded(monitor: monitor, .stopped), worker) }
        if cycle.isGood, !cycle.isCutShort {
            let latest = max(evaluated, workers[worker].monitors[monitor].lastGood)
            workers[worker].monitors[monitor].lastGood = latest
        }
        let result: ActionResult = cycle.isGood ? .completed : .failed("age")
        let action = ActionReport(id: "check", result: result, start: .zero, duration: .milliseconds(1))
        step(.cycleEnded(monitor: monitor, .ran(MonitorCycle(number: number, actions: [action]))), worker)
    }

    mutating func cutShort(_ monitor: Int, of worker: Int) {
        guard let cycle = workers[worker].monitors[monitor].cycle else { return }
        workers[worker].monitors[monitor].cycle?.isCutShort = true
        if generator.oneIn(2) { plan(.cycleEnds(monitor: monitor, cycle: cycle.number), worker, in: .milliseconds(20)) }
    }

    mutating func exclude(
        _ monitor: Int,
        of worker: Int,
        _ change: (inout SimulatedWorker.Monitor) -> Void
    ) {
        guard monitor < workers[worker].monitors.count else { return }
        let before = workers[worker].monitors[monitor].isExcluded
        change(&workers[worker].monitors[monitor])
        guard workers[worker].monitors[monitor].isExcluded != before else { return }
        plan(.standingChanges(monitor: monitor), worker, in: .milliseconds(1))
    }

    mutating func tellStanding(of monitor: Int, _ worker: Int) {
        let state = workers[worker].monitors[monitor]
        step(.standingChanged(monitor: monitor, state.standing), worker)
        if !state.isExcluded, let cycle = state.cycle, cycle.evaluated == nil { planEvaluation(of: monitor, worker) }
    }

    mutating func pause(_ monitor: Int, of worker: Int) {
        let hosted = FleetSetting.monitors[workers[worker].hosted]
        guard monitor < hosted.count, let id = try? RequestID("pause-\(now)") else { return }
        let time = Duration.milliseconds(100 + generator.below(20_000))
        let pause = PauseRequest(PauseSubject(.monitor, hosted[monitor].name), .pause(for: time, reason: "test"))
        let root = FleetSetting.operatorOfPauses
        step(.received(Received(simulated: Request(.pause(pause), id: id), from: 99, as: root)), worker)
    }

    mutating func begin(_ run: Name, _ worker: Int) {
        workers[worker].tasks.insert(run)
        // Some never end by themselves.
        if !generator.oneIn(12) { plan(.runEnds(run), worker, in: some(from: 1, to: 20_000)) }
    }

    mutating func endRun(_ run: Name, of worker: Int) {
        guard workers[worker].tasks.remove(run) != nil else { return }
        let result: ActionResult = generator.oneIn(6) ? .failed("no") : .completed
        if result == .completed { workers[worker].monitors[0].level = 0 }
        let outcome = ActionOutcome(ActionReport(id: "work", result: result, start: .zero, duration: .zero))
        step(.runEnded(run, [outcome], outputs: [:], flaw: nil), worker)
    }
}
