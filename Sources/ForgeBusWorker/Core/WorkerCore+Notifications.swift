import ForgeBusProtocol
import ForgeOrchestrator

/// What notifications do: they owe cycles, and tell whoever asked when those ended.
extension WorkerCore {
    mutating func notify(_ change: StateChange, _ received: Received, at now: Moment) {
        // A notification is kept in memory whatever the store: the evaluation at start repairs a lost one.
        let durability = Durability.memory
        if let error = closedDoor ?? shortfall(of: change.durability, given: durability) {
            return refuse(received, error)
        }
        if change.wantsEvaluation, evaluations.count >= configuration.limits.evaluations {
            return refuse(received, .busy("evaluations", "Too many notifications wait for their evaluation."))
        }
        let followers = followers(of: change.topic)
        let acceptance = Acceptance.notification(durability: durability, monitors: followers.count)
        emit(.answer(Answer(to: received.request.id, .accepted(acceptance)), to: received.peer))
        let evaluation = change.wantsEvaluation ? openEvaluation(change, received, followers, at: now) : nil
        for monitor in followers { notify(monitor, telling: evaluation, at: now) }
    }

    /// The monitors that follow a topic; looked up once, because topics come again and again.
    private mutating func followers(of topic: Topic) -> [Int] {
        if let known = followers[topic] { return known }
        let found = lanes.indices.filter { lanes[$0].follows(topic) }
        if followers.count >= Self.rememberedTopics { followers = [:] }
        followers[topic] = found
        return found
    }

    /// How many topics are remembered: whoever sends ever new ones costs no memory.
    private static let rememberedTopics = 4096

    private mutating func openEvaluation(_ change: StateChange, _ received: Received, _ monitors: [Int], at now: Moment)
        -> EvaluationID?
    {
        guard !monitors.isEmpty else {
            let nothing = Answer(to: received.request.id, .evaluated(Evaluation(monitors: [])))
            emit(.answer(nothing, to: received.peer))
            return nil
        }
        let names = monitors.map { lanes[$0].name }
        let evaluation = evaluations.open(received.request.id, for: received.peer, monitors: names)
        if let deadline = change.deadline { deadlines.add(.evaluation(evaluation), at: now.advanced(by: deadline)) }
        return evaluation
    }

    private mutating func notify(_ monitor: Int, telling evaluation: EvaluationID?, at now: Moment) {
        guard lanes[monitor].isHeldBack else {
            return follow(lanes[monitor].notified(telling: evaluation, at: now), monitor)
        }
        // The exclusion may have lifted since, and the cycle that was held back have begun: this owes one more.
        follow(lanes[monitor].notified(telling: nil, at: now), monitor)
        if let evaluation { answer([evaluation], lanes[monitor].excluded) }
    }

    mutating func cycleEnded(_ monitor: Int, _ outcome: MonitorOutcome, at now: Moment) {
        let (told, next) = lanes[monitor].cycleEnded(at: now)
        switch outcome {
        case .ran(let cycle):
            let part = Evaluation.Monitor(
                monitor: lanes[monitor].name,
                cycle: cycle.number,
                state: cycle.isFailed ? .failed : .ran,
                actions: cycle.actions.map(ActionOutcome.init)
            )
            answer(told, part)
        case .stopped:
            let name = lanes[monitor].name
            answer(told, Evaluation.Monitor(monitor: name, cycle: nil, state: .ran, actions: []))
        }
        follow(next, monitor)
        reportIfDrained()
    }

    mutating func cycleHeldBack(_ monitor: Int) {
        let told = lanes[monitor].heldBack()
        answer(told, lanes[monitor].excluded)
    }

    private mutating func answer(_ told: [EvaluationID], _ part: Evaluation.Monitor) {
        for id in told {
            if let owed = evaluations.add(part, to: id) { emit(.answer(owed.answer, to: owed.peer)) }
        }
    }

    /// The sender's deadline passed: it is told what is known, and not told again.
    mutating func tell(_ owed: EvaluationBook.Owed, forgetting id: EvaluationID) {
        for monitor in lanes.indices where owed.pending.contains(lanes[monitor].name) { lanes[monitor].forget(id) }
        emit(.answer(owed.answer, to: owed.peer))
    }

    mutating func follow(_ action: MonitorLane.Action, _ monitor: Int) {
        switch action {
        case .none: break
        case .wait(let moment): deadlines.add(.gap(monitor: monitor), at: moment)
        case .run: emit(.runCycle(monitor: monitor))
        }
    }
}

extension MonitorLane {
    /// Whether the monitor follows the topic.
    func follows(_ topic: Topic) -> Bool { topics.contains { $0.matches(topic) } }

    /// What whoever asks is told while an excluded screen is showing.
    fileprivate var excluded: Evaluation.Monitor {
        Evaluation.Monitor(monitor: name, cycle: nil, state: .excluded, actions: [])
    }
}

extension ActionOutcome {
    /// The library's report in the protocol's words.
    init(_ report: ActionReport) {
        let result: Result =
            switch report.result {
            case .completed: .completed
            case .skipped: .skipped
            case .failed(let reason): .failed(reason)
            }
        self.init(action: report.id.rawValue, result: result, start: report.start, duration: report.duration)
    }
}
