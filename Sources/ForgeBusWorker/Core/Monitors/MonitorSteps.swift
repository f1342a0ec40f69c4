import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

// Notifications.
extension WorkerState {
    /// Accepts a notification with this durability; each monitor that follows its topic gets a cycle.
    mutating func notify(_ change: StateChange, _ received: Received, as durability: Durability) {
        let followers = monitors.followers(of: change.topic)
        let acceptance = Acceptance.notification(durability: durability, monitors: followers.count)
        step.answer(received.caller, received.request.id, .accepted(acceptance))
        let evaluation = change.wantsEvaluation ? openEvaluation(change, received, followers) : nil
        guard !followers.isEmpty else { return }
        let (principal, traceparent) = (received.principal, received.request.traceparent)
        let notice = Notice(change.topic, by: principal, traceparent: traceparent, body: change.body, at: step.moment)
        let isKept = durability >= .fsynced
        for monitor in followers {
            follow(monitors[monitor].notified(notice, isKept: isKept, telling: evaluation, at: step.moment), monitor)
            if isKept { keepDebt(of: monitor) }
        }
    }

    /// Accepts a publication; each monitor that follows its topic gets a cycle.
    ///
    /// If `othersMayBeLost`, earlier publications on any topic may be lost. Then all other monitors that follow a topic
    /// get a cycle, too.
    mutating func notice(_ publication: Publication, by principal: AccessPolicy.Principal, othersMayBeLost: Bool) {
        let followers = monitors.followers(of: publication.topic)
        if !followers.isEmpty {
            let (topic, traceparent, body) = (publication.topic, publication.traceparent, publication.body)
            let notice = Notice(topic, by: principal, traceparent: traceparent, body: body, at: step.moment)
            for monitor in followers {
                follow(monitors[monitor].notified(notice, telling: nil, at: step.moment), monitor)
            }
        }
        if othersMayBeLost { makeUpForLoss(except: followers) }
    }

    /// Makes up for lost publications: every monitor that follows topics gets a cycle, except those in `covered`.
    mutating func makeUpForLoss(except covered: [Int] = []) {
        for monitor in monitors.indices where !monitors[monitor].topics.isEmpty && !covered.contains(monitor) {
            follow(monitors[monitor].missed(at: step.moment), monitor)
        }
    }

    /// Stores the durable notifications that no cycle of a monitor has covered, or deletes the record if none is left.
    private mutating func keepDebt(of monitor: Int) {
        let lane = monitors[monitor]
        if lane.kept.isEmpty {
            step.forget(.debt(lane.name))
        } else {
            step.keep(.debt(lane.kept.record(of: lane.name)))
        }
    }

    private mutating func openEvaluation(
        _ change: StateChange,
        _ received: Received,
        _ followers: [Int]
    ) -> EvaluationID? {
        let (request, caller) = (received.request.id, received.caller)
        guard !followers.isEmpty else {
            step.answer(caller, request, .evaluated(Evaluation(monitors: [])))
            return nil
        }
        let names = followers.map { monitors[$0].name }
        let evaluation = evaluations.open(
            request,
            for: caller,
            received.principal,
            topic: change.topic,
            monitors: names
        )
        if let deadline = change.deadline { step.wake(.evaluation(evaluation), at: step.moment.advanced(by: deadline)) }
        return evaluation
    }
}

// Cycles.
extension WorkerState {
    /// Handles the end of a monitor's cycle: reports it, and repeats a failed cycle later.
    ///
    /// A cycle that only the interval required is reported only if it failed or was overdue, because an interval may be
    /// as short as a millisecond.
    mutating func cycleEnded(_ monitor: Int, _ outcome: MonitorOutcome) {
        let part = Evaluation.Monitor(of: monitors[monitor].name, outcome)
        let (now, causes) = (step.moment, monitors[monitor].runningCauses)
        let isReported = !monitors[monitor].isRoutine || part.failure != nil || monitors[monitor].isOverdue
        let failures = part.failures
        if !failures.isEmpty { step.emit(.warn(.cycle(part.monitor, failed: failures))) }
        let trouble = monitors[monitor].trouble
        let (told, next, keepsLess) = monitors[monitor].cycleEnded(MonitorLane.Outcome(part), at: now)
        troubleChanged(from: trouble, of: monitor, causes)
        if keepsLess { keepDebt(of: monitor) }
        answer(told, part)
        if isReported {
            step.journal(JournalEntry(part, for: causes, at: now))
            step.publish(monitors[monitor])
        }
        follow(next, monitor)
    }

    /// Reports that a monitor has begun to fail, or works again; a restart does not repeat the report of a failure.
    private mutating func troubleChanged(from old: MonitorItem.Failure?, of monitor: Int, _ causes: MonitorCauses) {
        let (name, new) = (monitors[monitor].name, monitors[monitor].trouble)
        if let old, new == nil {
            step.emit(.warn(.recovered(name, failures: old.count)))
            step.forget(.trouble(name))
        } else if old == nil, let new {
            step.keep(.trouble(TroubleRecord(monitor: name, since: new.unixMilliseconds)))
            step.report(
                Occurrence(event: .monitorFailed, monitor: name, reason: new.reason, causers: causes.principals)
            )
        }
    }

    /// Handles a change of a monitor's standing: of its exclusion, or of a cycle that it holds back.
    mutating func standingChanged(_ monitor: Int, _ standing: MonitorStanding) {
        follow(monitors[monitor].standingChanged(standing, at: step.moment), monitor)
    }

    /// Evaluates every monitor once, to cover all changes that happened while no worker listened.
    mutating func evaluateAll() {
        for monitor in monitors.indices {
            let actions = monitors[monitor].open(within: configuration.startJitter, at: step.moment)
            follow(actions, monitor)
        }
    }

    /// Prepares for the worker's stop: cycles that notifications require begin soon, and other cycles are dropped.
    mutating func drainMonitors() {
        for monitor in monitors.indices { follow(monitors[monitor].drain(at: step.moment), monitor) }
    }

    /// Handles a wake-up of a lane that is due.
    mutating func wakeMonitor(_ monitor: Int, _ wake: Int) {
        follow(monitors[monitor].woken(wake, at: step.moment), monitor)
    }

    /// Carries out what the monitor's lane has decided, such as to begin a cycle, and requests the lane's next wake-up.
    private mutating func follow(_ actions: [MonitorLane.Action], _ monitor: Int) {
        for action in actions {
            switch action {
            case .begin(let causes):
                step.emit(.runCycle(monitor: monitor, causes))
                if !monitors[monitor].isRoutine { step.publish(monitors[monitor]) }
            case .cancel: step.emit(.cancelCycle(monitor: monitor))
            case .tell(let told, .overdue): answer(told, monitors[monitor].part(.overdue))
            case .tell(let told, .excluded):
                answer(told, monitors[monitor].part(.excluded))
                step.publish(monitors[monitor])
            case .endMode:
                step.forget(.mode(monitors[monitor].name))
                step.emit(.show(nil, monitor: monitor))
            }
        }
        arm(monitor)
    }

    private mutating func arm(_ monitor: Int) {
        guard let wake = monitors[monitor].nextWake() else { return }
        step.wake(.lane(monitor: monitor, wake: wake.number), at: wake.moment)
    }
}

// Modes.
extension WorkerState {
    /// Shows a screen for `time` to the monitors that match the pattern; nil ends their current mode.
    ///
    /// The new mode replaces the current mode and its end.
    ///
    /// - Returns: How many monitors match the pattern.
    mutating func show(_ screen: String?, to pattern: NamePattern, for time: Duration) -> Int {
        let shown = monitors.indices.filter { pattern.matches(monitors[$0].name) }
        for monitor in shown { show(screen, to: monitor, for: time) }
        return shown.count
    }

    private mutating func show(_ screen: String?, to monitor: Int, for time: Duration) {
        let (name, now) = (monitors[monitor].name, step.moment)
        monitors[monitor].showScreen(for: screen.map { _ in time }, at: now)
        if let screen {
            let until = now.unix(of: now.advanced(by: time))
            step.keep(.mode(ModeRecord(monitor: name, screen: screen, until: until)))
        } else {
            step.forget(.mode(name))
        }
        step.emit(.show(screen, monitor: monitor))
        arm(monitor)
    }

    /// Restores the debts, the modes and the failing monitors of an earlier worker.
    mutating func restoreMonitors(
        _ debts: [Name: DebtRecord],
        _ modes: [Name: ModeRecord],
        _ troubles: [Name: TroubleRecord]
    ) {
        for monitor in troubles.keys.sorted() where monitors[monitor] == nil { step.forget(.trouble(monitor)) }
        for index in monitors.indices {
            if let trouble = troubles[monitors[index].name] { monitors[index].restore(trouble) }
            if let debt = debts[monitors[index].name] { monitors[index].restore(MonitorCauses(debt)) }
            guard let mode = modes[monitors[index].name] else { continue }
            let time = step.moment.at(unix: mode.until, atMost: WireLimits.timeToLive).since(step.moment)
            if time > .zero {
                show(mode.screen, to: index, for: time)
            } else {
                step.forget(.mode(mode.monitor))
            }
        }
    }
}

// EVALUATED.
extension WorkerState {
    private mutating func answer(_ told: [EvaluationID], _ part: Evaluation.Monitor) {
        for id in told {
            if let owed = evaluations.add(part, to: id) { step.emit(.answer(owed.answer, to: owed.caller)) }
        }
    }

    /// Handles the deadline of a notification: its sender gets EVALUATED with the parts so far, and nothing later.
    mutating func expire(_ id: EvaluationID) {
        guard let owed = evaluations.expire(id) else { return }
        for monitor in monitors.indices where owed.pending.contains(monitors[monitor].name) {
            monitors[monitor].forget(id)
        }
        step.emit(.answer(owed.answer, to: owed.caller))
    }

    /// Sends every waiting caller its answer with the parts so far.
    mutating func expireEvaluations() {
        for owed in evaluations.expireAll() { step.emit(.answer(owed.answer, to: owed.caller)) }
    }

    /// Ends the waits for cycles that the access policy no longer allows, and tells their callers why.
    mutating func endWaitsForCycles() {
        for (owed, error) in evaluations.endWaits(under: access) {
            step.answer(owed.caller, owed.request, .error(error))
        }
    }
}
