import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A run's deadline")
struct CoreDeadlineTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)])

    @Test("cancels the run, which is timed out when its action returns")
    mutating func timedOut() {
        harness.run(deadline: .seconds(5))
        #expect(harness.advance(by: .seconds(5)) == ["cancel run-1"])
        #expect(harness.end() == ["1<a timed_out run-1"])
        #expect(harness.run().last == "1<a error id_conflict", "the deadline is part of the request")
        #expect(harness.run(deadline: .seconds(5)).last == "1<a timed_out run-1 again")
    }

    @Test("is counted from acceptance: a run that is still queued ends without having begun")
    mutating func queued() {
        harness.run("a")
        harness.run("b", deadline: .seconds(5))
        #expect(harness.advance(by: .seconds(5)) == ["1<b timed_out run-2"])
        #expect(harness.end() == ["1<a completed run-1"])
        #expect(harness.core.runs.isEmpty)
    }

    @Test("means nothing to a run that has ended")
    mutating func ended() {
        harness.run(deadline: .seconds(5))
        harness.end()
        #expect(harness.advance(by: .seconds(10)).isEmpty)
    }

    @Test("cancels before it closes the run's waits, so that no action begins on the strength of a closed one")
    mutating func waiting() {
        harness.run(deadline: .seconds(5))
        harness.open("s")
        #expect(harness.advance(by: .seconds(5)) == ["cancel run-1", "resume 1 closed"])
        #expect(harness.complete("s", id: "d") == ["2<d closed"])
        #expect(harness.end() == ["1<a timed_out run-1"])
        #expect(harness.core.queues.load(of: "p").held == 0)
        #expect(harness.core.bounds.active.isEmpty)
    }

    @Test("lets a run that is to end open no more signals")
    mutating func opening() {
        harness.run(deadline: .seconds(5))
        harness.advance(by: .seconds(5))
        #expect(harness.open("s") == ["resume 1 closed"])
        #expect(harness.complete("s", id: "d") == ["2<d buffered"], "it was never opened")
        harness.end()
        #expect(harness.open("s", waiter: 2) == ["resume 2 closed"])
    }

    @Test("comes too late for a decision that was stepped before it")
    mutating func decidedFirst() {
        harness.run("a", deadline: .seconds(5))
        harness.run("b")
        harness.open("s")
        harness.complete("s", id: "d")
        let lines = harness.advance(by: .seconds(5))
        #expect(lines == ["cancel run-1", "resume 1 approved null"], "the decision stands, the run ends all the same")
        #expect(harness.complete("s", id: "e") == ["2<e duplicate"])
    }

    @Test("abandons after the grace an action that does not return, which can then change nothing any more")
    mutating func grace() throws {
        harness.run(deadline: .seconds(5))
        harness.step(.transition("run-1", .eligible(["before", "work", "after"])))
        harness.step(.transition("run-1", .finished(PipelineReport.test("before").actions[0])))
        harness.run("b")
        harness.advance(by: .seconds(5))
        #expect(harness.advance(by: .milliseconds(29_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["abandon run-1"])
        #expect(harness.step(.abandoned("run-1", action: "work")) == ["1<a timed_out run-1", "start run-2"])
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.reason.hasSuffix(Errors.notReturned(isAction: true)))
        #expect(result.abandoned == ["work"])
        let notReturned = ActionOutcome.Result.failed(Errors.notReturned(isAction: true))
        #expect(result.actions.map(\.result) == [.completed, notReturned, .skipped])
        #expect(result.actions.map(\.action) == ["before", "work", "after"])
        #expect(result.actions[1].start == .milliseconds(1), "it began when the one before it ended")
        #expect(result.actions[1].start + result.actions[1].duration == .seconds(35))
        #expect(result.actions[2].start == .seconds(35))
        #expect(harness.end("run-1").isEmpty)
        #expect(harness.open("s", run: "run-1") == ["resume 1 closed"])
        #expect(harness.end("run-2") == ["1<b completed run-2"])
    }
}
