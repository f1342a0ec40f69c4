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

    func item(_ run: RunMachine) -> JSONObject {
        var item = item(run.id, run.pipeline, run.standing.rawValue, run.request, accepted: run.terms.accepted)
        item["principal"] = .string(run.principal)
        item["title"] = run.terms.title.map { .string($0) }
        item["action"] = (run.place?.action ?? run.course.next).map { .string($0) }
        if run.standing == .waiting {
            item["signal"] = run.waiters.lazy.compactMap(\.signal).first.map { .string($0.text) }
        }
        if case .attempt(let due) = run.stop?.wait, run.standing == .retrying {
            item["due_at_ms"] = .integer(due)
        }
        item["reason"] = run.reason.map { .string(Printable.cut($0, to: Self.longestReason)) }
        if run.standing == .queued { item["paused"] = pause(ofRunsOf: run.pipeline) }
        return item
    }

    func item(_ run: EndedRun) -> JSONObject {
        var item = item(run.id, run.pipeline, run.result.state.rawValue, run.request, accepted: run.accepted)
        item["principal"] = .string(run.principal)
        item["title"] = run.title.map { .string($0) }
        item["ended_at_ms"] = .integer(run.ended)
        if !run.result.reason.isEmpty {
            item["reason"] = .string(Printable.cut(run.result.reason, to: Self.longestReason))
        }
        return item
    }

    /// The most bytes of a reason in a list; SHOW has the whole reason.
    private static let longestReason = 256

    private func item(
        _ run: Name,
        _ pipeline: Name,
        _ state: String,
        _ request: RequestKey,
        accepted: Int64
    ) -> JSONObject {
        [
            "run": .string(run.text), "pipeline": .string(pipeline.text), "state": .string(state),
            "id": .string(request.id.text), "accepted_at_ms": .integer(accepted),
        ]
    }

    func item(_ lane: MonitorLane) -> JSONObject {
        var item = lane.item(at: now)
        item.topics = lane.topics.map(\.text)
        item.pause = pauses[PauseSubject(.monitor, lane.name)].map(PauseItem.init)
        return item.json
    }

    func item(_ pipeline: HostedPipeline) -> JSONObject {
        let seeds = pipeline.seeds.map { seed in
            var item: JSONObject = ["key": .string(seed.key), "type": .string(seed.type.rawValue)]
            item["required"] = .bool(seed.defaultValue == nil)
            if seed.isSecret { item["secret"] = true }
            if let value = seed.defaultValue, value != .null, !seed.isSecret { item["default"] = value }
            return JSONValue.object(item)
        }
        var item: JSONObject = [
            "pipeline": .string(pipeline.name.text),
            "seeds": .array(seeds),
            "outputs": .array(pipeline.outputs.map { .string($0) }),
        ]
        item["paused"] = pauses[PauseSubject(.pipeline, pipeline.name)].map { .object(PauseItem($0).json) }
        return item
    }

    /// The pause that keeps a run queued; nil if the pipeline is not paused.
    ///
    /// If the reader may not read the pipeline, the pause has neither a principal nor a reason.
    private func pause(ofRunsOf pipeline: Name) -> JSONValue? {
        guard let pause = pauses[PauseSubject(.pipeline, pipeline)] else { return nil }
        let reader = AccessPolicy.Principal(principal)
        var item = PauseItem(pause)
        if access.ruling(for: reader, .read, on: .item(.pipeline, pipeline)) != .allowed {
            (item.principal, item.via, item.reason) = (nil, nil, nil)
        }
        return .object(item.json)
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
            if let run = runs[request.name] { return details(run) }
            if let run = runs.ended[request.name] { return EndedRunItem(of: run, self).complete(with: nil) }
            throw Errors.unknownRun(request.name)
        case .signal:
            guard let state = signals.state(of: request.name) else {
                throw Errors.unknown(.unknownSignal, "signal", request.name)
            }
            return details(request.name, state)
        case .monitor:
            guard let lane = monitors[request.name] else {
                throw Errors.unknown(.unknownMonitor, "monitor", request.name)
            }
            return item(lane)
        case .pipeline:
            guard let pipeline = runs.pipelines[request.name] else {
                throw Errors.unknown(.unknownPipeline, "pipeline", request.name)
            }
            return details(pipeline)
        case .history, .output, .worker:
            fatalError("Internal error: the reader got SHOW of the kind \(request.kind), which it cannot answer.")
        }
    }

    private func details(_ run: RunMachine) -> JSONObject {
        var item = item(run)
        item["reason"] = run.reason.map { .string($0) }
        item["began_at_ms"] = run.began.map { .integer($0) }
        item["deadline_at_ms"] = run.clock.deadline.map { .integer(now.unix(of: $0)) }
        // A run whose wait is over needs only a slot, so this wait is not shown.
        let open = run.waiters.filter { run.isWaiting($0.waiter) }
        let waits = open.map { waiter, signal in JSONValue.object(details(run, signal)) }
        if !waits.isEmpty { item["waits"] = .array(waits) }
        item["origin"] = run.terms.origin.map { .object($0.json) }
        if !run.course.actions.isEmpty { item["actions"] = .array(run.course.actions.map { .object($0.json) }) }
        item.add(runs.texts(of: run, signals))
        return item
    }

    private func details(_ run: RunMachine, _ signal: Name?) -> JSONObject {
        var item: JSONObject = [:]
        if let signal {
            let waiting = signals.waiting[signal]
            item["action"] = (waiting?.owner.action).map { .string($0) }
            (item["state"], item["signal"]) = ("waiting", .string(signal.text))
            item["deadline_at_ms"] = (waiting?.deadline).map { .integer(now.unix(of: $0)) }
            item["message"] = (waiting?.terms.message).map { .string($0) }
            return item
        }
        item["action"] = (run.place?.action).map { .string($0) }
        if let reason = run.parkingReason {
            (item["state"], item["reason"]) = ("parked", .string(reason))
        } else if let inner = run.awaitedRun {
            (item["state"], item["run"]) = ("waiting", .string(inner.text))
        } else if case .attempt(let due) = run.stop?.wait {
            (item["state"], item["due_at_ms"]) = ("retrying", .integer(due))
        }
        return item
    }

    /// What the worker knows of an ended run, apart from its outputs and its texts.
    func details(_ run: EndedRun) -> JSONObject {
        var item = item(run)
        item["began_at_ms"] = run.began.map { .integer($0) }
        item["origin"] = run.origin.map { .object($0.json) }
        if !run.result.actions.isEmpty { item["actions"] = .array(run.result.actions.map { .object($0.json) }) }
        if !run.result.reason.isEmpty { item["reason"] = .string(run.result.reason) }
        if !run.result.abandoned.isEmpty { item["abandoned"] = .array(run.result.abandoned.map { .string($0) }) }
        return item
    }

    private func details(_ pipeline: HostedPipeline) -> JSONObject {
        var item = item(pipeline)
        let load = runs.queues.load(of: pipeline.name)
        item["slots"] = .integer(Int64(pipeline.slots))
        item["executing"] = .integer(Int64(load.held))
        item["queued"] = .integer(Int64(load.waiting))
        item["actions"] = .array(pipeline.orchestrator.registered.map { .object(action($0)) })
        return item
    }

    private func action(_ action: any PipelineAction) -> JSONObject {
        var item: JSONObject = ["action": .string(action.id.rawValue)]
        if let gate = action as? GateAction {
            item["gate"] = .string(gate.signal.text)
            item["message"] = gate.message.map { .string($0.text) }
            item.add(gate.rule.json)
        }
        if let request = action as? RequestAction {
            (item["request"], item["wait"]) = (.string(request.pipeline.text), .bool(request.waits))
        }
        if !action.requires.isEmpty {
            item["requires"] = .array(action.requires.sorted().map { .string($0.rawValue) })
        }
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
