import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// What notifications do: they owe cycles, and tell whoever asked when those ended.
extension WorkerCore {
    mutating func notify(_ change: StateChange, _ received: Received, at now: Moment) {
        // Unless it asks for more it is kept in memory whatever the store: the evaluation at start repairs a lost one.
        let durability = change.durability ?? .memory
        if let error = closedDoor ?? shortfall(of: durability, given: configuration.durability) {
            return refuse(received, error)
        }
        if change.wantsEvaluation, evaluations.count >= configuration.limits.evaluations {
            return refuse(received, .busy("evaluations", "Too many notifications wait for their evaluation."))
        }
        let followers = followers(of: change.topic)
        let acceptance = Acceptance.notification(durability: durability, monitors: followers.count)
        emit(.answer(Answer(to: received.request.id, .accepted(acceptance)), to: received.caller))
        let evaluation = change.wantsEvaluation ? openEvaluation(change, received, followers, at: now) : nil
        guard !followers.isEmpty else { return }
        let notice = Notice(change, received, at: now)
        let isKept = durability == .fsynced
        for monitor in followers {
            follow(lanes[monitor].notified(notice, isKept: isKept, telling: evaluation, at: now), monitor)
            if isKept { keepDebt(of: monitor) }
        }
    }

    /// The store keeps what is owed a monitor, as far as it is to survive.
    private mutating func keepDebt(of monitor: Int) {
        let lane = lanes[monitor]
        if lane.kept.isEmpty { forget(.debt(lane.name)) } else { keep(.debt(lane.kept.record(of: lane.name))) }
    }

    /// The monitors that follow a topic; looked up once, because topics come again and again.
    mutating func followers(of topic: Topic) -> [Int] {
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
            emit(.answer(nothing, to: received.caller))
            return nil
        }
        let names = monitors.map { lanes[$0].name }
        let (id, caller) = (received.request.id, received.caller)
        let evaluation = evaluations.open(id, for: caller, received.principal, monitors: names)
        if let deadline = change.deadline { deadlines.add(.evaluation(evaluation), at: now.advanced(by: deadline)) }
        return evaluation
    }

    mutating func cycleEnded(_ monitor: Int, _ outcome: MonitorOutcome, at now: Moment) {
        let part = Evaluation.Monitor(of: lanes[monitor].name, outcome)
        if configuration.keepsRecords { journal(part, for: lanes[monitor].runningCauses) }
        let failures = part.actions.compactMap(\.failure).map { "\($0.action): \($0.why)" }
        if !failures.isEmpty { emit(.warn(.cycle(part.monitor, failed: failures))) }
        let (told, next, keepsLess) = lanes[monitor].cycleEnded(isFailed: part.state == .failed, at: now)
        if keepsLess { keepDebt(of: monitor) }
        answer(told, part)
        publish(monitor: monitor)
        follow(next, monitor)
        reportIfDrained()
    }

    mutating func standingChanged(_ monitor: Int, _ standing: MonitorStanding, at now: Moment) {
        follow(lanes[monitor].standingChanged(standing, at: now), monitor)
        reportIfDrained()
    }

    /// Every monitor is evaluated once: whatever was said while nobody listened is covered by that.
    mutating func evaluateAll(at now: Moment) {
        for monitor in lanes.indices {
            follow(lanes[monitor].evaluateAtStart(within: configuration.startJitter, at: now), monitor)
        }
    }

    /// The worker stops: what notifications owe is evaluated soon, and nothing else any more.
    mutating func drainMonitors(at now: Moment) {
        for monitor in lanes.indices { follow(lanes[monitor].drain(at: now), monitor) }
    }

    /// Shows a screen to monitors for a while; nil shows none, and ends what is shown.
    ///
    /// It takes the place of the mode that was on, its time included.
    ///
    /// - Returns: How many monitors are meant.
    mutating func applyMode(_ screen: String?, to pattern: NamePattern, for time: Duration, at now: Moment) -> Int {
        let monitors = lanes.indices.filter { pattern.matches(lanes[$0].name) }
        for monitor in monitors { show(screen, to: monitor, for: time, at: now) }
        return monitors.count
    }

    mutating func show(_ screen: String?, to monitor: Int, for time: Duration, at now: Moment) {
        lanes[monitor].showScreen(for: screen.map { _ in time }, at: now)
        keepMode(screen, of: monitor, until: now.unix(of: now.advanced(by: time)))
        emit(.show(screen, monitor: monitor))
        arm(monitor)
    }

    private mutating func keepMode(_ screen: String?, of monitor: Int, until: Int64) {
        let name = lanes[monitor].name
        if let screen {
            keep(.mode(ModeRecord(monitor: name, screen: screen, until: until)))
        } else {
            forget(.mode(name))
        }
    }

    /// What a lane waited for is due.
    mutating func wake(_ monitor: Int, _ wake: Int, at now: Moment) {
        follow(lanes[monitor].woken(wake, at: now), monitor)
    }

    private mutating func answer(_ told: [EvaluationID], _ part: Evaluation.Monitor) {
        for id in told {
            if let owed = evaluations.add(part, to: id) { emit(.answer(owed.answer, to: owed.caller)) }
        }
    }

    /// The sender's deadline passed: it is told what is known, and not told again.
    mutating func tell(_ owed: EvaluationBook.Owed, forgetting id: EvaluationID) {
        for monitor in lanes.indices where owed.pending.contains(lanes[monitor].name) { lanes[monitor].forget(id) }
        emit(.answer(owed.answer, to: owed.caller))
    }

    /// Does what a lane wants done, and asks for its next waking.
    mutating func follow(_ actions: [MonitorLane.Action], _ monitor: Int) {
        for action in actions {
            switch action {
            case .begin(let causes):
                emit(.runCycle(monitor: monitor, causes))
                publish(monitor: monitor)
            case .cancel: emit(.cancelCycle(monitor: monitor))
            case .tell(let told, .overdue): answer(told, lanes[monitor].part(.overdue))
            case .tell(let told, .excluded):
                answer(told, lanes[monitor].part(.excluded))
                publish(monitor: monitor)
            case .endMode:
                forget(.mode(lanes[monitor].name))
                emit(.show(nil, monitor: monitor))
            }
        }
        arm(monitor)
    }

    private mutating func arm(_ monitor: Int) {
        guard let wake = lanes[monitor].nextWake() else { return }
        deadlines.add(.lane(monitor: monitor, wake: wake.number), at: wake.moment)
    }
}

extension Notice {
    fileprivate init(_ change: StateChange, _ received: Received, at now: Moment) {
        self.init(
            change.topic,
            by: received.principal.ledgerName,
            traceparent: received.request.traceparent,
            body: change.body,
            at: now.unixMilliseconds
        )
    }
}

extension Evaluation.Monitor {
    /// What a cycle that is over says.
    fileprivate init(of monitor: Name, _ outcome: MonitorOutcome) {
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
    fileprivate func part(_ state: Evaluation.State) -> Evaluation.Monitor {
        Evaluation.Monitor(monitor: name, cycle: nil, state: state, actions: [])
    }
}

extension ActionOutcome {
    /// The action and why it failed; nil if it did not.
    var failure: (action: String, why: String)? {
        if case .failed(let why) = result { (action, why) } else { nil }
    }

    /// The library's report in the protocol's words.
    init(_ report: ActionReport) {
        let result: Result =
            switch report.result {
            case .completed: .completed
            case .skipped: .skipped
            case .failed(let reason): .failed(reason.asReason)
            }
        self.init(action: report.id.rawValue, result: result, start: report.start, duration: report.duration)
    }
}
