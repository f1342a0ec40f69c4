import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Shows the current runs, signals and monitors of the core.
struct Reader {
    let runs: Runs
    let signals: Signals
    let monitors: Monitors
    let pauses: Pauses
    let access: AccessPolicy
    /// The principal that reads.
    let principal: String
    let now: Moment

    /// The most bytes of a page's items; the rest of the frame is for the other fields of the message.
    static let pageSizeInBytes = 900 * 1024

    func item(_ run: RunMachine) -> RunItem {
        var item = item(run.id, run.pipeline, run.standing, run.request, accepted: run.terms.accepted)
        (item.principal, item.title) = (run.principal, run.terms.title)
        item.action = run.place?.action ?? run.course.next
        if run.standing == .waiting {
            item.signal = run.waiters.lazy.compactMap(\.signal).first.map { SignalID($0) }
        }
        if case .attempt(let due) = run.stop?.wait, run.standing == .retrying { item.dueUnixMilliseconds = due }
        item.reason = run.reason.map { Printable.cut($0, to: Self.longestReason) }
        if run.standing == .queued { item.pause = pause(ofRunsOf: run.pipeline) }
        (item.key, item.holder) = (run.terms.key?.value, holder(ofKeyOf: run))
        return item
    }

    func item(_ run: EndedRun) -> RunItem {
        var item = item(
            run.id,
            run.pipeline,
            StateReport.State(run.result.state),
            run.request,
            accepted: run.accepted
        )
        (item.principal, item.title, item.endedUnixMilliseconds) = (run.principal, run.title, run.ended)
        if !run.result.reason.isEmpty { item.reason = Printable.cut(run.result.reason, to: Self.longestReason) }
        return item
    }

    /// The most bytes of a reason in a list; SHOW has the whole reason.
    private static let longestReason = 256

    private func item(
        _ run: Name,
        _ pipeline: Name,
        _ state: StateReport.State,
        _ request: RequestKey,
        accepted: Int64
    ) -> RunItem {
        var item = RunItem()
        (item.id, item.pipeline, item.state) = (RunID(run), PipelineName(pipeline), state)
        (item.request, item.acceptedUnixMilliseconds) = (request.id.text, accepted)
        return item
    }

    func item(_ lane: MonitorLane) -> MonitorItem {
        var item = lane.item(at: now)
        item.topics = lane.topics.map(\.text)
        item.pause = pauses[PauseSubject(.monitor, lane.name)].map(PauseItem.init)
        return item
    }

    func item(_ pipeline: HostedPipeline) -> PipelineItem {
        var item = PipelineItem()
        item.name = PipelineName(pipeline.name)
        item.seeds = pipeline.seeds.map { seed in
            var item = SeedItem()
            (item.key, item.type, item.isRequired) = (seed.key, seed.type.rawValue, seed.defaultValue == nil)
            item.isSecret = seed.isSecret
            if seed.defaultValue != .null, !seed.isSecret { item.defaultValue = seed.defaultValue }
            return item
        }
        item.outputs = Array(pipeline.outputs)
        item.pause = pauses[PauseSubject(.pipeline, pipeline.name)].map(PauseItem.init)
        return item
    }

    /// The run that holds the key for which a run waits; nil if there is none, or the reader may not read it.
    private func holder(ofKeyOf run: RunMachine) -> RunID? {
        guard run.account.slot == .awaited, let holder = runs.queues.keys.obstacle(of: run.id) else { return nil }
        let reader = AccessPolicy.Principal(principal)
        let ruling = access.ruling(for: reader, .read, on: holder, known: runs.known(holder))
        return ruling == .allowed ? RunID(holder) : nil
    }

    /// The pause that keeps a run queued; nil if the pipeline is not paused.
    ///
    /// If the reader may not read the pipeline, the pause has neither a principal nor a reason.
    private func pause(ofRunsOf pipeline: Name) -> PauseItem? {
        guard let pause = pauses[PauseSubject(.pipeline, pipeline)] else { return nil }
        let reader = AccessPolicy.Principal(principal)
        var item = PauseItem(pause)
        if access.ruling(for: reader, .read, on: .item(.pipeline, pipeline)) != .allowed {
            (item.principal, item.via, item.reason) = (nil, nil, nil)
        }
        return item
    }
}

// Details.
extension Reader {
    /// One item in its current state.
    ///
    /// - Throws: `BusError` with code `unknown_run`, `unknown_signal`, `unknown_monitor` or `unknown_pipeline`.
    func item(_ request: ShowRequest) throws(BusError) -> JSONObject {
        switch request.kind {
        case .run:
            if let run = runs[request.name] { return details(run).json }
            if let run = runs.ended[request.name] { return EndedRunItem(of: run, self).complete(with: nil) }
            throw Errors.unknownRun(request.name)
        case .signal:
            guard let state = signals.state(of: request.name) else {
                throw Errors.unknown(.unknownSignal, "signal", request.name)
            }
            return details(request.name, state).json
        case .monitor:
            guard let lane = monitors[request.name] else {
                throw Errors.unknown(.unknownMonitor, "monitor", request.name)
            }
            return item(lane).json
        case .pipeline:
            guard let pipeline = runs.pipelines[request.name] else {
                throw Errors.unknown(.unknownPipeline, "pipeline", request.name)
            }
            return details(pipeline).json
        case .history, .output, .worker:
            fatalError("Internal error: the reader got SHOW of the kind \(request.kind), which it cannot answer.")
        }
    }

    private func details(_ run: RunMachine) -> RunItem {
        var item = item(run)
        (item.reason, item.beganUnixMilliseconds) = (run.reason, run.began)
        item.deadlineUnixMilliseconds = run.clock.deadline.map { now.unix(of: $0) }
        // A run whose wait is over needs only a slot, so this wait is not shown.
        let open = run.waiters.filter { run.isWaiting($0.waiter) }
        item.waits = open.map { wait(of: run, for: $1) }
        (item.origin, item.actions) = (run.terms.origin?.item, run.course.actions)
        item.json.add(runs.texts(of: run, signals).json)
        return item
    }

    /// What a run waits for: a signal, or with nil the end of a run, another attempt or a redrive.
    private func wait(of run: RunMachine, for signal: Name?) -> WaitItem {
        var item = WaitItem()
        if let signal {
            let waiting = signals.waiting[signal]
            (item.action, item.state, item.signal) = (waiting?.owner.action, .waiting, SignalID(signal))
            item.deadlineUnixMilliseconds = (waiting?.deadline).map { now.unix(of: $0) }
            item.message = waiting?.terms.message
            return item
        }
        item.action = run.place?.action
        if let reason = run.parkingReason {
            (item.state, item.reason) = (.parked, reason)
        } else if let inner = run.awaitedRun {
            (item.state, item.run) = (.waiting, RunID(inner))
        } else if case .attempt(let due) = run.stop?.wait {
            (item.state, item.dueUnixMilliseconds) = (.retrying, due)
        }
        return item
    }

    /// What the worker knows of an ended run, apart from its outputs and its texts.
    func details(_ run: EndedRun) -> RunItem {
        var item = item(run)
        (item.beganUnixMilliseconds, item.origin) = (run.began, run.origin?.item)
        item.actions = run.result.actions
        if !run.result.reason.isEmpty { item.reason = run.result.reason }
        item.abandoned = run.result.abandoned
        return item
    }

    private func details(_ pipeline: HostedPipeline) -> PipelineItem {
        var item = item(pipeline)
        let load = runs.queues.load(of: pipeline.name)
        (item.slots, item.executing, item.queued) = (pipeline.slots, load.held, load.waiting)
        item.onePer = pipeline.onePer.map { rule in
            var item = OnePerItem()
            (item.key, item.group, item.newcomer) = (rule.template.text, rule.group?.text, rule.newcomer.rawValue)
            return item
        }
        item.actions = pipeline.orchestrator.registered.map { self.item($0) }
        return item
    }

    private func item(_ action: any PipelineAction) -> PipelineActionItem {
        var item = PipelineActionItem()
        item.action = action.id.rawValue
        if let gate = action as? GateAction {
            (item.gate, item.message) = (gate.signal.text, gate.message?.text)
            item.json.add(gate.rule.json)
        }
        if let request = action as? RequestAction {
            (item.request, item.waits) = (PipelineName(request.pipeline), request.waits)
        }
        item.requires = action.requires.map(\.rawValue).sorted()
        return item
    }
}

extension Request.Command {
    /// Whether the answer has ages, such as the age of a monitor's latest cycle.
    var asksForAges: Bool {
        if case .list(let list) = self { return list.kind == .monitors }
        if case .show(let show) = self { return show.kind == .monitor || show.kind == .worker }
        return false
    }
}
