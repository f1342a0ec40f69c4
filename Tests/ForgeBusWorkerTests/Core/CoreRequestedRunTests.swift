import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

/// Two pipelines: `p` requests a run of `inner`.
private func served(waits: Bool, _ policy: ActionPolicy = .once) -> [HostedPipeline] {
    [
        HostedPipeline(
            "p",
            pipeline(RequestAction("ask", pipeline: "inner", seeds: ["s": .constant("x")], waits: waits)),
            policies: policy == .once ? [:] : ["ask": policy]
        ),
        HostedPipeline(
            "inner",
            pipeline(Stage("work")),
            seeds: [.required("s", .string)],
            slots: 1,
            policies: ["work": ActionPolicy(onFailure: .park)]
        ),
    ]
}

private func asking(waits: Bool, seeds: JSONObject = ["s": "x"]) -> RunRest.Kind {
    .request(RequestedRun(pipeline: "inner", seeds: seeds, waits: waits))
}

@Suite("An action that requests a run")
struct CoreRequestedRunTests {
    private var harness = CoreHarness(pipelines: served(waits: true))

    private func record(_ run: Name) -> RunRecord? { harness.record(of: run) }

    @Test("commits the run with its own progress, and waits for the run's end without a slot")
    mutating func waiting() throws {
        harness.run()
        #expect(harness.rest(asking(waits: true), action: "ask") == ["start run-2"])
        #expect(harness.core.runs["run-1"]?.standing == .waiting)
        #expect(harness.core.queues.load(of: "p") == (0, 0))
        let origin = try #require(record("run-2")?.origin)
        #expect(origin == RunOrigin(.action(run: "run-1", action: "ask")))
        #expect(record("run-2")?.principal == "local")
        #expect(record("run-2")?.seeds == ["s": "x"])
        guard case .progress(let progress) = harness.kept[.progress("run-1")] else {
            Issue.record("no progress"); return
        }
        #expect(progress.state == .awaiting("run-2"))
        #expect(harness.journal.contains { $0.event == "requested" && $0.run == "run-1" })
        #expect(harness.end("run-2") == ["go on with run-1 at ask, ended run-2 completed"])
    }

    @Test("goes on at once when it does not wait")
    mutating func submitting() {
        harness.run()
        let lines = harness.rest(asking(waits: false), action: "ask")
        #expect(lines == ["start run-2", "go on with run-1 at ask, requested run-2"])
    }

    @Test("fails when the run fails")
    mutating func failing() {
        harness.run()
        _ = harness.rest(asking(waits: true), action: "ask")
        #expect(harness.end("run-2", failing: "no") == ["go on with run-1 at ask, ended run-2 failed"])
    }

    @Test("requests nothing with wrong seeds or for an unknown pipeline, and fails with the reason")
    mutating func refused() {
        harness.run()
        #expect(
            harness.rest(asking(waits: true, seeds: [:]), action: "ask") == [
                "go on with run-1 at ask, refused bad_seed"
            ]
        )
        harness.run("b")
        let unknown = RunRest.Kind.request(RequestedRun(pipeline: "other", seeds: [:]))
        let lines = harness.rest(unknown, run: "run-2", action: "ask", waiter: 8)
        #expect(lines == ["go on with run-2 at ask, refused unknown_pipeline"])
    }

    @Test("asks again each second while the worker is too busy, which counts as no attempt")
    mutating func busy() {
        var limits = WorkerLimits()
        limits.queuedRuns = 0
        harness = CoreHarness(pipelines: served(waits: true), limits: limits)
        harness.run("i", pipeline: "inner", seeds: ["s": "other"])
        harness.run("a")
        #expect(harness.rest(asking(waits: true), run: "run-2", action: "ask") == [])
        #expect(harness.core.runs["run-2"]?.reason == Errors.queueIsFull("inner", isPaused: false).message)
        #expect(harness.advance(by: .seconds(1)) == ["go on with run-2 at ask, proceed"])
        harness.end("run-1")
        #expect(harness.rest(asking(waits: true), run: "run-2", action: "ask", waiter: 8) == ["start run-3"])
        #expect(harness.core.runs["run-2"]?.course.attempt == 1)
    }

    @Test("finds the run that the same attempt requested before; another attempt requests another run")
    mutating func again() {
        harness = CoreHarness(pipelines: served(waits: true, ActionPolicy(attempts: 2, backoff: .seconds(1))))
        harness.run()
        _ = harness.rest(asking(waits: true), action: "ask")
        harness.end("run-2", failing: "no")
        #expect(harness.rest(.failed(reason: "no"), action: "ask", waiter: 8).isEmpty)
        #expect(harness.advance(by: .seconds(1)) == ["go on with run-1 at ask, proceed"])
        #expect(harness.rest(asking(waits: true), action: "ask", waiter: 9) == ["start run-3"])
    }

    @Test("hears of the run's end also if its own run went on with a signal meanwhile")
    mutating func openSignal() {
        harness.run()
        harness.open("s", action: "early")
        _ = harness.rest(asking(waits: true), action: "ask")
        #expect(harness.complete("s", id: "d").contains("resume 1 approved null"))
        #expect(harness.end("run-2").contains { $0.hasSuffix("ended run-2 completed") })
    }

    @Test("whose run is parked by a restart and then cancelled has the other run cancelled, too")
    func parkedByRestart() {
        var core = RestartedCore(pipelines: served(waits: true))
        waiting(&core)
        core.restart(pipelines: changed, isReady: true)
        #expect(core.core.runs["run-1"]?.standing == .parked)
        core.send(.cancel(CancelRequest(run: "run-1")))
        #expect(core.core.runs["run-2"]?.isStopping == true)
    }

    @Test("whose run's deadline passed while no worker ran has the other run stopped")
    func overdue() {
        var core = RestartedCore(pipelines: served(waits: true))
        waiting(&core, deadline: .seconds(5))
        core.restart(after: .seconds(10), pipelines: changed, isReady: true)
        #expect(core.core.runs["run-1"] == nil)
        #expect(core.core.runs["run-2"]?.isStopping == true)
    }

    /// The pipelines of a later worker, where `p` has another action.
    private var changed: [HostedPipeline] {
        let more = pipeline(RequestAction("ask", pipeline: "inner", waits: true), Stage("more"))
        return [HostedPipeline("p", more), served(waits: true)[1]]
    }

    /// A run waits for the run that it requested.
    private func waiting(_ core: inout RestartedCore, deadline: Duration? = nil) {
        core.run("a", deadline: deadline)
        core.asked("run-1", "ask")
        core.decide(
            .rested(
                RunRest(
                    run: "run-1",
                    action: "ask",
                    waiter: WaiterID(number: 1),
                    kind: asking(waits: true),
                    eligible: ["ask"],
                    actions: []
                )
            )
        )
        #expect(core.core.runs["run-1"]?.awaitedRun == "run-2")
    }

    @Test("has the run cancelled with its own, if it waits for the run")
    mutating func cancelled() {
        harness.run()
        _ = harness.rest(asking(waits: true), action: "ask")
        let lines = harness.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        #expect(lines == ["cancel run-1", "cancel run-2", "end run-1 at ask, closed", "2<c ok cancelled run-1"])
        #expect(harness.core.runs["run-2"]?.isStopping == true)
    }

    @Test("requests no run below eight others")
    mutating func depth() {
        let one = HostedPipeline("p", pipeline(RequestAction("ask", pipeline: "p", waits: true)))
        harness = CoreHarness(pipelines: [one])
        harness.run()
        let kind = RunRest.Kind.request(RequestedRun(pipeline: "p", seeds: [:], waits: true))
        for depth in 1...8 {
            let lines = harness.rest(kind, run: Name(unchecked: "run-\(depth)"), action: "ask", waiter: UInt64(depth))
            #expect(lines == ["start run-\(depth + 1)"])
        }
        #expect(
            harness.rest(kind, run: "run-9", action: "ask", waiter: 9) == ["go on with run-9 at ask, refused bad_value"]
        )
    }

    @Test("goes on after a restart: it waits on, gets the result, or finds the run that it had requested")
    func restarted() {
        var core = RestartedCore(pipelines: served(waits: true))
        core.run("a")
        core.asked("run-1", "ask")
        let rest = { (waiter: UInt64) in
            Event.rested(
                RunRest(
                    run: "run-1",
                    action: "ask",
                    waiter: WaiterID(number: waiter),
                    kind: asking(waits: true),
                    eligible: ["ask"],
                    actions: []
                )
            )
        }
        #expect(core.decide(rest(1)) == ["start run-2"])
        core.restart(isReady: true)
        #expect(core.core.runs["run-1"]?.awaitedRun == "run-2")
        #expect(core.core.runs["run-1"]?.course.crashes == 0)
        // The worker stops before the run goes on with the result.
        core.decide(.drain)
        core.decide(.runEnded("run-2", .test(), outputs: ["o": 1], flaw: nil))
        #expect(core.restart(isReady: true).contains("go on with run-1 at ask, ended run-2 completed"))
        // The next worker dies before the action has ended.
        #expect(core.restart(isReady: true).contains("go on with run-1 at ask, proceed"))
        #expect(core.decide(rest(2)) == ["go on with run-1 at ask, ended run-2 completed"], "it is requested once")
    }
}
