import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// What is told of monitors and their cycles.
extension Evaluation.Monitor {
    /// What a cycle that is over says.
    init(of monitor: Name, _ outcome: MonitorOutcome) {
        switch outcome {
        case .ran(let cycle):
            self.init(
                monitor: monitor,
                cycle: cycle.number,
                state: cycle.isFailed ? .failed : .ran,
                actions: cycle.actions.map(ActionOutcome.init)
            )
        case .stopped: self.init(monitor: monitor, cycle: nil, state: .ran, actions: [])
        }
    }
}

extension MonitorLane {
    /// Whether the monitor follows the topic.
    func follows(_ topic: Topic) -> Bool { topics.contains { $0.matches(topic) } }

    /// What is told of a cycle that is not over.
    func part(_ state: Evaluation.State) -> Evaluation.Monitor {
        Evaluation.Monitor(monitor: name, cycle: nil, state: state, actions: [])
    }
}

extension Outbox {
    /// A monitor's state changed.
    mutating func publish(_ lane: MonitorLane) {
        publish(
            .monitor(lane.name),
            [
                "monitor": .string(lane.name.text), "state": .string(lane.stateName),
                "cycles": .integer(Int64(lane.cycles)),
            ]
        )
    }
}

extension JournalEntry {
    /// A cycle of a monitor is over: why it ran, and how it came out.
    init(_ part: Evaluation.Monitor, for causes: MonitorCauses, at now: Moment) {
        self.init(at: now.unixMilliseconds, "cycle_\(part.state.rawValue)", monitor: part.monitor)
        details["cycle"] = part.cycle.map { .integer(Int64($0)) }
        details["notifications"] = .integer(Int64(causes.count))
        // What a line has room for; the number tells of the rest.
        let topics = causes.topics.prefix(8).map { JSONValue.string("\($0.topic) by \($0.publisher)") }
        if !topics.isEmpty { details["topics"] = .array(topics) }
        let actions = part.actions.prefix(32).map { JSONValue.string($0.inShort) }
        if !actions.isEmpty { details["actions"] = .array(actions) }
    }
}
