import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Makes the reports about monitors and their cycles.
extension Evaluation.Monitor {
    /// Makes the report of a cycle that has ended.
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

extension Evaluation.Monitor {
    /// The failed actions with their reasons; nil if none failed.
    var failure: String? {
        state == .failed ? Printable.cut(failures.joined(separator: "; "), to: 512) : nil
    }

    /// Each failed action with its reason.
    var failures: [String] { actions.compactMap(\.failure).map { "\($0.action): \($0.why)" } }
}

extension MonitorLane {
    /// Whether the monitor follows the topic.
    func follows(_ topic: Name) -> Bool { topics.contains { $0.matches(topic) } }

    /// Makes the report of a cycle that has not ended.
    func part(_ state: Evaluation.State) -> Evaluation.Monitor {
        Evaluation.Monitor(monitor: name, cycle: nil, state: state, actions: [])
    }
}

extension Step {
    /// Publishes a monitor's new state.
    mutating func publish(_ lane: MonitorLane) {
        let now = moment
        publish(.monitor(lane.name), lane.item(at: now).json)
    }
}

extension MonitorLane {
    /// The monitor as it is at the time `now`, without its topics and its pause, as an EVENT tells it.
    func item(at now: Moment) -> MonitorItem {
        MonitorItem(
            name,
            state: state,
            cycles: cycles,
            last: last?.item(at: now),
            failure: trouble,
            nextUnixMilliseconds: nextCycle.map { now.unix(of: $0) }
        )
    }
}

extension MonitorLane.Outcome {
    /// The outcome of an ended cycle, from the cycle's report.
    init(_ part: Evaluation.Monitor) {
        self = part.cycle == nil ? .stopped : part.failure.map { .failed($0) } ?? .ran
    }
}

extension MonitorItem.Failure {
    /// Restores that a cycle of an earlier worker failed.
    init(_ record: TroubleRecord) {
        self.init(count: 1, unixMilliseconds: record.since, reason: Errors.failedBefore(record.monitor))
    }
}

extension JournalEntry {
    /// Makes the entry for the end of a monitor's cycle, with its causes and its outcome.
    init(_ part: Evaluation.Monitor, for causes: MonitorCauses, at now: Moment) {
        self.init(at: now.unixMilliseconds, "cycle_\(part.state.rawValue)", monitor: part.monitor)
        details["cycle"] = part.cycle.map { .integer(Int64($0)) }
        details["notifications"] = .integer(Int64(causes.count))
        // A line has room for only a few topics; the number of notifications includes the others.
        let topics = causes.topics.prefix(8).map { JSONValue.string("\($0.topic) by \($0.publisher)") }
        if !topics.isEmpty { details["topics"] = .array(topics) }
        let actions = part.actions.prefix(32).map { JSONValue.string($0.inShort) }
        if !actions.isEmpty { details["actions"] = .array(actions) }
    }
}
