import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

private let served = [HostedPipeline("p", pipeline(Stage("work")), slots: 1)]

@Suite("A run that rests at a gate")
struct CoreRestTests {
    private var harness = CoreHarness(pipelines: served)
    private let prepared = [ActionOutcome].test("prepare")

    private mutating func cancel() -> [Effect] {
        let request = try? RequestID("c")
        guard let request else { return [] }
        return harness.effects(
            of: .received(Received(Request(.cancel(CancelRequest(run: "run-1")), id: request), from: 2))
        )
    }

    @Test("gives its slot away, tells the gate's id, and is resumed by nobody: there is nobody to tell")
    mutating func resting() {
        harness.run("a")
        harness.run("b")
        #expect(harness.restAtGate("s") == ["1<a waiting approve s", "start run-2"])
        #expect(harness.core.runs["run-1"]?.standing == .waiting)
        #expect(harness.core.queues.load(of: "p").held == 1)
    }

    @Test("is gone on with by the decision, as soon as it has a slot, before all that have not begun")
    mutating func decided() {
        for id in ["a", "b", "c"] { harness.run(id) }
        harness.restAtGate("s")
        #expect(harness.complete("s", "yes", id: "d") == ["2<d delivered", "1<a resumed approve s"], "no slot is free")
        let lines = harness.end("run-2")
        #expect(lines == ["1<b completed run-2", #"go on with run-1 at approve, approved "yes""#])
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-3"])
    }

    @Test("is gone on with behind the actions that have ended, at the one it rests at")
    mutating func resumption() throws {
        harness.run()
        harness.restAtGate("s", after: prepared)
        let effects = try harness.effects(
            of: .received(.test(.decide(Decision(signal: "s", outcome: .rejected(reason: "no")))))
        )
        guard case .start(let start) = effects.last, let resumption = start.resumption else { throw Missing("a start") }
        #expect(resumption.eligible == ["prepare", "approve"])
        #expect(resumption.results == ["prepare": .completed])
        #expect(resumption.answer?.action == "approve")
        #expect(resumption.attempt == 1)
        #expect(!resumption.isOver)
    }

    @Test("ends at its gate where it is cancelled there, for those, too, who follow its actions")
    mutating func followed() {
        harness.send(.run(RunRequest(pipeline: "p", wantsProgress: true)))
        harness.advance(by: .seconds(2))
        harness.restAtGate("s", after: prepared)
        harness.advance(by: .seconds(3))
        let lines = harness.send(.cancel(CancelRequest(run: "run-1")), id: "c")
        #expect(lines.contains { $0.hasPrefix("1<a finished approve failed") }, "\(lines)")
        let ended = harness.core.runs["run-1"]?.course.actions.last
        #expect(ended?.action == "approve" && ended?.duration ?? .zero >= .seconds(3), "\(String(describing: ended))")
    }

    @Test("is gone on with when the gate expires")
    mutating func expired() {
        harness.run()
        harness.restAtGate("s", deadline: .seconds(5))
        #expect(harness.advance(by: .milliseconds(4_999)).isEmpty)
        let lines = ["1<a resumed approve s", "go on with run-1 at approve, expired"]
        #expect(harness.advance(by: .milliseconds(1)) == lines)
    }

    @Test("that was decided before, or cannot be opened, goes on at once and keeps its slot")
    mutating func atOnce() {
        harness.complete("s", 7, id: "d")
        harness.run("a")
        #expect(harness.restAtGate("s") == ["go on with run-1 at approve, approved 7"])
        #expect(harness.restAtGate("s", action: "other", waiter: 2) == ["go on with run-1 at other, refused id_taken"])
        #expect(harness.core.queues.load(of: "p").held == 1)
    }

    @Test("is kept so, with what it has done, until it is over")
    mutating func kept() throws {
        harness.run()
        harness.restAtGate("s", after: prepared)
        let expected = ProgressRecord(
            run: "run-1",
            eligible: ["prepare", "approve"],
            actions: prepared,
            highestAttempt: 1,
            state: .waiting("s")
        )
        #expect(harness.kept[.progress("run-1")] == .progress(expected))
        harness.complete("s", id: "d")
        guard case .progress(let progress) = harness.kept[.progress("run-1")] else { throw Missing("its progress") }
        #expect(progress.state == .executing)
        harness.end()
        #expect(harness.kept[.progress("run-1")] == nil)
    }

    @Test("keeps its decision for as long as it waits for a slot, whatever the retention")
    mutating func longQueue() {
        harness.run("a")
        harness.run("b")
        harness.restAtGate("s", deadline: .seconds(1))
        harness.advance(by: .seconds(3 * 3600))
        #expect(harness.complete("s", id: "d") == ["2<d expired"], "it is not forgotten, nor asked again")
        let lines = harness.end("run-2")
        #expect(lines == ["1<b completed run-2", "go on with run-1 at approve, expired"])
        harness.end("run-1")
        harness.advance(by: .seconds(3 * 3600))
        #expect(harness.keptCount == 0)
    }

    @Test("and is cancelled is over: it only says what it came to, the gate's action failed")
    mutating func cancelled() throws {
        harness.run()
        harness.restAtGate("s", after: prepared)
        let effects = cancel()
        #expect(effects.map(\.line) == ["cancel run-1", "end run-1 at approve, closed", "2<c ok cancelled run-1"])
        guard case .start(let start) = effects[1], let resumption = start.resumption else { throw Missing("a start") }
        let why = "closed: \(Errors.cancelled(""))"
        #expect(resumption.results == ["prepare": .completed, "approve": .failed(why)])
        #expect(harness.send(.cancel(CancelRequest(run: "run-1")), id: "c2") == ["1<c2 ok cancelled run-1"])
        #expect(harness.complete("s", id: "d") == ["2<d closed"])
        let skipped = ActionOutcome(action: "deploy", result: .skipped, start: .zero, duration: .zero)
        let reported = prepared + .test("approve", failing: why) + [skipped]
        let outputs: JSONObject = ["o": 1]
        #expect(harness.step(.runEnded("run-1", reported, outputs: outputs, flaw: nil)) == ["1<a cancelled run-1"])
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.actions.map(\.result) == [.completed, .failed(why), .skipped])
        #expect(result.outputs == outputs)
    }

    @Test(
        "and is cancelled though its gate was decided is told the decision, and executes nothing on the strength of it"
    )
    mutating func cancelledDecided() {
        harness.run("a")
        harness.run("b")
        harness.restAtGate("s")
        harness.complete("s", id: "d")
        let lines = ["cancel run-1", "end run-1 at approve, approved null", "2<c ok cancelled run-1"]
        #expect(cancel().map(\.line) == lines)
        #expect(harness.end("run-2") == ["1<b completed run-2"], "it waits for no slot any more")
    }

    @Test("and was cancelled before goes on at once to its end")
    mutating func stopping() {
        harness.run()
        _ = cancel()
        #expect(harness.restAtGate("s") == ["end run-1 at approve, closed"])
        #expect(harness.complete("s", id: "d") == ["2<d buffered"], "it was not opened")
    }

    @Test("is dropped where a worker without a durable store stops, and so is one that was decided")
    mutating func lost() {
        harness.run("a")
        harness.restAtGate("s", waiter: 1)
        harness.run("b")
        harness.step(.drain)
        let lines = harness.step(.drainTimeEnded)
        #expect(lines.contains("drop run-1"))
        #expect(lines.contains("1<a lost run-1"))
        #expect(!lines.contains("drop run-2"))
        #expect(harness.restAtGate("t", waiter: 2).isEmpty, "of a run that is over nothing is heard")
    }

    @Test("and of which another wait goes on keeps its gate open")
    mutating func otherWait() {
        harness.run()
        harness.open("t", action: "work", waiter: 1)
        harness.restAtGate("s", waiter: 2)
        #expect(harness.complete("t", id: "d") == ["2<d delivered", "1<a resumed work t", "resume 1 approved null"])
        let lines = ["2<e delivered", "1<a resumed approve s", "go on with run-1 at approve, approved null"]
        #expect(harness.complete("s", id: "e") == lines)
    }
}

@Suite("An action whose end is to be committed before the next begins")
struct CoreCheckpointTests {
    private var harness = CoreHarness(pipelines: served)
    private let values = RunValues(values: [.init(key: "v", type: "Swift.Int", json: Array("1".utf8))])

    private func finished(_ run: Name = "run-1") -> Event {
        let report = PipelineReport.test().actions[0]
        return .transition(run, .finished(report), values, checkpoint: WaiterID(number: 9))
    }

    @Test("is told so in the step that keeps how it ended, and what it left")
    mutating func committed() throws {
        harness.run()
        harness.step(.transition("run-1", .eligible(["work", "next"])))
        let consequences = harness.consequences(of: finished())
        #expect(consequences.effects.map(\.line) == ["resume 9 proceed"])
        guard case .put(.progress(let progress)) = consequences.changes.first else { throw Missing("its progress") }
        #expect(progress.actions.map(\.action) == ["work"])
        #expect(progress.values == values.values)
    }

    @Test("is told so too where its run is over")
    mutating func over() {
        harness.run()
        harness.end()
        #expect(harness.step(finished()) == ["resume 9 proceed"])
        #expect(harness.kept[.progress("run-1")] == nil)
    }
}

extension Received {
    fileprivate static func test(_ command: Request.Command) throws -> Received {
        Received(Request(command, id: try RequestID("d")), from: 2)
    }
}
