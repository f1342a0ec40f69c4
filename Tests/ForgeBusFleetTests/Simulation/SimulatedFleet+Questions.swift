import ForgeBusProtocol
import TestSupport

@testable import ForgeBusFleet

/// What is asked, and what goes wrong meanwhile.
extension SimulatedFleet {
    mutating func makeQuestion(_ number: Int, _ asker: Int) -> SimulatedQuestion {
        let patience = Int64.seconds(2 + generator.below(8))
        let deadline = Int64.seconds(1 + generator.below(20))
        var plan = FleetPlan()
        plan.window = 1 + generator.below(5)
        plan.slotLasts = .milliseconds(100 + generator.below(900))
        var change: Int64?
        let question: FleetQuestion
        switch generator.below(12) {
        case 0...4:
            if !generator.oneIn(3) { changePolicy() }
            change = now
            question = .notify(
                StateChange(topic: FleetSetting.topic, wantsEvaluation: true, deadline: .nanoseconds(deadline))
            )
        case 5...7:
            let isLatest = !generator.oneIn(4)
            change = isLatest ? changes.last : changes.randomElement(using: &generator)
            if generator.oneIn(8) { change = nil }
            let choices: [MonitorChoice] = [.all, .named(["age"]), .following(FleetSetting.topic)]
            let since = change.map { askers[asker].clock.instant(at: $0) }
            question = .monitors(choices[generator.below(choices.count)], since: since)
        case 8: question = .workers
        default:
            question = .run(RunRequest(pipeline: FleetSetting.pipeline), id: "roll-\(generator.below(2))")
            plan.batches = (0...generator.below(2)).map { _ in
                generator.oneIn(2) ? .count(1 + generator.below(2)) : .percent(10 + generator.below(60))
            }
            plan.stopAfter = generator.oneIn(4) ? nil : 1 + generator.below(2)
            plan.batchLasts = .seconds(3 + generator.below(40))
        }
        if plan.batchLasts == nil, generator.oneIn(2) {
            plan.until = askers[asker].clock.instant(at: now + some(from: 500, to: 60_000))
        }
        return SimulatedQuestion(
            number: 10 * asker + number,
            question: question,
            addresses: makeAddresses(),
            plan: plan,
            change: change,
            patience: patience,
            deadline: deadline,
            replacesWakes: generator.oneIn(2)
        )
    }

    /// The inventory of a question: not each has every worker, and a few are wrong.
    private mutating func makeAddresses() -> [(name: Name, worker: Int?)] {
        var addresses: [(name: Name, worker: Int?)] = []
        for (index, worker) in workers.enumerated() where !generator.oneIn(8) { addresses.append((worker.name, index)) }
        if generator.oneIn(6) { addresses.append((FleetSetting.ghost, nil)) }
        if addresses.count > 1, generator.oneIn(12) {
            (addresses[0].worker, addresses[1].worker) = (addresses[1].worker, addresses[0].worker)
        }
        return addresses
    }

    /// Plans what goes wrong while a question is asked.
    mutating func disturb() {
        troubledUntil = generator.oneIn(3) ? 0 : now + some(from: 100, to: 60_000)
        for _ in 0..<generator.below(5) {
            let worker = generator.below(workers.count)
            let monitor = generator.below(workers[worker].monitors.count)
            let time = generator.oneIn(4) ? 0 : some(from: 1, to: 10_000)
            switch generator.below(16) {
            case 0...2: plan(.dies, worker, in: time)
            case 3...4: plan(.isDoomed, worker, in: time)
            case 5...7: plan(.isSuspended, worker, in: time)
            case 8: plan(.wallClockJumps, worker, in: time)
            case 9...10:
                plan(.gets(generator.oneIn(2) ? .nothing : .unknown), worker, in: time)
                if generator.oneIn(2) { plan(.gets(.everything), worker, in: time + some(from: 100, to: 20_000)) }
            case 11:
                plan(.shows(monitor: monitor, isExcluded: true), worker, in: time)
                let end = time + some(from: 100, to: 20_000)
                if !generator.oneIn(4) { plan(.shows(monitor: monitor, isExcluded: false), worker, in: end) }
            case 12: plan(.pauses(monitor: monitor), worker, in: time)
            case 13: plan(.drains, worker, in: time)
            default: agenda.add(.policyChanges, at: now + time)
            }
        }
    }
}
