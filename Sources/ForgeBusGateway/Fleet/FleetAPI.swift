import ForgeBusFleet
import ForgeBusProtocol
import HTTPTypes
import ServiceLifecycle

/// Answers the paths of the API that are about all workers of a fleet.
///
/// Each request goes to the workers for its sender, and each worker decides. What the gateway knows by itself adds only
/// that a worker is silent.
struct FleetAPI: Sendable {
    let fleet: LiveFleet
    let rollouts: Rollouts
    let keepAlive: Duration
    init(_ fleet: LiveFleet, keepAlive: Duration) {
        (self.fleet, self.keepAlive) = (fleet, keepAlive)
        rollouts = Rollouts(fleet)
    }

    /// How much longer than the sender's wait the gateway waits for workers that do not answer.
    static let margin = Duration.seconds(10)
    /// How long a stream waits for cycles, if the sender does not say.
    private static let standardWait = Duration.seconds(60)

    /// Answers a request whose command is `asked`.
    func answer(_ asked: Request, _ choice: FleetChoice, _ request: APIRequest) async throws(BusError) -> APIResponse {
        switch asked.command {
        case .notify(let change): try await notified(change, choice, request, asked.id)
        case .run(let run): try await started(run, choice, request, asked.id)
        case .list: try await APIResponse(.ok, monitors(choice, request.sender).json)
        case .watch: try await changes(request)
        default: try await APIResponse(.ok, workers(choice, request.sender).json)
        }
    }

    func workers(_ choice: FleetChoice, _ sender: Sender) async throws(BusError) -> FleetReport {
        try await fleet.workers(on: choice.selection, for: sender.principal).allowed()
    }

    func monitors(_ choice: FleetChoice, _ sender: Sender) async throws(BusError) -> FleetReport {
        let monitors: MonitorChoice = choice.topic.map { .following($0) } ?? .all
        return try await fleet.monitors(monitors, since: choice.since, on: choice.selection, for: sender.principal)
            .allowed()
    }

    /// Reports a change to the workers, and waits for their monitors if the sender wants to wait.
    private func notified(
        _ change: StateChange,
        _ choice: FleetChoice,
        _ request: APIRequest,
        _ id: RequestID
    ) async throws(BusError) -> APIResponse {
        var change = change
        change.wantsEvaluation = true
        let principal = request.sender.principal
        if request.wantsEvents {
            change.deadline = request.wait ?? Self.standardWait
            return stream(request) { [fleet, change] progress in
                await fleet.notify(change, on: choice.selection, for: principal, progress: progress)
            }
        }
        // Without a wait, the workers say only that they have taken it, which takes no cycle.
        change.deadline = request.wait ?? .milliseconds(1)
        let report = await request.stay.wait(atMost: (request.wait ?? .zero) + Self.margin) { [fleet, change] in
            await fleet.notify(change, on: choice.selection, for: principal)
        }
        guard let report = try report?.allowed() else { throw Errors.gaveUp(id) }
        return APIResponse(request.wait == nil ? .accepted : .ok, report.json)
    }

    /// Begins a roll-out, or joins the one with the same id.
    private func started(
        _ run: RunRequest,
        _ choice: FleetChoice,
        _ request: APIRequest,
        _ id: RequestID
    ) async throws(BusError) -> APIResponse {
        let plan = Rollouts.Plan(principal: request.sender.principal, run: run, choice: choice)
        let rollout = try rollouts.begin(id, plan)
        if request.wantsEvents {
            return stream(request) { progress in await rollout.follow(progress) }
        }
        if let wait = request.wait, let report = await request.stay.wait(atMost: wait, { await rollout.report }) {
            return APIResponse(.ok, try report.allowed().json)
        }
        return APIResponse(.accepted, ["id": .string(id.text), "state": "running"])
    }

    // MARK: Streams

    private enum Step: Sendable {
        case changed([FleetReport.Line])
        case ended(FleetReport)
        case quiet
        case over
    }

    /// Sends the lines of each worker when they are known, and the whole report at the end.
    private func stream(
        _ request: APIRequest,
        _ work: @escaping @Sendable (@escaping FleetClient.Progress) async -> FleetReport
    ) -> APIResponse {
        var answer = APIResponse(.ok)
        answer.body = .events { [keepAlive, stay = request.stay] send in
            let (steps, continuation) = AsyncStream<Step>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { continuation.yield(.ended(await work { continuation.yield(.changed($0)) })) }
                Self.watch(stay, keepAlive, continuation, &group)
                defer { group.cancelAll() }
                for await step in steps {
                    guard stay.isStillLetIn() else { return }
                    switch step {
                    case .changed(let lines):
                        let items = JSONValue.array(lines.map { .object($0.json) })
                        try await send(ServerEvent(name: "progress", data: ["items": items]))
                    case .ended(let report):
                        return try await send(ServerEvent(name: "result", data: report.json))
                    case .quiet: try await send(.comment)
                    case .over: return
                    }
                }
            }
        }
        return answer
    }

    /// Says when the state of a worker or monitor has changed, and not which; at most once a second.
    private func changes(_ request: APIRequest) async throws(BusError) -> APIResponse {
        _ = try await fleet.workers(on: .all, for: request.sender.principal).allowed()
        var answer = APIResponse(.ok)
        answer.body = .events { [fleet, keepAlive, stay = request.stay] send in
            try await send(.comment)
            let (steps, continuation) = AsyncStream<Step>.makeStream(bufferingPolicy: .bufferingNewest(2))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in fleet.changes() {
                        continuation.yield(.changed([]))
                        try await Task.sleep(for: .seconds(1))
                    }
                }
                Self.watch(stay, keepAlive, continuation, &group)
                defer { group.cancelAll() }
                for await step in steps {
                    guard stay.isStillLetIn() else { return }
                    switch step {
                    case .changed: try await send(ServerEvent(name: "change"))
                    case .quiet: try await send(.comment)
                    case .ended, .over: return
                    }
                }
            }
        }
        return answer
    }

    private static func watch(
        _ stay: Stay,
        _ keepAlive: Duration,
        _ steps: AsyncStream<Step>.Continuation,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) {
        group.addTask {
            while true {
                try await Task.sleep(for: keepAlive)
                steps.yield(.quiet)
            }
        }
        group.addTask {
            await stay.end()
            steps.yield(.over)
        }
        group.addTask {
            try await gracefulShutdown()
            steps.yield(.over)
        }
    }
}

extension FleetReport {
    /// The report, unless no worker lets its asker do anything.
    ///
    /// - Throws: `BusError` with code `forbidden`.
    func allowed() throws(BusError) -> FleetReport {
        let refusal = lines.first { $0.state == .refused }
        let unheard: Set<FleetState> = [.refused, .silent, .wrongKey, .wrongWorker, .notAsked]
        guard let refusal, lines.allSatisfy({ unheard.contains($0.state) }) else { return self }
        throw Errors.refusedEverywhere(refusal)
    }
}
