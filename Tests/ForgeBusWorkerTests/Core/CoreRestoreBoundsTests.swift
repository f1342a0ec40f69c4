import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A bound, where a worker takes over what another left")
struct CoreRestoreBoundsTests {
    private func core(_ set: (inout WorkerLimits) -> Void) -> RestartedCore {
        var limits = WorkerLimits()
        set(&limits)
        let gate = GateAction("approve", signal: "s") { _ in true }
        return RestartedCore(pipelines: [HostedPipeline("p", pipeline(gate), slots: 1)], limits: limits)
    }

    @Test("on unfinished runs counts those that execute and those that are queued")
    func unfinished() {
        var core = core { $0.unfinishedRuns = 2 }
        core.run("a")
        core.run("b")
        core.restart(isReady: true)
        #expect(core.run("c") == ["1<c error busy unfinished"])
        core.end("run-1")
        #expect(core.run("c") == ["1<c accepted run1-1"])
    }

    @Test("on runs that wait counts them as such, and no more when they go on")
    func suspended() {
        var core = core { $0.suspendedRuns = 1 }
        core.run("a")
        core.asked("run-1", "approve")
        core.restAtGate("s")
        core.restart(isReady: true)
        #expect(core.run("b") == ["1<b error busy suspended"])
        #expect(core.complete("s", id: "d") == ["1<d delivered", "go on with run-1 at approve, approved null"])
        #expect(core.run("b") == ["1<b accepted run1-1"])
    }

    @Test("on queued runs counts them, and refuses none of those that were taken")
    func queued() {
        var core = core { $0.queuedRuns = 2 }
        for id in ["a", "b", "c"] { core.run(id) }
        core.restart(isReady: true)
        #expect(core.run("d") == ["1<d error busy queued"])
        #expect(core.end("run-1") == ["start run-2"])
        #expect(core.end("run-2") == ["start run-3"])
    }

    @Test("on requests whose answers are kept counts them")
    func requests() {
        var core = core { $0.requests = 2 }
        core.run("a")
        core.complete("t", id: "d")
        core.restart(isReady: true)
        #expect(core.run("b") == ["1<b error busy ledger"])
        #expect(core.run("a") == ["1<a accepted run-1 again"])
    }

    @Test("on early decisions counts them, and no more when their signals open")
    func early() {
        var core = core { $0.earlyDecisionsPerPrincipal = 1 }
        core.complete("s", id: "d")
        core.restart(isReady: true)
        #expect(core.complete("t", id: "e") == ["1<e error busy early"])
        core.run("a")
        core.asked("run1-1", "approve")
        #expect(core.restAtGate("s", "run1-1") == ["go on with run1-1 at approve, approved null"])
        #expect(core.complete("t", id: "e") == ["1<e buffered"])
    }

    @Test("on signals that wait counts them, and no more when they are decided")
    func waiting() {
        var core = core { $0.waitingSignals = 1 }
        core.run("a")
        core.asked("run-1", "approve")
        core.restAtGate("s")
        core.restart(isReady: true)
        core.run("b")
        core.asked("run1-1", "approve")
        #expect(core.restAtGate("t", "run1-1") == ["go on with run1-1 at approve, refused busy"])
        core.end("run1-1")
        core.complete("s", id: "d")
        core.end("run-1")
        core.run("c")
        core.asked("run1-2", "approve")
        #expect(core.restAtGate("t", "run1-2") == ["1<c waiting approve t"])
    }
}
