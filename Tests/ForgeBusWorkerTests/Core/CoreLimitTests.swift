import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let policies: [ActionID: ActionPolicy] = [
    "work": ActionPolicy(onFailure: .park), "again": ActionPolicy(attempts: 2, backoff: .seconds(5)),
]

@Suite("A bound of the worker")
struct CoreLimitTests {
    private func harness(slots: Int = 1, _ change: (inout WorkerLimits) -> Void) -> CoreHarness {
        var limits = WorkerLimits()
        change(&limits)
        return CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: slots, policies: policies)],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: [">"])],
            limits: limits
        )
    }

    @Test("on unfinished runs says busy, and takes the same request when one of them has ended or waits")
    func unfinished() {
        var harness = harness(slots: 8) { $0.unfinishedRuns = 2 }
        harness.run("a")
        harness.run("b")
        #expect(harness.run("c") == ["1<c error busy unfinished"])
        harness.open("s", run: "run-1")
        #expect(harness.run("c").first == "1<c accepted run-3")
        #expect(harness.run("d") == ["1<d error busy unfinished"])
        harness.end("run-2")
        #expect(harness.run("d").first == "1<d accepted run-4")
        #expect(harness.run("a") == ["1<a accepted run-1 again"], "a resend needs no room")
    }

    @Test("on runs that wait says busy, counts them whatever they wait for, and lets them go on")
    func suspended() {
        var harness = harness(slots: 8) { $0.suspendedRuns = 3 }
        for id in ["a", "b", "c"] { harness.run(id) }
        harness.open("s", run: "run-1")
        harness.rest(.failed(reason: "no"), run: "run-2", waiter: 2)
        #expect(harness.run("d").first == "1<d accepted run-4")
        harness.rest(.failed(reason: "no"), run: "run-3", action: "again", waiter: 3)
        #expect(harness.run("e") == ["1<e error busy suspended"])
        #expect(harness.open("t", run: "run-4", waiter: 4).contains("resume 4 registered"), "whoever runs may wait")
        #expect(harness.core.bounds.suspended == ["local": 4])
        harness.send(.redrive(RedriveRequest(run: "run-2")), id: "r")
        harness.advance(by: .seconds(5))
        #expect(harness.core.bounds.suspended == ["local": 2])
        #expect(harness.run("e").first == "1<e accepted run-5")
    }

    @Test("on signals that are over says busy to runs of pipelines with gates, until some are forgotten")
    func settled() {
        var limits = WorkerLimits()
        limits.settledSignals = 2
        let gated = HostedPipeline("p", pipeline(GateAction("approve", signal: "{run.id}.go")))
        var harness = CoreHarness(pipelines: [gated, HostedPipeline("q", pipeline(Stage("work")))], limits: limits)
        harness.run("a")
        for signal: Name in ["s", "t"] {
            harness.open(signal)
            harness.complete(signal, id: signal.text)
        }
        #expect(harness.run("b") == ["1<b error busy settled"])
        let other = harness.send(.run(RunRequest(pipeline: "q")), id: "c")
        #expect(other.first == "1<c accepted run-2")
        harness.end("run-1")
        harness.advance(by: .seconds(3600))
        #expect(harness.run("b").first == "1<b accepted run-3")
    }

    @Test("on the bytes of seeds says busy, and leaves no trace of what it refuses")
    func seeds() {
        var limits = WorkerLimits()
        limits.seedsSizeInBytes = 1000
        let pipeline = HostedPipeline("p", pipeline(Stage("work")), seeds: [.optional("s", .string, default: nil)])
        var harness = CoreHarness(pipelines: [pipeline], limits: limits)
        let seeds: JSONObject = ["s": .string(String(repeating: "x", count: 300))]
        harness.run("a", seeds: seeds)
        harness.run("b", seeds: seeds)
        let kept = harness.keptCount
        #expect(harness.run("c", seeds: seeds) == ["1<c error busy seeds"])
        #expect(harness.keptCount == kept)
        #expect(harness.run("c").first == "1<c accepted run-3", "what takes nothing is taken")
        harness.end("run-1")
        #expect(harness.run("d", seeds: seeds).first == "1<d accepted run-4")
        for run in ["run-2", "run-3", "run-4"] as [Name] { harness.end(run) }
        #expect(harness.core.bounds.seedsSize == 0)
    }

    @Test("on the bytes of results keeps new runs out until results are forgotten, and forgets none before its time")
    func results() {
        var harness = harness(slots: 8) { $0.resultsSizeInBytes = 1000 }
        harness.run("a")
        harness.run("b")
        let outputs: JSONObject = ["o": .string(String(repeating: "x", count: 1000))]
        harness.step(.runEnded("run-1", .test(), outputs: outputs, flaw: nil))
        #expect(harness.run("c") == ["1<c error busy results"])
        #expect(harness.step(.runEnded("run-2", .test(), outputs: outputs, flaw: nil)) == ["1<b completed run-2"])
        harness.advance(by: .seconds(59))
        #expect(harness.run("a").last == "1<a completed run-1 again")
        #expect(harness.run("c") == ["1<c error busy results"])
        harness.advance(by: .seconds(1))
        #expect(harness.run("c").first == "1<c accepted run-3")
        #expect(harness.core.bounds.resultsSize == 0)
    }

    @Test("on a pipeline's queue says busy")
    func queued() {
        var harness = harness { $0.queuedRuns = 1 }
        #expect(harness.run("a") == ["1<a accepted run-1", "start run-1"])
        #expect(harness.run("b") == ["1<b accepted run-2"])
        #expect(harness.run("c") == ["1<c error busy queued"])
        #expect(harness.end() == ["1<a completed run-1", "start run-2"])
        #expect(harness.run("c") == ["1<c accepted run-3"])
    }

    @Test("on requests whose answers are kept says busy for new ones, and still answers old ones")
    func ledger() {
        var harness = harness { $0.requests = 1 }
        harness.run("a")
        harness.end()
        #expect(harness.run("b") == ["1<b error busy ledger"])
        #expect(harness.complete("s", id: "c") == ["2<c error busy ledger"])
        #expect(harness.run("a").last == "1<a completed run-1 again")
        harness.advance(by: .seconds(60))
        #expect(harness.run("b").first == "1<b accepted run-2")
    }

    @Test("on signals that wait refuses the wait and leaves the run its slot")
    func waiting() {
        var harness = harness(slots: 2) { $0.waitingSignals = 1 }
        harness.run("a")
        harness.run("b")
        harness.open("s", run: "run-1", waiter: 1)
        #expect(harness.open("t", run: "run-2", waiter: 2) == ["resume 2 refused busy"])
        #expect(harness.core.queues.load(of: "p").held == 1)
    }

    @Test("on early decisions says busy and keeps nothing of it")
    func early() {
        var harness = harness { $0.earlyDecisionsPerPrincipal = 1 }
        #expect(harness.complete("s", id: "c1") == ["2<c1 buffered"])
        #expect(harness.complete("t", id: "c2") == ["2<c2 error busy early"])
        harness.advance(by: WireLimits.defaultKeep)
        #expect(harness.complete("t", id: "c2") == ["2<c2 buffered"])
    }

    @Test("on EVALUATED answers says busy to those who ask for one, and to nobody else")
    func evaluations() {
        var harness = harness { $0.evaluations = 1 }
        let wanting = Request.Command.notify(StateChange(topic: "t", wantsEvaluation: true))
        #expect(harness.send(wanting, id: "a") == ["1<a accepted by 1"])
        #expect(harness.send(wanting, id: "b") == ["1<b error busy evaluations"])
        #expect(harness.send(.notify(StateChange(topic: "t")), id: "b") == ["1<b accepted by 1"])
    }

    @Test("on connections of one run holds also where it is none")
    func noConnections() {
        var harness = harness { $0.attachedConnections = 0 }
        harness.run("a", from: 1)
        #expect(harness.run("a", from: 2) == ["2<a accepted run-1 again"])
        #expect(harness.end() == ["2<a completed run-1"])
    }
}
