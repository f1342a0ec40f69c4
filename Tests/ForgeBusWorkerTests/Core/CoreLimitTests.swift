import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A bound of the worker")
struct CoreLimitTests {
    private func harness(slots: Int = 1, _ change: (inout WorkerLimits) -> Void) -> CoreHarness {
        var limits = WorkerLimits()
        change(&limits)
        return CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: slots)],
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
