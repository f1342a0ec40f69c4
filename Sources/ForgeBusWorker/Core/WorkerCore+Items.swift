import ForgeBusProtocol

/// What the worker shows of one thing, and of itself.
extension WorkerCore {
    /// Who the worker is and what it takes.
    var welcome: Welcome {
        Welcome(
            worker: configuration.name,
            state: phase,
            durability: configuration.durability,
            retention: configuration.retention,
            limits: WireLimits.byName.merging(configuration.limits.byName) { _, own in own }
        )
    }

    mutating func show(_ request: ShowRequest, _ received: Received) {
        if request.kind == .history { return showHistory(of: request.name, received) }
        do throws(BusError) {
            let item = try item(request, for: received.principal)
            emit(.answer(Answer(to: received.request.id, .shown(item)), to: received.caller))
        } catch {
            refuse(received, error)
        }
    }

    private func item(_ request: ShowRequest, for principal: AccessPolicy.Principal) throws(BusError) -> JSONObject {
        switch request.kind {
        case .run:
            try check(principal, .read, on: request.name)
            if let run = runs[request.name] { return details(run) }
            if let run = ended[request.name] { return details(run) }
            throw .unknownRun(request.name)
        case .signal:
            guard let state = gates.state(of: request.name) else {
                throw .unknown(.unknownSignal, "signal", request.name)
            }
            return details(request.name, state)
        case .monitor:
            guard let lane = lanes.first(where: { $0.name == request.name }) else {
                throw .unknown(.unknownMonitor, "monitor", request.name)
            }
            return item(lane)
        case .pipeline:
            guard let pipeline = pipelines[request.name] else {
                throw .unknown(.unknownPipeline, "pipeline", request.name)
            }
            return details(pipeline)
        case .history: fatalError("A history is told by the store.")
        }
    }

    private func details(_ run: Run) -> JSONObject {
        var item = item(run)
        item["principal"] = .string(run.principal)
        item["began_at_ms"] = run.began.map { .integer($0) }
        item["deadline_at_ms"] = run.deadline.map { .integer(moment.unix(of: $0)) }
        // One that is over waits for a slot only.
        let open = run.waits.filter { decided[$0.key] == nil }.sorted { $0.key.number < $1.key.number }
        let waits = open.map { JSONValue.object(details($0.value)) }
        if !waits.isEmpty { item["waits"] = .array(waits) }
        return item
    }

    private func details(_ wait: Run.Wait) -> JSONObject {
        var item: JSONObject = [:]
        switch wait {
        case .signal(let signal):
            let waiting = gates.waiting(under: signal)
            item["action"] = (waiting?.owner.action).map { .string($0) }
            (item["state"], item["signal"]) = ("waiting", .string(signal.text))
            item["deadline_at_ms"] = (waiting?.deadline).map { .integer(moment.unix(of: $0)) }
        case .retry(let action, let due):
            (item["action"], item["state"], item["due_at_ms"]) = (.string(action), "retrying", .integer(due))
        case .redrive(let action, let reason):
            (item["action"], item["state"], item["reason"]) = (.string(action), "parked", .string(reason))
        }
        return item
    }

    private func details(_ run: EndedRun) -> JSONObject {
        var item = item(run)
        item["principal"] = .string(run.principal)
        item["began_at_ms"] = run.began.map { .integer($0) }
        item["ended_at_ms"] = .integer(run.ended)
        if !run.result.reason.isEmpty { item["reason"] = .string(run.result.reason) }
        if !run.result.abandoned.isEmpty { item["abandoned"] = .array(run.result.abandoned.map { .string($0) }) }
        return item
    }

    private func details(_ pipeline: HostedPipeline) -> JSONObject {
        var item = item(pipeline)
        let load = queues.load(of: pipeline.name)
        item["slots"] = .integer(Int64(pipeline.slots))
        item["executing"] = .integer(Int64(load.held))
        item["queued"] = .integer(Int64(load.waiting))
        return item
    }

    private func details(_ signal: SignalID, _ state: GateBook.State) -> JSONObject {
        let wait = gates.wait(for: signal)
        var item = wait.map { self.item(signal, $0) } ?? ["signal": .string(signal.text)]
        switch state {
        case .waiting(let owner): (item["state"], item["owner"]) = ("waiting", .string(owner))
        case .decided(let word, let principal, let owner):
            (item["state"], item["owner"]) = (.string(word), .string(owner))
            item["by"] = .string(principal)
        case .expired(let owner): (item["state"], item["owner"]) = ("expired", .string(owner))
        case .closed(let owner, let why):
            (item["state"], item["owner"]) = ("closed", .string(owner))
            item["why"] = .string(why)
        case .early(let principals):
            item["state"] = "buffered"
            item["by"] = .array(principals.map { .string($0) })
        }
        if let allowed = wait?.rule.allowed { item["allowed"] = .array(allowed.sorted().map { .string($0) }) }
        if wait?.rule.requesterMayDecide == false { item["requester_may_decide"] = false }
        return item
    }
}

extension BusError {
    static func unknown(_ code: ErrorCode, _ kind: String, _ name: Name) -> BusError {
        BusError(
            code,
            "No \(kind) \(Printable.quoted(name.text)) is known here.",
            next: "LIST the worker's \(kind)s."
        )
    }
}
