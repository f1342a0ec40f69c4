import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@Suite("A worker that takes the place of another one", .timeLimit(.minutes(30)))
struct RestartSocketTests {
    private let store = LastingStore()
    private let asked = Record<ActionID>()
    /// What was executed: the action, its token without the run, and the attempt.
    private let executed = Record<String>()
    private let parcel = Parcel(id: 7, size: .large, notes: ["a": [1.5]])

    private func note(_ action: String, _ context: PipelineContext) {
        let token = context.actionToken == context.runID.map { "\($0)/\(action)" } ? "its token" : "another token"
        executed.add("\(action) \(context.attempt), \(token)")
    }

    private func served(
        deploying body: @escaping @Sendable (PipelineContext) async -> ActionResult = { _ in .completed }
    ) -> HostedPipeline {
        let prepare = Asking("prepare", priority: .critical, asked: asked) { [parcel, executed, self] context in
            _ = executed
            note("prepare", context)
            context.set("parcel", parcel)
            context.set("sizes", [1, 2])
            context.remove("draft")
            return .completed
        }
        let gate = GateAction("approve", signal: "x.{run.id}", priority: .high)
        let deploy = Asking("deploy", priority: .low, requires: ["approve"], asked: asked) { [self] context in
            note("deploy", context)
            guard context.get("parcel") == parcel, context.get("draft") as Bool? == nil else { return .failed("lost") }
            context.set("id", parcel.id)
            return await body(context)
        }
        return HostedPipeline(
            "deploy",
            pipeline(prepare, gate, deploy),
            seeds: [.optional("draft", .boolean, default: true)],
            outputs: ["sizes", "approve", "id", "draft"]
        )
    }

    private func waitsAtGate(_ client: BusClient) async throws -> (run: RunID, signal: SignalID) {
        let run = try await client.submit("deploy").run
        while try await client.list(.signals).items.isEmpty {}
        return (run, SignalID("x.\(run)"))
    }

    @Test("goes on with a run that waited at a gate, its values and its course, and completes it")
    func gate() async throws {
        let clock = ContinuousClock()
        var stopping = clock.now
        let (run, signal) = try await serving(pipelines: [served()], store: store) {
            $0.drainTime = .seconds(3600)
        } _: { serving in
            let waits = try await waitsAtGate(try await serving.client())
            stopping = clock.now
            return waits
        }
        #expect(clock.now - stopping < .seconds(600), "a run that waits holds up no drain")
        #expect(asked.count == 2)
        try await serving(pipelines: [served()], store: store) { serving in
            let client = try await serving.client()
            #expect(try await client.attach(run, waiting: .zero) == .unfinished(.waiting))
            let report = try await client.complete(signal, value: "yes")
            #expect(report.verdict == .delivered)
            guard case .ended(let result) = try await client.attach(run) else { throw Missing("a result") }
            #expect(result.state == .completed)
            #expect(result.outputs == ["sizes": [1, 2], "approve": "yes", "id": 7])
            #expect(result.actions.map(\.action) == ["prepare", "approve", "deploy"])
        }
        #expect(executed.values == ["prepare 1, its token", "deploy 1, its token"])
        #expect(asked.count == 2, "the conditions are not asked again")
    }

    @Test("executes an action that was under way when the other died once more, as a further attempt with its token")
    func crash() async throws {
        let other = try await serving(pipelines: [served { _ in await forever() }], store: store) {
            $0.drainTime = .zero
            $0.cancelGrace = .zero
        } _: { serving in
            let client = try await serving.client()
            let (_, signal) = try await waitsAtGate(client)
            try await client.complete(signal)
            await executed.reach(2)
            // That the gate is through joins a later commit, unless it dies before.
            while try await store.actions() < 2 {}
            return try await store.leftNow()
        }
        try await serving(pipelines: [served()], store: other) { serving in
            await executed.reach(3)
            let client = try await serving.client()
            while try await client.list(.runs).items.first?["state"] != "completed" {}
        }
        #expect(executed.values == ["prepare 1, its token", "deploy 1, its token", "deploy 2, its token"])
    }

    @Test("goes on with what a drain left executing, and that was no crash")
    func left() async throws {
        let run = try await serving(pipelines: [served { _ in await forever() }], store: store) {
            $0.drainTime = .zero
        } _: { serving in
            let client = try await serving.client()
            let (run, signal) = try await waitsAtGate(client)
            try await client.complete(signal)
            await executed.reach(2)
            return run
        }
        try await serving(pipelines: [served()], store: store) { serving in
            guard case .ended(let result) = try await serving.client().attach(run) else { throw Missing("a result") }
            #expect(result.state == .completed)
        }
        #expect(executed.values.last == "deploy 2, its token")
    }

    @Test("parks a run whose pipeline it does not serve, and lives when that is cancelled")
    func gone() async throws {
        let (run, signal) = try await serving(pipelines: [served()], store: store) { serving in
            try await waitsAtGate(try await serving.client())
        }
        try await serving(store: store) { serving in
            let client = try await serving.client()
            #expect(try await client.attach(run, waiting: .zero) == .unfinished(.parked))
            #expect(try await code { try await client.redrive(run) } == .unknownPipeline)
            #expect(try await client.cancel(run).state == .cancelled)
            guard case .closed = try await client.complete(signal).verdict else { throw Missing("closed") }
        }
    }

    @Test("tells what happened to a run in either, in its order")
    func history() async throws {
        let (run, signal) = try await serving(pipelines: [served()], store: store) { serving in
            try await waitsAtGate(try await serving.client())
        }
        try await serving(pipelines: [served()], store: store) { serving in
            let client = try await serving.client()
            try await client.complete(signal)
            _ = try await client.attach(run)
            let item = try await client.show(.history, run.text)
            let entries = item["entries"]?.array?.compactMap(\.object) ?? []
            let events = entries.compactMap { $0["event"]?.string }
            // Of what happened in one millisecond, what the books know comes before what the journal tells.
            let journal = ["waiting", "decided", "resumed"]
            #expect(events.filter(journal.contains) == journal)
            let course = ["accepted", "action_completed", "action_completed", "action_completed", "completed"]
            #expect(events.filter { !journal.contains($0) } == course)
            let times = entries.compactMap { $0["at_ms"]?.integer }
            #expect(times == times.sorted() && times.count == entries.count)
        }
    }

    @Test("leaves the earliest events out of a long history, and says so")
    func longHistory() async throws {
        let hosted = HostedMonitor("shelf", MonitorOrchestrator(), topics: ["stock"])
        try await serving(monitors: [hosted], store: store) { serving in
            let client = try await serving.client()
            func pauses(_ count: Int) async throws -> JSONObject {
                for _ in 0..<count {
                    try await client.pause(PauseSubject(.monitor, "shelf"), for: .seconds(3600))
                    try await client.resume(PauseSubject(.monitor, "shelf"))
                }
                return try await client.show(.history, "shelf")
            }
            #expect(try await pauses(240)["truncated"] == nil)
            let history = try await pauses(20)
            #expect(history["truncated"] == true && history["entries"]?.array?.count == 500)
            let events = history["entries"]?.array?.compactMap { $0.object?["event"]?.string } ?? []
            #expect(Array(events.suffix(2)) == ["paused", "resumed"])
        }
    }
}

extension LastingStore {
    /// How many actions of runs are kept as ended.
    fileprivate func actions() async throws -> Int {
        try await load().reduce(0) { count, record in
            if case .progress(let progress) = record { count + progress.actions.count } else { count }
        }
    }
}

/// Ends when its task is cancelled.
private func forever() async -> ActionResult {
    // Nobody completes it.
    try? await CompletionSignal().waitUnlessCancelled()
    return .failed("cancelled")
}

/// A pipeline action whose condition is counted.
private struct Asking: PipelineAction {
    let stage: Stage
    let asked: Record<ActionID>

    init(
        _ id: ActionID,
        priority: ActionPriority,
        requires: Set<ActionID> = [],
        asked: Record<ActionID>,
        _ body: @escaping @Sendable (PipelineContext) async -> ActionResult
    ) {
        stage = Stage(id, priority: priority, requires: requires, body)
        self.asked = asked
    }

    var id: ActionID { stage.id }
    var priority: ActionPriority { stage.priority }
    var requires: Set<ActionID> { stage.requires }

    func shouldRun() async -> Bool {
        asked.add(id)
        return true
    }

    func execute(context: PipelineContext) async -> ActionResult { await stage.execute(context: context) }
}
