import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private func served(_ policy: ActionPolicy) -> [HostedPipeline] {
    [HostedPipeline("p", pipeline(Stage("work")), slots: 1, policies: ["work": policy])]
}

@Suite("An action that is tried again")
struct CoreRetryTests {
    private var harness = CoreHarness(pipelines: served(ActionPolicy(attempts: 2, backoff: .seconds(3))))
    private let soon = RunRest.Kind.failed(reason: "no")

    @Test("gives its slot away until its pause is over, and says so to those who want progress")
    mutating func pausing() {
        harness.send(.run(RunRequest(pipeline: "p", wantsProgress: true)), id: "a")
        harness.run("b")
        #expect(harness.rest(soon) == ["1<a retrying work 2 after 3.0 seconds", "start run-2"])
        #expect(harness.core.runs["run-1"]?.standing == .retrying)
        #expect(harness.end("run-2") == ["1<b completed run-2"])
        #expect(harness.advance(by: .milliseconds(2_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["go on with run-1 at work, proceed"])
    }

    @Test("waits for a slot after its pause, before all that have not begun")
    mutating func rejoining() {
        for id in ["a", "b", "c"] { harness.run(id) }
        #expect(harness.rest(soon) == ["start run-2"])
        #expect(harness.advance(by: .seconds(3)).isEmpty)
        #expect(harness.core.runs["run-1"]?.standing == .queued)
        #expect(harness.end("run-2") == ["1<b completed run-2", "go on with run-1 at work, proceed"])
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-3"])
    }

    @Test("is not tried again when its run was cancelled meanwhile")
    mutating func cancelled() {
        harness.run()
        _ = harness.rest(soon)
        let lines = harness.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        #expect(lines == ["cancel run-1", "end run-1 at work, closed", "2<c ok cancelled run-1"])
        #expect(harness.advance(by: .seconds(3)).isEmpty)
        #expect(harness.rest(soon, waiter: 8) == ["end run-1 at work, closed"], "nor does it wait again")
    }

    @Test("fails for good after its last attempt, and its run goes on at once, in its slot")
    mutating func exhausted() {
        harness.run("a")
        harness.run("b")
        _ = harness.rest(soon)
        harness.end("run-2")
        harness.advance(by: .seconds(3))
        #expect(harness.rest(soon, waiter: 8) == ["go on with run-1 at work, failed no"])
        #expect(harness.core.runs["run-1"]?.standing == .running)
        #expect(harness.end(failing: "no") == ["1<a failed run-1"])
    }

    @Test("is not tried again by a run that has ended")
    mutating func ended() {
        harness.run()
        harness.end()
        #expect(harness.rest(soon) == [])
    }
}

@Suite("A parked run")
struct CoreParkTests {
    private var harness = CoreHarness(pipelines: served(ActionPolicy(onFailure: .park)))
    private let parking = RunRest.Kind.failed(reason: "no disk")

    private mutating func redrive(id: String = "r") -> [String] {
        harness.send(.redrive(RedriveRequest(run: "run-1")), id: id, from: 2)
    }

    @Test("tells everybody why, gives its slot away and does not count against its principal's bound")
    mutating func parked() {
        harness.run("a")
        harness.run("b")
        #expect(harness.rest(parking) == ["1<a parked work no disk", "start run-2"])
        #expect(harness.core.runs["run-1"]?.standing == .parked)
        #expect(harness.core.bounds.active == ["local": 1])
    }

    @Test("goes on where it stopped when it is redriven")
    mutating func redriven() {
        harness.run()
        _ = harness.rest(parking)
        #expect(redrive() == ["1<a redriven work", "go on with run-1 at work, proceed", "2<r ok running run-1"])
        #expect(harness.end() == ["1<a completed run-1"])
    }

    @Test("is redriven though no slot is free, and goes on when one is")
    mutating func queued() {
        harness.run("a")
        harness.run("b")
        _ = harness.rest(parking)
        #expect(redrive() == ["1<a redriven work", "2<r ok queued run-1"])
        #expect(harness.end("run-2") == ["1<b completed run-2", "go on with run-1 at work, proceed"])
    }

    @Test("is redriven once, however often that is sent")
    mutating func replayed() {
        harness.run()
        _ = harness.rest(parking)
        _ = redrive()
        _ = harness.rest(parking, waiter: 8)
        #expect(redrive() == ["2<r ok running run-1 again"])
        #expect(harness.core.runs["run-1"]?.standing == .parked)
        #expect(redrive(id: "r2").last == "2<r2 ok running run-1")
    }

    @Test("alone can be redriven; whoever tries otherwise leaves no trace")
    mutating func notParked() {
        harness.run()
        let kept = harness.keptCount
        #expect(redrive() == ["2<r error not_parked"])
        #expect(harness.keptCount == kept)
        _ = harness.rest(parking)
        #expect(redrive().last == "2<r ok running run-1", "the same id, now that it is parked")
        harness.end()
        #expect(redrive(id: "r2") == ["2<r2 error not_parked"])
    }

    @Test("has a deadline that stands still until it is redriven")
    mutating func deadline() {
        harness.run(deadline: .seconds(5))
        harness.advance(by: .seconds(3))
        _ = harness.rest(parking)
        #expect(harness.advance(by: .seconds(600)).isEmpty)
        _ = redrive()
        #expect(harness.advance(by: .milliseconds(1_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["cancel run-1"])
    }

    @Test("and redriven again and again keeps one deadline, not all that it had")
    mutating func oneDeadline() {
        harness.run(deadline: .seconds(3600))
        for number in 0..<5_000 {
            _ = harness.rest(parking, waiter: UInt64(number))
            harness.advance(by: .milliseconds(10))
            _ = redrive(id: "r\(number)")
        }
        #expect(harness.core.deadlines.count < 4096)
        #expect(harness.advance(by: .milliseconds(3_599_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["cancel run-1"])
    }

    @Test("can be cancelled instead")
    mutating func cancelled() {
        harness.run()
        _ = harness.rest(parking)
        let lines = harness.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        #expect(lines == ["cancel run-1", "end run-1 at work, closed", "2<c ok cancelled run-1"])
        #expect(redrive() == ["2<r error not_parked"])
    }

    @Test("is not redriven by a worker that stops")
    mutating func draining() {
        harness.run()
        _ = harness.rest(parking)
        harness.run("b")
        harness.step(.drain)
        #expect(redrive() == ["2<r error draining"])
    }
}
