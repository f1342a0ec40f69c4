import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let tell = HostedPipeline(
    "tell",
    pipeline(Stage("send")),
    seeds: [
        .optional("event", .string, default: ""), .optional("run", .string, default: ""),
        .optional("reason", .string, default: ""), .optional("url", .string, default: ""),
        .optional("count", .integer, default: 0), .optional("ids", .array, default: .array([])),
    ],
    slots: 10_000,
    policies: ["send": ActionPolicy(onFailure: .park)]
)

private func parking(_ events: [WorkerEvent: Name] = [:]) -> HostedPipeline {
    HostedPipeline(
        "p",
        pipeline(Stage("work")),
        slots: 20_000,
        policies: ["work": ActionPolicy(onFailure: .park)],
        events: events
    )
}

@Suite("An event that requests a run")
struct CoreEventRunTests {
    private var harness = CoreHarness(
        pipelines: [parking(), tell],
        monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])],
        events: [.parked: "tell", .failed: "tell", .waiting: "tell", .expired: "tell", .monitorFailed: "tell"]
    )
    private let failed = RunRest.Kind.failed(reason: "no disk")

    private func seeds(_ run: Name) -> JSONObject? { harness.record(of: run)?.seeds }

    @Test("tells of a parked run once, with the facts that the pipeline declares")
    mutating func parked() throws {
        harness.run()
        #expect(harness.rest(failed) == ["1<a parked work no disk", "start run-2"])
        let record = try #require(harness.record(of: "run-2"))
        #expect(record.principal == "worker")
        #expect(record.origin == RunOrigin(.event("parked"), isQuiet: true))
        #expect(
            record.seeds == [
                "event": "parked", "run": "run-1", "reason": "no disk",
                "url": "https://bus.example.org/runs/run-1", "count": 1, "ids": ["run-1"],
            ]
        )
        #expect(
            harness.journal.contains { $0.event == "requested" && $0.run == "run-1" && $0.details["for"] == "parked" }
        )
        #expect(!harness.kept.keys.contains { $0.kind == .requested })
    }

    @Test("tells of a run that failed, of a gate that waits and of one that expired; and of no other end")
    mutating func others() {
        harness.run("a")
        #expect(harness.end(failing: "no") == ["1<a failed run-1", "start run-2"])
        #expect(seeds("run-2")?["event"] == "failed")
        harness.run("b")
        harness.end("run-3")
        harness.run("c")
        let lines = harness.restAtGate("gate", run: "run-4", deadline: .seconds(9))
        #expect(lines == ["1<c waiting approve gate", "start run-5"])
        #expect(seeds("run-5")?["url"] == "https://bus.example.org/gates/gate")
        #expect(harness.advance(by: .seconds(9)).contains("start run-6"))
        #expect(seeds("run-6")?["event"] == "expired")
    }

    @Test("comes once for a monitor that fails, until the monitor works again; a restart does not repeat it")
    mutating func monitors() {
        func cycle(failing: String?) -> MonitorOutcome {
            let result: ActionResult = failing.map { .failed($0) } ?? .completed
            let report = ActionReport(id: "check", result: result, start: .zero, duration: .zero)
            return .ran(MonitorCycle(number: 1, actions: [report]))
        }
        harness.step(.cycleEnded(monitor: 0, cycle(failing: "no")))
        #expect(harness.core.runs["run-1"]?.pipeline == "tell")
        for _ in 0..<3 {
            harness.advance(by: .seconds(30))
            harness.step(.cycleEnded(monitor: 0, cycle(failing: "no")))
        }
        #expect(harness.core.runs["run-2"] == nil)
        #expect(harness.kept[.trouble("m")] != nil)
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.ready)
        harness.step(.cycleEnded(monitor: 0, cycle(failing: "no")))
        #expect(harness.core.runs["run2-1"] == nil)
        harness.advance(by: .seconds(30))
        harness.step(.cycleEnded(monitor: 0, cycle(failing: nil)))
        #expect(harness.kept[.trouble("m")] == nil)
    }

    @Test("does not come of the runs that tell of events")
    mutating func quiet() {
        harness.run()
        _ = harness.rest(failed)
        #expect(harness.rest(failed, run: "run-2", action: "send", waiter: 8).isEmpty)
        #expect(harness.core.runs["run-2"]?.standing == .parked)
        #expect(harness.core.requested.isEmpty)
        #expect(harness.core.requested.troubles["tell"]?.failures == 1)
    }

    @Test("is owed while the queue is full or the disk short, and never keeps its cause from happening")
    mutating func full() {
        var limits = WorkerLimits()
        limits.queuedRuns = 0
        limits.executingRuns = 1
        harness = CoreHarness(pipelines: [parking(), tell], limits: limits, events: [.parked: "tell"])
        harness.run("a")
        harness.step(.room(.short))
        #expect(harness.rest(failed) == ["1<a parked work no disk"])
        #expect(harness.core.requested.count == 1)
        guard case .requested(let record) = harness.kept[.requested("run-2")] else { Issue.record("not kept"); return }
        #expect(record.pipeline == "tell")
        // The next worker owes it, too, and begins it when there is room.
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.room(.short))
        #expect(harness.step(.ready) == [])
        #expect(harness.step(.room(.ample)) == ["start run-2"])
        #expect(harness.core.requested.isEmpty)
        #expect(harness.kept[.requested("run-2")] == nil)
    }

    @Test("ten thousand within a second make a hundred runs and one that tells of all others")
    mutating func fold() throws {
        var limits = WorkerLimits()
        (limits.unfinishedRuns, limits.suspendedRuns, limits.executingRuns) = (30_000, 30_000, 30_000)
        (limits.requests, limits.queuedRuns) = (30_000, 30_000)
        harness = CoreHarness(pipelines: [parking(), tell], limits: limits, events: [.parked: "tell"])
        for number in 0..<10_000 { harness.run("r\(number)") }
        let runs = harness.core.runs.unfinished.map(\.id).sorted { $0.text.utf8.count < $1.text.utf8.count || $0 < $1 }
        for (number, run) in runs.enumerated() { harness.rest(failed, run: run, waiter: UInt64(number + 10)) }
        func told() -> [RunRecord] {
            harness.kept.values.compactMap { if case .run(let run) = $0, run.pipeline == "tell" { run } else { nil } }
        }
        #expect(told().count == 100)
        #expect(harness.core.requested.count == 1)
        let folds = harness.kept.values.compactMap { if case .requested(let record) = $0 { record } else { nil } }
        #expect(folds.map(\.count) == [9_900])
        harness.advance(by: .seconds(60))
        #expect(told().count == 101)
        let fold = try #require(told().first { $0.seeds["count"] != 1 })
        #expect(fold.seeds["count"] == 9_900)
        #expect(fold.seeds["ids"]?.array?.count == 100)
        #expect(harness.core.requested.isEmpty)
    }

    @Test("goes to the pipeline that the run's own pipeline names")
    mutating func own() {
        let other = HostedPipeline("other", pipeline(Stage("send")))
        harness = CoreHarness(pipelines: [parking([.parked: "other"]), tell, other], events: [.parked: "tell"])
        harness.run()
        _ = harness.rest(failed)
        #expect(harness.core.runs["run-2"]?.pipeline == "other")
    }

    @Test("counts those who caused it as requesters of its run")
    mutating func causers() throws {
        let access = try Operator.policy()
        harness = CoreHarness(pipelines: [parking(), tell], access: access, events: [.parked: "tell"])
        let ada = AccessPolicy.Principal(access.principalNames[0])
        let request = Request(.run(RunRequest(pipeline: "p")), id: try RequestID("a"))
        harness.step(.received(Received(request, from: 1, as: ada)))
        try #require(harness.core.runs["run-1"] != nil)
        _ = harness.rest(failed)
        #expect(harness.record(of: "run-2")?.origin?.causers == [ada.name])
    }

    @Test("counts all who caused what a fold tells of as requesters of its run")
    mutating func foldCausers() throws {
        let grants = AccessPolicy.Grants([.run: AccessPolicy.Grant(allow: [">"])])
        let members = ["ada", "bob"].map { AccessPolicy.Member(Name(unchecked: $0), keys: [], grants: grants) }
        harness = CoreHarness(
            pipelines: [parking(), tell],
            access: try AccessPolicy(members),
            events: [.parked: "tell"]
        )
        for number in 1...102 {
            let request = Request(.run(RunRequest(pipeline: "p")), id: try RequestID("r\(number)"))
            let sender = AccessPolicy.Principal(number == 102 ? "bob" : "ada")
            let lines = harness.step(.received(Received(request, from: 1, as: sender)))
            let run = try #require(lines.last { $0.hasPrefix("start ") }).dropFirst("start ".count)
            _ = harness.rest(failed, run: Name(unchecked: String(run)), waiter: UInt64(number + 10))
        }
        let folds = harness.kept.values.compactMap { if case .requested(let record) = $0 { record } else { nil } }
        #expect(folds.map(\.origin.causers) == [["ada", "bob"]])
    }

    @Test("is begun by a worker without a durable store before it stops")
    mutating func drained() {
        harness.run()
        harness.step(.room(.short))
        #expect(harness.rest(failed) == ["1<a parked work no disk"])
        harness.step(.drain)
        #expect(harness.step(.room(.ample)) == ["start run-2"])
    }

    @Test("whose run fails shows until one completes, also after a restart, or until somebody cancels it")
    mutating func failing() {
        harness.run()
        _ = harness.rest(failed)
        _ = harness.rest(failed, run: "run-2", action: "send", waiter: 8)
        #expect(harness.core.requested.troubles["tell"]?.run == "run-2")
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.ready)
        #expect(harness.core.requested.troubles["tell"]?.reason == "parked: no disk")
        let reader = AccessPolicy.Principal.local
        let checks = harness.core.description(for: reader, at: harness.now).checks
        #expect(checks["events"] == "failing")
        // Without keys everybody may cancel and redrive it, though it belongs to the worker.
        #expect(harness.send(.redrive(RedriveRequest(run: "run-2")), id: "r", from: 2).last == "2<r ok running run-2")
        let lines = harness.send(.cancel(CancelRequest(run: "run-2")), id: "c", from: 2)
        #expect(lines.last == "2<c ok stopping run-2")
        harness.end("run-2")
        #expect(harness.core.requested.troubles.isEmpty)
    }

    @Test("is not repeated for a run that was parked before a restart")
    mutating func restored() {
        harness.run()
        _ = harness.rest(failed)
        harness.end("run-2")
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.ready)
        #expect(harness.core.runs["run-1"]?.standing == .parked)
        #expect(harness.core.runs.count == 1)
        #expect(harness.core.requested.isEmpty)
    }
}

@Suite("A monitor's action that requests a run")
struct CoreRemedyTests {
    private var harness = CoreHarness(
        pipelines: [parking()],
        monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])]
    )

    private func request(_ waiter: UInt64, pipeline: Name = "p", seeds: JSONObject = [:]) -> Event {
        .runRequested(
            RequestByMonitor(
                monitor: 0,
                action: "mend",
                order: RequestedRun(pipeline: pipeline, seeds: seeds),
                causers: ["ada"],
                waiter: WaiterID(number: waiter)
            )
        )
    }

    @Test("begins one run at a time, for the principal worker")
    mutating func once() throws {
        #expect(harness.step(request(1)) == ["resume 1 requested run-1", "start run-1"])
        let origin = try #require(harness.record(of: "run-1")?.origin)
        #expect(origin == RunOrigin(.monitor("m", action: "mend"), causers: ["ada"]))
        #expect(harness.record(of: "run-1")?.principal == "worker")
        #expect(harness.step(request(2)) == ["resume 2 proceed"], "its run is unfinished")
        harness.end("run-1")
        #expect(harness.step(request(3)) == ["resume 3 requested run-2", "start run-2"])
    }

    @Test("is not refused because its own unfinished run has the gate that the next run would need")
    mutating func sameGate() {
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(GateAction("approve", signal: "renew")))],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])]
        )
        #expect(harness.step(request(1)) == ["resume 1 requested run-1", "start run-1"])
        harness.restAtGate("renew")
        #expect(harness.step(request(2)) == ["resume 2 proceed"])
        harness.complete("renew", id: "d")
        harness.end("run-1")
        #expect(harness.step(request(3)) == ["resume 3 refused id_taken"], "the decided gate belongs to the first run")
    }

    @Test("knows after a restart that its run is unfinished")
    mutating func restarted() {
        harness.step(request(1))
        harness.rest(.failed(reason: "no"))
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.ready)
        #expect(harness.step(request(2)) == ["resume 2 proceed"])
    }

    @Test("is refused with seeds that the pipeline does not take")
    mutating func refused() {
        #expect(harness.step(request(1, seeds: ["x": 1])) == ["resume 1 refused bad_seed"])
    }
}
