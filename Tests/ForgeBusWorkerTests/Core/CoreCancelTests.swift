import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A cancellation")
struct CoreCancelTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)])

    private mutating func cancel(_ run: Name, id: String = "c", reason: String = "") -> [String] {
        harness.send(.cancel(CancelRequest(run: run, reason: reason)), id: id, from: 2)
    }

    @Test("is answered at once, and the run ends when its action returns")
    mutating func running() throws {
        harness.run()
        #expect(cancel("run-1", reason: "wrong branch") == ["cancel run-1", "2<c ok stopping run-1"])
        #expect(harness.end() == ["1<a cancelled run-1"])
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.reason == Errors.cancelled("wrong branch"))
    }

    @Test("ends a run that has not begun, and the next one takes its place")
    mutating func queued() {
        for id in ["a", "b", "d"] { harness.run(id) }
        #expect(cancel("run-2") == ["1<b cancelled run-2", "2<c ok cancelled run-2"])
        #expect(harness.end() == ["1<a completed run-1", "start run-3"])
    }

    @Test("ends what the run waits for, after its task was told")
    mutating func waiting() {
        harness.run()
        harness.open("s")
        #expect(cancel("run-1") == ["cancel run-1", "resume 1 closed", "2<c ok stopping run-1"])
        #expect(harness.complete("s", id: "d") == ["2<d closed"])
        #expect(harness.end() == ["1<a cancelled run-1"])
    }

    @Test("of a run that has ended says how it did, and changes nothing")
    mutating func ended() {
        harness.run()
        harness.end()
        #expect(cancel("run-1") == ["2<c ok completed run-1"])
        #expect(harness.run().last == "1<a completed run-1 again")
    }

    @Test("sent again is not done again, and is answered as it was")
    mutating func replayed() {
        harness.run()
        _ = cancel("run-1")
        harness.end()
        #expect(cancel("run-1") == ["2<c ok stopping run-1 again"])
    }

    @Test("of a run that stops already does not change what it ends as")
    mutating func afterDeadline() {
        harness.run(deadline: .seconds(5))
        harness.advance(by: .seconds(5))
        #expect(cancel("run-1") == ["2<c ok stopping run-1"])
        #expect(harness.end() == ["1<a timed_out run-1"])
    }

    @Test("comes before a deadline that passes later")
    mutating func beforeDeadline() {
        harness.run(deadline: .seconds(5))
        _ = cancel("run-1")
        #expect(harness.advance(by: .seconds(5)).isEmpty)
        #expect(harness.end() == ["1<a cancelled run-1"])
    }

    @Test("of a run that is not known is refused, and leaves no trace")
    mutating func unknown() {
        #expect(cancel("run-1") == ["2<c error unknown_run"])
        #expect(harness.keptCount == 0)
        harness.run()
        #expect(cancel("run-1").last == "2<c ok stopping run-1", "the same id, now that there is one")
    }
}
