import ForgeBusProtocol

/// What the worker shows of its books.
extension WorkerCore {
    func page(_ request: ListRequest) -> Page {
        let items = items(of: request.kind)
        let rest = request.cursor.map { cursor in items.filter { $0.key > cursor } } ?? items
        let page = rest.sorted { $0.key < $1.key }.prefix(request.limit)
        return Page(items: page.map(\.item), cursor: page.count < rest.count ? page.last?.key : nil)
    }

    /// Every item under the key by which pages are ordered and continued.
    private func items(of kind: ListKind) -> [(key: String, item: JSONObject)] {
        switch kind {
        case .runs:
            runs.values.map { ($0.id.text, item($0.id, $0.pipeline, $0.standing.rawValue)) }
                + ended.map { ($0.key.text, item($0.key, $0.value.pipeline, $0.value.result.state.rawValue)) }
        case .signals: gates.waiting.map { ($0.signal.text, item($0.signal, $0.waiting)) }
        case .monitors: lanes.map { ($0.name.text, item($0)) }
        case .pipelines: pipelines.values.map { ($0.name.text, item($0)) }
        }
    }

    func item(_ run: RunID, _ pipeline: PipelineName, _ state: String) -> JSONObject {
        ["run": .string(run.text), "pipeline": .string(pipeline.text), "state": .string(state)]
    }

    func item(_ signal: SignalID, _ waiting: GateBook.Waiting) -> JSONObject {
        var item: JSONObject = ["signal": .string(signal.text), "kind": .string(waiting.kind.rawValue)]
        switch waiting.owner {
        case .action(let run, let action):
            item["run"] = .string(run.text)
            item["action"] = .string(action)
        case .process(let name): item["process"] = .string(name)
        }
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
            item["default"] = seed.defaultValue
            return JSONValue.object(item)
        }
        return [
            "pipeline": .string(pipeline.name.text),
            "seeds": .array(seeds),
            "outputs": .array(pipeline.outputs.map { .string($0) }),
        ]
    }
}
