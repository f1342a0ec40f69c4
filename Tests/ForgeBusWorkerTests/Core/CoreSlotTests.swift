import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("The slots of a worker")
struct CoreSlotTests {
    private var harness: CoreHarness

    init() {
        var limits = WorkerLimits()
        limits.executingRuns = 2
        harness = CoreHarness(
            pipelines: [
                HostedPipeline("low", pipeline(Stage("work")), slots: 2),
                HostedPipeline("high", pipeline(Stage("work")), slots: 1, priority: 1),
            ],
            limits: limits
        )
    }

    @Test("are given to no more runs than may execute at once, whatever their pipelines")
    mutating func bound() {
        #expect(harness.run("a", pipeline: "low").last == "start run-1")
        #expect(harness.run("b", pipeline: "low").last == "start run-2")
        #expect(harness.run("c", pipeline: "high") == ["1<c accepted run-3"])
    }

    @Test("go to the pipeline of the highest priority first, and to the one that came first within it")
    mutating func priority() {
        for id in ["a", "b", "c", "d"] { harness.run(id, pipeline: "low") }
        harness.run("e", pipeline: "high")
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-5"])
        #expect(harness.end("run-2") == ["1<b completed run-2", "start run-3"])
        #expect(harness.end("run-5") == ["1<e completed run-5", "start run-4"])
    }

    @Test("of a pipeline are given to no more of its runs, though others are free")
    mutating func ofPipeline() {
        #expect(harness.run("a", pipeline: "high").last == "start run-1")
        #expect(harness.run("b", pipeline: "high") == ["1<b accepted run-2"])
        #expect(harness.run("c", pipeline: "low").last == "start run-3")
        #expect(harness.end("run-3") == ["1<c completed run-3"])
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-2"])
    }

    @Test("that a run gives away while it waits go to another pipeline's, too")
    mutating func given() {
        harness.run("a", pipeline: "low")
        harness.run("b", pipeline: "low")
        harness.run("c", pipeline: "high")
        #expect(harness.open("s", run: "run-1").last == "start run-3")
        #expect(harness.complete("s", id: "d").last == "1<a resumed approve s", "none is free to go on with")
        #expect(harness.end("run-3") == ["1<c completed run-3", "resume 1 approved null"])
    }

    @Test("are not lost by a run that ends while it waits for one")
    mutating func withdrawn() {
        harness.run("a", pipeline: "high")
        harness.open("s")
        harness.run("b", pipeline: "high")
        harness.complete("s", id: "d")
        harness.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        #expect(harness.end("run-1") == ["1<a cancelled run-1"])
        harness.run("e", pipeline: "high")
        #expect(harness.end("run-2") == ["1<b completed run-2", "start run-3"])
        harness.end("run-3")
        #expect(harness.core.queues.load(of: "high") == (0, 0))
    }
}
