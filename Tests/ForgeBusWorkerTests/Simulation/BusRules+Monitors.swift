import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// No notification is left uncovered, and nobody is told that a cycle covers what came after it began.
extension BusRules {
    /// A monitor, as far as notifications are concerned.
    struct Lane {
        let topics: [NamePattern]
        /// How many notifications no cycle has begun after.
        var uncovered = 0
        /// At which step each of its cycles was ordered.
        var cycles: [Int] = []
        var isRunning = false
        /// Whether something may have been published that did not come, and no cycle has begun since.
        var isMissing = false
        /// What an earlier worker owed, until this one is ready.
        var taken = 0
        /// At which steps notifications came that were to survive the worker, and were told so; until they are covered.
        var promised: [Int] = []
        /// Up to which step everything is covered that is to survive the worker.
        var covered = 0
    }

    mutating func notified(_ change: StateChange, _ key: WatchKey) {
        if notices[key] == nil { notices[key] = step }
        owe(change.topic)
        guard change.durability == .fsynced else { return }
        let followers = lanes.indices.filter { lanes[$0].topics.contains { $0.matches(change.topic) } }
        durableNotices[key] = (step, followers)
    }

    /// The worker is ready: every monitor is evaluated, for what an earlier worker owed, too.
    mutating func becameReady(_ phase: Pong.State) {
        guard phase == .starting else { return }
        wasReady = true
        for index in lanes.indices {
            lanes[index].uncovered += lanes[index].taken
            (lanes[index].taken, lanes[index].isMissing) = (0, true)
        }
    }

    mutating func cycleEnded(_ monitor: Int, _ outcome: MonitorOutcome) {
        lanes[monitor].isRunning = false
        guard let began = lanes[monitor].cycles.last else { return }
        // A monitor that has nothing to evaluate any more owes nothing.
        if case .ran(let cycle) = outcome,
            cycle.actions.contains(where: { if case .failed = $0.result { true } else { false } })
        {
            return
        }
        lanes[monitor].covered = began
        lanes[monitor].promised.removeAll { $0 <= began }
    }

    private mutating func owe(_ topic: Name) {
        for index in lanes.indices where lanes[index].topics.contains(where: { $0.matches(topic) }) {
            lanes[index].uncovered += 1
        }
    }

    mutating func published(_ publication: Publication, _ principal: String, _ others: Bool, _ phase: Pong.State) {
        guard phase == .ready, regime.mayNotify(publication.topic, principal) else { return }
        saw("published")
        owe(publication.topic)
        if others { missed(phase) }
    }

    /// Something may have been published that did not come; a worker that is not ready evaluates anyway, or is no more.
    mutating func missed(_ phase: Pong.State) {
        guard phase == .ready else { return }
        saw("missed")
        for index in lanes.indices { lanes[index].isMissing = true }
    }

    /// The worker stops: what nobody notified is left to the one that takes its place.
    mutating func forgiven() {
        for index in lanes.indices { lanes[index].isMissing = false }
    }

    mutating func cycle(_ monitor: Int, _ causes: MonitorCauses) {
        if lanes[monitor].isRunning { violate("two cycles of monitor \(monitor) are ordered at once") }
        if causes.count < lanes[monitor].uncovered {
            violate("a cycle for \(causes.count) of \(lanes[monitor].uncovered) notifications")
        }
        lanes[monitor].isRunning = true
        lanes[monitor].cycles.append(step)
        lanes[monitor].uncovered = 0
        lanes[monitor].isMissing = false
        saw("cycle")
    }

    mutating func evaluated(_ evaluation: Evaluation, _ key: WatchKey) {
        saw(evaluation.pending.isEmpty ? "evaluated" : "evaluated, pending")
        guard let notice = notices[key] else { return violate("\(key.request) was evaluated, and asked for nothing") }
        for part in evaluation.monitors {
            saw("evaluated \(part.state.rawValue)")
            guard let cycle = part.cycle else { continue }
            let lane = lanes[part.monitor == "m" ? 0 : 1]
            if lane.cycles[cycle - 1] < notice { violate("\(key.request): cycle \(cycle) began before it came") }
        }
    }

    /// What is owed is known to the lane, whatever it waits for.
    mutating func checkLanes(_ core: WorkerState) {
        for (index, lane) in core.lanes.enumerated() where lane.state == .idle {
            if lanes[index].uncovered > 0 || lanes[index].isMissing {
                violate("monitor \(index) owes a cycle, and is idle")
            }
        }
    }

    /// The worker is drained: what is left uncovered is held back.
    mutating func checkDrained(_ core: WorkerState) {
        for (index, lane) in core.lanes.enumerated() where lane.state != .excluded {
            if lanes[index].uncovered > 0 { violate("drained, and \(lanes[index].uncovered) notifications are lost") }
        }
    }
}
