import ForgeBusProtocol
import ForgeBusStore

/// What the worker shows of its books.
extension WorkerCore {
    /// A page of a kind, in the order of the names: only what stands on it is made.
    func page(_ request: ListRequest) -> Page {
        var keys = PageKeys(after: request.cursor, atMost: request.limit)
        switch request.kind {
        case .runs:
            for run in runs.keys { keys.offer(run) }
            for (run, _) in ended { keys.offer(run) }
        case .signals: for signal in gates.waitingSignals { keys.offer(signal) }
        case .monitors: for lane in lanes { keys.offer(lane.name) }
        case .pipelines: for pipeline in pipelines.keys { keys.offer(pipeline) }
        }
        let page = keys.page
        return Page(items: page.names.compactMap { item(request.kind, $0) }, cursor: page.cursor)
    }

    private func item(_ kind: ListKind, _ name: Name) -> JSONObject? {
        switch kind {
        case .runs:
            if let run = runs[name] { return item(run) }
            return ended[name].map { item($0) }
        case .signals: return gates.waiting(under: name).map { item(name, $0) }
        case .monitors: return lanes.first { $0.name == name }.map { item($0) }
        case .pipelines: return pipelines[name].map { item($0) }
        }
    }

    func item(_ run: Run) -> JSONObject {
        item(run.id, run.pipeline, run.standing.rawValue, run.request, accepted: run.terms.accepted)
    }

    func item(_ run: EndedRun) -> JSONObject {
        item(run.result.run, run.pipeline, run.result.state.rawValue, run.request, accepted: run.accepted)
    }

    private func item(
        _ run: RunID,
        _ pipeline: PipelineName,
        _ state: String,
        _ request: RequestKey,
        accepted: Int64
    ) -> JSONObject {
        [
            "run": .string(run.text), "pipeline": .string(pipeline.text), "state": .string(state),
            "id": .string(request.id.text), "accepted_at_ms": .integer(accepted),
        ]
    }

    func item(_ signal: SignalID, _ waiting: GateBook.Waiting) -> JSONObject {
        var item: JSONObject = ["signal": .string(signal.text), "kind": .string(waiting.kind.rawValue)]
        switch waiting.owner {
        case .action(let run, let action):
            item["run"] = .string(run.text)
            item["action"] = .string(action)
        case .process(let name): item["process"] = .string(name)
        }
        item["deadline_at_ms"] = waiting.deadline.map { .integer(moment.unix(of: $0)) }
        return item
    }

    func item(_ lane: MonitorLane) -> JSONObject {
        [
            "monitor": .string(lane.name.text),
            "topics": .array(lane.topics.map { .string($0.text) }),
            "state": .string(lane.stateName),
            "cycles": .integer(Int64(lane.cycles)),
        ]
    }

    func item(_ pipeline: HostedPipeline) -> JSONObject {
        let seeds = pipeline.seeds.map { seed in
            var item: JSONObject = ["key": .string(seed.key), "type": .string(seed.type.rawValue)]
            item["required"] = .bool(seed.defaultValue == nil)
            if let value = seed.defaultValue, value != .null { item["default"] = value }
            return JSONValue.object(item)
        }
        return [
            "pipeline": .string(pipeline.name.text),
            "seeds": .array(seeds),
            "outputs": .array(pipeline.outputs.map { .string($0) }),
        ]
    }
}
