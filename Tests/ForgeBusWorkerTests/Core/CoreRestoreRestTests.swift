import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let policies: [ActionID: ActionPolicy] = [
    "work": ActionPolicy(attempts: 2, backoff: .seconds(10)), "more": ActionPolicy(onFailure: .park),
]
private let served = [HostedPipeline("p", pipeline(Stage("work"), Stage("more")), slots: 1, policies: policies)]

@Suite("A run that rested because its action failed when its worker died")
struct CoreRestoreRestTests {
    private var core = RestartedCore(pipelines: served)

    init() {
        core.run("a", deadline: .seconds(60))
        core.asked("run-1", "work", "more")
    }

    @Test("is tried again when its pause is over, with its count of attempts")
    mutating func retry() {
        core.rest(.failed(reason: "no"))
        #expect(core.restart(after: .seconds(4), isReady: true).isEmpty)
        #expect(core.core.runs["run-1"]?.standing == .retrying)
        #expect(core.advance(by: .milliseconds(5_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["go on with run-1 at work, proceed"])
        #expect(core.starts.last?.resumption?.attempt == 2)
        #expect(core.starts.last?.earlierAttempts == 0, "it did not execute when the worker died")
    }

    @Test("is tried again at once when its pause passed meanwhile, but not before the worker is ready")
    mutating func due() {
        core.rest(.failed(reason: "no"))
        #expect(core.restart(after: .seconds(11)).isEmpty)
        #expect(core.decide(.ready) == ["go on with run-1 at work, proceed"])
    }

    @Test("holds no slot meanwhile")
    mutating func slot() {
        core.rest(.failed(reason: "no"))
        #expect(core.run("b") == ["1<b accepted run-2", "start run-2"])
        #expect(core.restart(isReady: true) == ["start run-2"])
    }

    @Test("stays parked, however long nobody serves, with what was left of its deadline")
    mutating func parked() {
        core.completed("work")
        core.advance(by: .seconds(20))
        core.rest(.failed(reason: "no disk"))
        for _ in 1...2 {
            #expect(core.restart(after: .seconds(5000), isReady: true).isEmpty)
            #expect(core.advance(by: .seconds(100)).isEmpty)
        }
        #expect(core.progress()?.state == .parked(reason: "no disk", remaining: 40_000))
        #expect(core.events() == ["parked"], "that is no news")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at more, proceed", "1<r ok running run-1"])
        #expect(core.advance(by: .milliseconds(39_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["cancel run-1"])
    }

    @Test("and was redriven, but had no slot yet, goes on: nobody redrives it twice")
    mutating func redriven() {
        core.completed("work")
        core.rest(.failed(reason: "no disk"))
        core.run("b")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["1<a redriven more", "1<r ok queued run-1"])
        core.restart(after: .seconds(30), isReady: true)
        core.end("run-2")
        #expect(core.starts.contains { $0.run == "run-1" && $0.resumption != nil })
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r ok queued run-1 again"])
        #expect(core.advance(by: .milliseconds(29_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["cancel run-1"], "its time runs on from when it was redriven")
    }

    @Test("and is cancelled in the next worker ends with why it failed")
    mutating func cancelled() throws {
        core.completed("work")
        core.rest(.failed(reason: "no disk"))
        core.restart(isReady: true)
        let lines = core.send(.cancel(CancelRequest(run: "run-1")), id: "c")
        #expect(lines == ["cancel run-1", "end run-1 at more, closed", "1<c ok cancelled run-1"])
        let results = try #require(core.starts.last?.resumption?.results)
        #expect(results == ["work": .completed, "more": .failed("no disk")])
    }
}
