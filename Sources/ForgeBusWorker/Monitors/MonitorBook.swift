import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// All monitors, the cycles that are due, and the callers that wait for those cycles.
struct MonitorBook {
    private(set) var lanes: [MonitorLane]
    /// The EVALUATED answers that callers wait for.
    private(set) var evaluations = EvaluationBook()
    /// The indices of the monitors that follow a topic, by topic; only for topics that came recently.
    private var followers: [Name: [Int]] = [:]
    private let configuration: CoreConfiguration

    init(_ configuration: CoreConfiguration) {
        lanes = configuration.monitors.map { monitor in
            MonitorLane(
                name: monitor.name,
                topics: monitor.topics,
                timing: monitor.timing,
                seed: configuration.runPrefix
            )
        }
        self.configuration = configuration
    }

    subscript(name: Name) -> MonitorLane? { lanes.first { $0.name == name } }

    /// Whether a stopping worker has no cycle left to wait for.
    var areSettled: Bool { lanes.allSatisfy(\.isSettled) }

    /// Whether the maximum number of callers waits for an EVALUATED answer.
    var isFull: Bool { evaluations.count >= configuration.limits.evaluations }
}

// Notifications.
extension MonitorBook {
    /// Accepts a notification with this durability; each monitor that follows its topic gets a cycle.
    mutating func notify(_ change: StateChange, _ received: Received, as durability: Durability, _ out: inout Outbox) {
        let followers = followers(of: change.topic)
        let acceptance = Acceptance.notification(durability: durability, monitors: followers.count)
        out.answer(received.caller, received.request.id, .accepted(acceptance))
        let evaluation = change.wantsEvaluation ? openEvaluation(change, received, followers, &out) : nil
        guard !followers.isEmpty else { return }
        let (principal, traceparent) = (received.principal, received.request.traceparent)
        let notice = Notice(change.topic, by: principal, traceparent: traceparent, body: change.body, at: out.moment)
        let isKept = durability >= .fsynced
        for monitor in followers {
            follow(lanes[monitor].notified(notice, isKept: isKept, telling: evaluation, at: out.moment), monitor, &out)
            if isKept { keepDebt(of: monitor, &out) }
        }
    }

    /// Accepts a publication; each monitor that follows its topic gets a cycle.
    ///
    /// If `othersMayBeLost`, earlier publications on any topic may be lost. Then all other monitors that follow a topic
    /// get a cycle, too.
    mutating func published(
        _ publication: Publication,
        by principal: AccessPolicy.Principal,
        othersMayBeLost: Bool,
        _ out: inout Outbox
    ) {
        let followers = followers(of: publication.topic)
        if !followers.isEmpty {
            let (topic, traceparent, body) = (publication.topic, publication.traceparent, publication.body)
            let notice = Notice(topic, by: principal, traceparent: traceparent, body: body, at: out.moment)
            for monitor in followers {
                follow(lanes[monitor].notified(notice, telling: nil, at: out.moment), monitor, &out)
            }
        }
        if othersMayBeLost { makeUpForLoss(except: followers, &out) }
    }

    /// Makes up for lost publications: every monitor that follows topics gets a cycle, except those in `covered`.
    mutating func makeUpForLoss(except covered: [Int] = [], _ out: inout Outbox) {
        for monitor in lanes.indices where !lanes[monitor].topics.isEmpty && !covered.contains(monitor) {
            follow(lanes[monitor].missed(at: out.moment), monitor, &out)
        }
    }

    /// The indices of the monitors that follow a topic; the book remembers them, because the same topics come again.
    private mutating func followers(of topic: Name) -> [Int] {
        if let known = followers[topic] { return known }
        let found = lanes.indices.filter { lanes[$0].follows(topic) }
        if followers.count >= Self.rememberedTopics { followers = [:] }
        followers[topic] = found
        return found
    }

    /// The most topics that the book remembers, so that new topics cannot fill the memory.
    private static let rememberedTopics = 4096

    /// Stores the durable notifications that no cycle of a monitor has covered, or deletes the record if none is left.
    private func keepDebt(of monitor: Int, _ out: inout Outbox) {
        let lane = lanes[monitor]
        if lane.kept.isEmpty { out.forget(.debt(lane.name)) } else { out.keep(.debt(lane.kept.record(of: lane.name))) }
    }

    private mutating func openEvaluation(
        _ change: StateChange,
        _ received: Received,
        _ monitors: [Int],
        _ out: inout Outbox
    ) -> EvaluationID? {
        let (request, caller) = (received.request.id, received.caller)
        guard !monitors.isEmpty else {
            out.answer(caller, request, .evaluated(Evaluation(monitors: [])))
            return nil
        }
        let names = monitors.map { lanes[$0].name }
        let evaluation = evaluations.open(
            request,
            for: caller,
            received.principal,
            topic: change.topic,
            monitors: names
        )
        if let deadline = change.deadline { out.wake(.evaluation(evaluation), at: out.moment.advanced(by: deadline)) }
        return evaluation
    }
}

// Cycles.
extension MonitorBook {
    /// Handles the end of a monitor's cycle: reports it, and repeats a failed cycle later.
    ///
    /// A cycle that only the interval required is reported only if it failed or was overdue, because an interval may be
    /// as short as a millisecond.
    mutating func cycleEnded(_ monitor: Int, _ outcome: MonitorOutcome, _ out: inout Outbox) {
        let part = Evaluation.Monitor(of: lanes[monitor].name, outcome)
        let (now, causes) = (out.moment, lanes[monitor].runningCauses)
        let isReported = !lanes[monitor].isRoutine || part.failure != nil || lanes[monitor].isOverdue
        let failures = part.failures
        if !failures.isEmpty { out.emit(.warn(.cycle(part.monitor, failed: failures))) }
        let trouble = lanes[monitor].trouble
        let (told, next, keepsLess) = lanes[monitor].cycleEnded(MonitorLane.Outcome(part), at: now)
        troubleChanged(from: trouble, of: monitor, causes, &out)
        if keepsLess { keepDebt(of: monitor, &out) }
        answer(told, part, &out)
        if isReported {
            out.journal(JournalEntry(part, for: causes, at: now))
            out.publish(lanes[monitor])
        }
        follow(next, monitor, &out)
    }

    /// Reports that a monitor has begun to fail, or works again; a restart does not repeat the report of a failure.
    private func troubleChanged(
        from old: MonitorItem.Failure?,
        of monitor: Int,
        _ causes: MonitorCauses,
        _ out: inout Outbox
    ) {
        let (name, new) = (lanes[monitor].name, lanes[monitor].trouble)
        if let old, new == nil {
            out.emit(.warn(.recovered(name, failures: old.count)))
            out.forget(.trouble(name))
        } else if old == nil, let new {
            out.keep(.trouble(TroubleRecord(monitor: name, since: new.unixMilliseconds)))
            out.report(
                Occurrence(event: .monitorFailed, monitor: name, reason: new.reason, causers: causes.principals)
            )
        }
    }

    /// Handles a change of a monitor's standing: of its exclusion, or of a cycle that it holds back.
    mutating func standingChanged(_ monitor: Int, _ standing: MonitorStanding, _ out: inout Outbox) {
        follow(lanes[monitor].standingChanged(standing, at: out.moment), monitor, &out)
    }

    /// Evaluates every monitor once, to cover all changes that happened while no worker listened.
    mutating func evaluateAll(_ out: inout Outbox) {
        for monitor in lanes.indices {
            let actions = lanes[monitor].open(within: configuration.startJitter, at: out.moment)
            follow(actions, monitor, &out)
        }
    }

    /// Prepares for the worker's stop: cycles that notifications require begin soon, and other cycles are dropped.
    mutating func drain(_ out: inout Outbox) {
        for monitor in lanes.indices { follow(lanes[monitor].drain(at: out.moment), monitor, &out) }
    }

    /// Handles a wake-up of a lane that is due.
    mutating func wake(_ monitor: Int, _ wake: Int, _ out: inout Outbox) {
        follow(lanes[monitor].woken(wake, at: out.moment), monitor, &out)
    }

    /// Carries out what the monitor's lane has decided, such as to begin a cycle, and requests the lane's next wake-up.
    private mutating func follow(_ actions: [MonitorLane.Action], _ monitor: Int, _ out: inout Outbox) {
        for action in actions {
            switch action {
            case .begin(let causes):
                out.emit(.runCycle(monitor: monitor, causes))
                if !lanes[monitor].isRoutine { out.publish(lanes[monitor]) }
            case .cancel: out.emit(.cancelCycle(monitor: monitor))
            case .tell(let told, .overdue): answer(told, lanes[monitor].part(.overdue), &out)
            case .tell(let told, .excluded):
                answer(told, lanes[monitor].part(.excluded), &out)
                out.publish(lanes[monitor])
            case .endMode:
                out.forget(.mode(lanes[monitor].name))
                out.emit(.show(nil, monitor: monitor))
            }
        }
        arm(monitor, &out)
    }

    private mutating func arm(_ monitor: Int, _ out: inout Outbox) {
        guard let wake = lanes[monitor].nextWake() else { return }
        out.wake(.lane(monitor: monitor, wake: wake.number), at: wake.moment)
    }
}

// Modes.
extension MonitorBook {
    /// Shows a screen for `time` to the monitors that match the pattern; nil ends their current mode.
    ///
    /// The new mode replaces the current mode and its end.
    ///
    /// - Returns: How many monitors match the pattern.
    mutating func show(_ screen: String?, to pattern: NamePattern, for time: Duration, _ out: inout Outbox) -> Int {
        let monitors = lanes.indices.filter { pattern.matches(lanes[$0].name) }
        for monitor in monitors { show(screen, to: monitor, for: time, &out) }
        return monitors.count
    }

    /// Keeps a monitor from beginning cycles, or allows it again; the monitor then reports its standing.
    func setPaused(_ isPaused: Bool, _ name: Name, _ out: inout Outbox) {
        guard let monitor = lanes.firstIndex(where: { $0.name == name }) else { return }
        out.emit(.pause(isPaused, monitor: monitor))
    }

    private mutating func show(_ screen: String?, to monitor: Int, for time: Duration, _ out: inout Outbox) {
        let (name, now) = (lanes[monitor].name, out.moment)
        lanes[monitor].showScreen(for: screen.map { _ in time }, at: now)
        if let screen {
            let until = now.unix(of: now.advanced(by: time))
            out.keep(.mode(ModeRecord(monitor: name, screen: screen, until: until)))
        } else {
            out.forget(.mode(name))
        }
        out.emit(.show(screen, monitor: monitor))
        arm(monitor, &out)
    }

    /// Restores the debts, the modes and the failing monitors of an earlier worker.
    mutating func restore(
        _ debts: [Name: DebtRecord],
        _ modes: [Name: ModeRecord],
        _ troubles: [Name: TroubleRecord],
        _ out: inout Outbox
    ) {
        for monitor in troubles.keys.sorted() where self[monitor] == nil { out.forget(.trouble(monitor)) }
        for index in lanes.indices {
            if let trouble = troubles[lanes[index].name] { lanes[index].restore(trouble) }
            if let debt = debts[lanes[index].name] { lanes[index].restore(MonitorCauses(debt)) }
            guard let mode = modes[lanes[index].name] else { continue }
            let time = out.moment.at(unix: mode.until, atMost: WireLimits.timeToLive).since(out.moment)
            if time > .zero {
                show(mode.screen, to: index, for: time, &out)
            } else {
                out.forget(.mode(mode.monitor))
            }
        }
    }
}

// EVALUATED.
extension MonitorBook {
    private mutating func answer(_ told: [EvaluationID], _ part: Evaluation.Monitor, _ out: inout Outbox) {
        for id in told {
            if let owed = evaluations.add(part, to: id) { out.emit(.answer(owed.answer, to: owed.caller)) }
        }
    }

    /// Handles the deadline of a notification: its sender gets EVALUATED with the parts so far, and nothing later.
    mutating func expire(_ id: EvaluationID, _ out: inout Outbox) {
        guard let owed = evaluations.expire(id) else { return }
        for monitor in lanes.indices where owed.pending.contains(lanes[monitor].name) { lanes[monitor].forget(id) }
        out.emit(.answer(owed.answer, to: owed.caller))
    }

    /// Sends every waiting caller its answer with the parts so far.
    mutating func expireAll(_ out: inout Outbox) {
        for owed in evaluations.expireAll() { out.emit(.answer(owed.answer, to: owed.caller)) }
    }

    /// Ends the waits for cycles that a new policy no longer allows, and tells their callers why.
    mutating func endWaits(under policy: AccessPolicy, _ out: inout Outbox) {
        for (owed, error) in evaluations.endWaits(under: policy) {
            out.answer(owed.caller, owed.request, .error(error))
        }
    }

    /// Drops the answers to a caller.
    mutating func forgetEvaluations(of caller: Caller) { evaluations.forgetAll(of: caller) }
}
