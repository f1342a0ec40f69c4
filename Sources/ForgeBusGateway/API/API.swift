import ForgeBusProtocol
import HTTPTypes
import ServiceLifecycle

/// Answers HTTP requests to the API by requests to the worker.
struct API: Sendable {
    let bus: any GatewayBus
    /// What answers for a fleet; nil for a gateway of one worker.
    var fleet: FleetAPI?
    /// How often a stream without an event sends a comment, so that proxies keep the connection open.
    let keepAlive: Duration
    /// How much longer than the sender's wait the gateway waits for the answer with which the worker ends the wait.
    var margin = Duration.seconds(5)

    /// Answers a request; an error becomes a problem.
    func respond(to request: APIRequest) async -> APIResponse {
        do throws(BusError) {
            return try await answer(request)
        } catch {
            return APIResponse(Problem(error))
        }
    }

    private func answer(_ request: APIRequest) async throws(BusError) -> APIResponse {
        let method = request.method == .head ? .get : request.method
        var allowed: [String] = []
        for route in Route.all(withFleet: fleet != nil) {
            guard let parameters = route.path.match(request.path) else { continue }
            if route.method == method { return try await answer(request, on: route, parameters) }
            allowed += route.method == .get ? ["GET", "HEAD"] : [route.method.rawValue]
        }
        guard allowed.isEmpty else { throw Errors.unknownMethod(request.method.rawValue, allowed: allowed) }
        guard let answer = try document(request) else {
            if request.path.starts(with: ["v1", "fleet"]), fleet == nil { throw Errors.noFleet }
            throw Errors.unknownPath("/" + request.path.joined(separator: "/"))
        }
        return answer
    }

    private func answer(
        _ request: APIRequest,
        on route: Route,
        _ parameters: [String: String]
    ) async throws(BusError) -> APIResponse {
        let id = route.takesRequestID ? try request.requestID() : .random()
        var answer: APIResponse
        do throws(BusError) {
            answer = try await carryOut(request, on: route, parameters, id: id)
        } catch {
            answer = APIResponse(Problem(error))
        }
        // Also with an error: the sender needs the id to send the request again.
        if route.takesRequestID { answer.fields[.idempotencyKey] = id.text }
        return answer
    }

    private func carryOut(
        _ request: APIRequest,
        on route: Route,
        _ parameters: [String: String],
        id: RequestID
    ) async throws(BusError) -> APIResponse {
        if let fleet, route.fleet != nil {
            var bare = request
            let choice = try FleetChoice(&bare.query, of: route, among: fleet.fleet.client.inventory)
            let asked = try route.request(bare, parameters, id: id)
            try request.sender.check(asked.command)
            return try await fleet.answer(asked, choice, request)
        }
        var asked = try route.request(request, parameters, id: id)
        try request.sender.check(asked.command)
        if case .notify(var change) = asked.command, let wait = request.wait {
            (change.wantsEvaluation, change.deadline) = (true, wait)
            asked.command = .notify(change)
        }
        return switch route.answer {
        case .followedRun: try await followed(asked, request)
        case .run: try await started(asked, request)
        case .events: try events(asked, request)
        case .change: try await changed(asked, route, request)
        case .item, .page, .verdict, .report: try await Self.plain(bus.ask(asked), route, request)
        }
    }

    /// Reports a change, and waits for the monitors if the sender wants to wait.
    private func changed(
        _ asked: Request,
        _ route: Route,
        _ request: APIRequest
    ) async throws(BusError) -> APIResponse {
        // Without a wait, the answer comes at once, and a graceful shutdown waits for it.
        guard let wait = request.wait else { return try await Self.plain(bus.ask(asked), route, request) }
        return try Self.plain(await outcome(of: asked, within: wait, request).get(), route, request)
    }

    /// Waits for the last answer to a request that takes long.
    ///
    /// - Returns: The answer or refusal of the worker; `unauthorized` if the sender is no longer let in, and otherwise
    ///   `timeout` if no answer came in time.
    private func outcome(
        of asked: Request,
        within wait: Duration,
        _ request: APIRequest
    ) async -> Result<Answer.Content, BusError> {
        let limit = wait + margin
        let outcome = await request.stay.wait(atMost: limit) { [bus] in await bus.outcome(of: asked, within: limit) }
        return outcome ?? .failure(request.stay.isStillLetIn() ? Errors.gaveUp(asked.id) : Errors.unauthorized)
    }

    // MARK: Answers

    /// The answer of the worker as the answer to the HTTP request.
    private static func plain(
        _ content: Answer.Content,
        _ route: Route,
        _ request: APIRequest
    ) throws(BusError) -> APIResponse {
        switch content {
        case .shown(let object): return APIResponse(.ok, object)
        case .ok(let report): return APIResponse(.ok, report.json)
        case .page(let page): return Self.page(page, route, request)
        case .verdict(let report):
            if let refusal = report.refusal { throw refusal }
            return APIResponse(report.verdict.isFinal ? .ok : .accepted, report.json)
        case .accepted(let acceptance):
            let monitors = Int64(acceptance.monitors ?? 0)
            return APIResponse(
                .accepted,
                ["monitors": .integer(monitors), "durability": .string(acceptance.durability.rawValue)]
            )
        case .evaluated(let evaluation):
            return APIResponse(
                .ok,
                [
                    "monitors": .array(evaluation.monitors.map { .object($0.json) }),
                    "pending": .array(evaluation.pending.map { .string($0.text) }),
                ],
                fields: request.applied
            )
        case .result(let result): return APIResponse(.ok, result.json)
        case .error(let error): throw error
        case .welcome, .progress, .event, .pong: throw Errors.unexpectedAnswer
        }
    }

    private static func page(_ page: Page, _ route: Route, _ request: APIRequest) -> APIResponse {
        var items = page.items
        if case .page(let kind?) = route.answer { items.removeAll { $0["kind"]?.string != kind } }
        var json: JSONObject = ["items": .array(items.map { .object($0) })]
        var fields: HTTPFields = [:]
        if let cursor = page.cursor {
            json["cursor"] = .string(cursor)
            let others = request.query.filter { $0.name != "cursor" } + [(name: "cursor", value: cursor)]
            let query = others.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
            fields[.link] = "<\(route.path)?\(query)>; rel=\"next\""
        }
        return APIResponse(.ok, json, fields: fields)
    }

    private func events(_ asked: Request, _ request: APIRequest) throws(BusError) -> APIResponse {
        guard case .watch(let watch) = asked.command else { throw Errors.unexpectedAnswer }
        let stream = EventsStream(
            bus: bus,
            keepAlive: keepAlive,
            pattern: watch.pattern,
            principal: asked.principal,
            stay: request.stay
        )
        var answer = APIResponse(.ok)
        answer.body = .events { send in try await stream.send(with: send) }
        return answer
    }

    // MARK: Runs

    /// Starts a run; if the sender wants to wait, the answer is the result, unless the run takes longer.
    private func started(_ asked: Request, _ request: APIRequest) async throws(BusError) -> APIResponse {
        guard case .accepted(let acceptance) = try await bus.ask(asked), let run = acceptance.run else {
            throw Errors.unexpectedAnswer
        }
        var answer = APIResponse(.accepted, ["run": .string(run.text), "state": "accepted"])
        if let wait = request.wait, let name = try? run.name {
            // Without an end that the sender may read, the acceptance is the answer.
            switch await end(of: name, within: wait, request) {
            case .success(.result(let result)): answer = APIResponse(.ok, result.json, fields: request.applied)
            case .success(.ok(let report)): answer = APIResponse(.accepted, report.json, fields: request.applied)
            case .success, .failure: break
            }
        }
        answer.fields[.location] = "/v1/runs/\(run.text)"
        return answer
    }

    /// Waits for the end of a run: its result, or its state after the wait.
    private func end(
        of run: Name,
        within wait: Duration,
        _ request: APIRequest
    ) async -> Result<Answer.Content, BusError> {
        let attach = Request(.attach(AttachRequest(run: run, patience: wait)), as: request.sender.principal)
        do throws(BusError) { try request.sender.check(attach.command) } catch { return .failure(error) }
        return await outcome(of: attach, within: wait, request)
    }

    /// Shows a run, after a wait for its end if the sender wants to wait, or as a stream.
    private func followed(_ asked: Request, _ request: APIRequest) async throws(BusError) -> APIResponse {
        guard case .show(let show) = asked.command else { throw Errors.unexpectedAnswer }
        if request.wantsEvents, request.fields[.lastEventID] == RunStream.end { return APIResponse(.noContent) }
        guard case .shown(var run) = try await bus.ask(asked) else { throw Errors.unexpectedAnswer }
        if request.wantsEvents {
            let stream = RunStream(
                bus: bus,
                keepAlive: keepAlive,
                run: show.name,
                principal: asked.principal,
                stay: request.stay,
                seen: request.fields[.lastEventID].flatMap { Int($0) } ?? 0
            )
            var answer = APIResponse(.ok)
            answer.body = .events { send in try await stream.send(with: send) }
            return answer
        }
        guard let wait = request.wait else { return APIResponse(.ok, run) }
        let outcome = await end(of: show.name, within: wait, request)
        if case .failure(let error) = outcome, error.code == .unauthorized || error.code == .forbidden { throw error }
        // Also after a wait without an end: a sender that has lost the right to read meanwhile gets nothing.
        let again = Request(asked.command, as: asked.principal)
        if case .shown(let object) = try await bus.ask(again) { run = object }
        if case .failure = outcome { return APIResponse(.ok, run) }
        return APIResponse(.ok, run, fields: request.applied)
    }
}

extension APIRequest {
    /// The header field that confirms the preference `wait`.
    fileprivate var applied: HTTPFields {
        wait.map { [.preferenceApplied: "wait=\($0.components.seconds)"] } ?? [:]
    }
}

extension Verdict {
    /// Whether the signal is decided, so that no further decision or waiter is needed.
    fileprivate var isFinal: Bool {
        switch self {
        case .delivered, .duplicate: true
        case .counted, .buffered, .conflict, .expired, .closed, .forbidden, .unknown: false
        }
    }
}

extension Sender {
    /// Checks that the token's scope has the right for a command.
    ///
    /// - Throws: `BusError` with code `forbidden`.
    func check(_ command: Request.Command) throws(BusError) {
        guard let scope, let right = command.rules.right, !scope.contains(right) else { return }
        throw Errors.outOfScope(right, scope)
    }
}
