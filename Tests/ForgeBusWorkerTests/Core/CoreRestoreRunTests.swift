import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private func served(_ revision: String = "1") -> [HostedPipeline] {
    let actions = pipeline(Stage("work"), Stage("more"), Stage("last"))
    return [
        HostedPipeline(
            "p",
            actions,
            outputs: ["v"],
            slots: 1,
            policies: ["last": ActionPolicy(onFailure: .park)],
            revision: revision
        )
    ]
}

private let values = RunValues(values: [.init(key: "v", type: "Swift.Int", json: Array("1".utf8))])

@Suite("A run that executed when its worker died")
struct CoreRestoreRunTests {
    private var core = RestartedCore(pipelines: served())

    init() {
        core.run("a", deadline: .seconds(1000))
        core.asked("run-1", "work", "more", "last")
        core.completed("work", leaving: values)
    }

    @Test("goes on behind its last completed action with what that left, its conditions not asked again")
    mutating func goesOn() throws {
        #expect(core.restart(after: .seconds(3)).isEmpty, "not before the worker is ready")
        #expect(core.decide(.ready) == ["go on with run-1 at more, proceed"])
        let start = try #require(core.starts.last)
        let resumption = try #require(start.resumption)
        #expect(resumption.eligible == ["work", "more", "last"])
        #expect(resumption.results == ["work": .completed])
        #expect(resumption.restored == values.values)
        #expect((resumption.attempt, start.earlierAttempts) == (1, 1))
        #expect(start.began == core.now.unixMilliseconds - 3000)
        #expect(core.events() == ["taken_up_again"])
    }

    @Test("has the crash counted for the action under way, not for the next one")
    mutating func counted() {
        core.restart(isReady: true)
        #expect(core.progress()?.crashes == 1)
        core.completed("more")
        #expect(core.progress()?.crashes == 0)
        core.restart(isReady: true)
        #expect(core.progress()?.crashes == 1)
    }

    @Test("has all further attempts numbered behind those that may have been made, of which nothing was kept")
    mutating func numbered() throws {
        // "last" may have been executed by each of these workers, as the first attempt.
        core.restart(isReady: true)
        core.completed("more")
        core.restart(isReady: true)
        let start = try #require(core.starts.last)
        #expect((start.resumption?.attempt, start.earlierAttempts, start.unrecorded) == (1, 2, 2))
        core.rest(.failed(reason: "no"))
        core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        let redriven = try #require(core.starts.last)
        #expect((redriven.resumption?.attempt, redriven.earlierAttempts, redriven.unrecorded) == (1, 3, 2))
    }

    @Test("has attempts numbered behind those of a worker that another definition followed")
    mutating func numberedUnderAnother() {
        core.restart(pipelines: served("2"), isReady: true)
        core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(core.starts.last?.earlierAttempts == 1)
    }

    @Test("is parked after three crashes at one action, and says so; redriven, it goes on there")
    mutating func parked() throws {
        for _ in 1...2 { #expect(core.restart(isReady: true) == ["go on with run-1 at more, proceed"]) }
        #expect(core.restart(after: .seconds(10), isReady: true).isEmpty)
        #expect(core.core.runs["run-1"]?.standing == .parked)
        let reason = Errors.crashed(3, action: "more")
        #expect(core.progress()?.state == .parked(reason: reason, remaining: 990_000))
        #expect(core.events().last == "parked")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at more, proceed", "1<r ok running run-1"])
        #expect(core.core.runs["run-1"]?.course.crashes == 0)
        #expect(core.starts.last?.earlierAttempts == 3, "attempts are numbered on")
    }

    @Test("has a crash that no worker was ready after counted once")
    mutating func unready() {
        for _ in 1...5 { core.restart() }
        #expect(core.decide(.ready) == ["go on with run-1 at more, proceed"])
        #expect(core.starts.last?.earlierAttempts == 1)
    }

    @Test("ends as cancelled if it was to, with its outputs, and the action under way failed")
    mutating func stopping() throws {
        core.send(.cancel(CancelRequest(run: "run-1", reason: "wrong branch")), id: "c")
        #expect(core.restart().isEmpty)
        let result = try #require(core.core.ended["run-1"]?.result)
        #expect(result.state == .cancelled)
        #expect(result.reason == Errors.cancelled("wrong branch"))
        let died = ActionOutcome.Result.failed(Errors.actionBrokenOff)
        #expect(result.actions.map(\.result) == [.completed, died, .skipped])
        #expect(result.outputs == ["v": 1])
        #expect(core.progress() == nil)
        #expect(core.run("a", deadline: .seconds(1000)).last == "1<a cancelled run-1 again")
    }

    @Test("times out in the taking over when its deadline passed meanwhile, and executes nothing more")
    mutating func timedOut() {
        #expect(core.restart(after: .seconds(1000)) == ["cancel run-1", "end run-1 at more, proceed"])
        #expect(core.starts.last?.resumption?.isOver == true)
        core.restart(isReady: true)
        #expect(core.core.ended["run-1"]?.result.state == .timedOut)
    }

    @Test("has what is left of its deadline")
    mutating func deadline() {
        core.restart(after: .seconds(400), isReady: true)
        #expect(core.advance(by: .milliseconds(599_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["cancel run-1"])
    }

    @Test("is parked where its pipeline is defined otherwise, and redriven goes on under the new definition")
    mutating func changed() {
        #expect(core.restart(after: .seconds(100), pipelines: served("2"), isReady: true).isEmpty)
        let reason = DefinitionChange.changed("more").reason(of: "p")
        #expect(core.progress()?.state == .parked(reason: reason, remaining: 900_000))
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at more, proceed", "1<r ok running run-1"])
        core.restart(isReady: true)
        #expect(core.core.runs["run-1"]?.standing == .running, "the new definition is the run's")
    }

    @Test("is parked where its pipeline is gone; a redrive is refused and has no effect until it is back")
    mutating func gone() {
        core.restart(pipelines: [], isReady: true)
        let reason = DefinitionChange.gone.reason(of: "p")
        #expect(core.progress()?.state == .parked(reason: reason, remaining: 1_000_000))
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r error unknown_pipeline"])
        #expect(core.core.runs["run-1"]?.standing == .parked)
        core.restart(after: .seconds(5000), isReady: true)
        core.restart(pipelines: served(), isReady: true)
        #expect(core.core.runs["run-1"]?.standing == .parked, "it was parked before, and its clock stands still")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at more, proceed", "1<r ok running run-1"])
    }

    @Test("is cancelled where its pipeline is gone, with why it was parked: nothing of it is taken up")
    mutating func goneAndCancelled() throws {
        core.restart(pipelines: [], isReady: true)
        #expect(core.send(.cancel(CancelRequest(run: "run-1")), id: "c") == ["drop run-1", "1<c ok cancelled run-1"])
        let result = try #require(core.core.ended["run-1"]?.result)
        let parked = ActionOutcome.Result.failed(DefinitionChange.gone.reason(of: "p"))
        #expect(result.actions.map(\.result) == [.completed, parked, .skipped])
        #expect(result.outputs.isEmpty)
        #expect(core.progress() == nil)
        #expect(core.core.runs.isEmpty)
    }

    @Test(
        "times out when its deadline passed meanwhile, though it would be parked",
        arguments: [served("2"), [], served()]
    )
    mutating func timedOutUnparked(_ next: [HostedPipeline]) {
        for _ in 1...2 { core.restart(isReady: true) }
        #expect(core.restart(after: .seconds(1000), pipelines: next, isReady: true).isEmpty)
        #expect(core.core.ended["run-1"]?.result.state == .timedOut)
        #expect(core.progress() == nil)
    }

    @Test("begins again if it holds what could not be kept, and its history says what")
    mutating func begunAgain() throws {
        core.completed("more", leaving: RunValues(unkept: "handle"))
        #expect(core.restart(isReady: true) == ["start run-1"])
        #expect(core.starts.last?.resumption == nil)
        #expect(core.starts.last?.earlierAttempts == 2, "above the number that its first action had")
        let entry = try #require(core.journal.first { $0.event == "begun_again" })
        #expect(entry.details["unkept"] == "handle")
        #expect(entry.run == "run-1")
        #expect(core.progress()?.actions.isEmpty == true)
    }

    @Test("ends if all its actions had ended, though what one of them left could not be kept until another replaced it")
    mutating func through() throws {
        core.completed("more", leaving: RunValues(unkept: "v"))
        core.completed("last", leaving: values)
        let starts = core.starts.count
        core.restart(after: .seconds(1000), isReady: true)
        core.restart(isReady: true)
        let result = try #require(core.core.ended["run-1"]?.result)
        #expect(result.state == .completed, "its deadline passed when it was through")
        #expect(result.actions.map(\.result) == [.completed, .completed, .completed])
        #expect(result.outputs == ["v": 1])
        #expect(core.starts.count == starts, "nothing is executed, and no crash is counted")
        #expect(core.progress() == nil)
    }
}

@Suite("A run that was queued, or was asked its conditions, when its worker died")
struct CoreRestoreBeginningTests {
    private var core = RestartedCore(pipelines: served())

    @Test("begins again, and after three crashes is parked: nothing begins for ever")
    mutating func conditions() {
        core.run("a")
        for crash in 1...2 {
            #expect(core.restart(isReady: true) == ["start run-1"])
            #expect(core.starts.last?.earlierAttempts == crash)
        }
        #expect(core.restart(isReady: true).isEmpty)
        let reason = Errors.crashed(3, action: "")
        #expect(core.progress()?.state == .parked(reason: reason, remaining: nil))
    }

    @Test(
        "tells its first action as failed when it is stopped before that begins again"
    )
    mutating func stopped() throws {
        core.run("a")
        core.restart(isReady: true)
        core.send(.cancel(CancelRequest(run: "run-1", reason: "wrong branch")), id: "c")
        let reported = ["work", "more"].map {
            ActionOutcome(action: $0, result: .skipped, start: .zero, duration: .zero)
        }
        core.decide(.runEnded("run-1", reported, outputs: [:], flaw: nil))
        let result = try #require(core.core.ended["run-1"]?.result)
        #expect(result.actions.map(\.result) == [.failed(Errors.actionBrokenOff), .skipped])
    }

    @Test("is parked where its pipeline is defined otherwise, and begins when it is redriven")
    mutating func queued() {
        core.run("a")
        core.run("b")
        core.restart(pipelines: served("2"), isReady: true)
        #expect(core.core.runs["run-2"]?.standing == .parked)
        let lines = core.send(.redrive(RedriveRequest(run: "run-2")), id: "r")
        #expect(lines == ["start run-2", "1<r ok running run-2"])
    }

    @Test("times out in the taking over when its deadline passed meanwhile")
    mutating func deadline() {
        core.run("a")
        core.run("b", deadline: .seconds(5))
        core.restart(after: .seconds(5))
        #expect(core.core.ended["run-2"]?.result.state == .timedOut)
        #expect(core.decide(.ready) == ["start run-1"])
    }
}
