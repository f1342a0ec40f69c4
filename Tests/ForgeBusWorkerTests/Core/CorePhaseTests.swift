import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let served = [HostedPipeline("p", pipeline(Stage("work")), slots: 1)]
private let watched = [
    HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"]),
    HostedMonitor("n", MonitorOrchestrator(), topics: ["b.>"]),
]

@Suite("A core that is starting")
struct CoreStartTests {
    private var harness = CoreHarness(pipelines: served, monitors: watched, isReady: false)

    @Test("takes no notifications and requests, and says when to come again")
    mutating func notReady() {
        #expect(harness.run() == ["1<a error not_ready"])
        #expect(harness.send(.notify(StateChange(topic: "a.b"))) == ["1<a error not_ready"])
        #expect(harness.send(.ping([])) == ["1<a pong starting"])
        #expect(harness.send(.list(ListRequest(kind: .runs))) == ["1<a page of 0"])
        harness.step(.ready)
        #expect(harness.run().first == "1<a accepted run-1")
    }

    @Test("answers decisions, and lets its own signals wait")
    mutating func decisions() {
        #expect(harness.complete("go", id: "c") == ["2<c buffered"])
        let waiting = SignalWait(owner: .process("start"), kind: .signal, waiter: WaiterID(number: 1))
        let opening = SignalOpening(signal: "go", waiting: waiting, deadline: nil)
        #expect(harness.step(.opened(opening)) == ["resume 1 approved null"])
    }

    @Test("evaluates each monitor once when it is ready, and not again when it is told twice")
    mutating func evaluation() {
        #expect(harness.step(.ready) == ["cycle 0", "cycle 1"])
        #expect(harness.step(.ready).isEmpty)
    }

    @Test("may be stopped before it is ready, and is not ready any more then")
    mutating func stopped() {
        #expect(harness.step(.drain) == ["drained"])
        #expect(harness.step(.ready).isEmpty)
        #expect(harness.run() == ["1<a error draining"])
    }
}

@Suite("A core that drains")
struct CoreDrainTests {
    private var harness = CoreHarness(pipelines: served)

    @Test("with nothing to do is drained at once")
    mutating func idle() {
        #expect(harness.step(.drain) == ["drained"])
        #expect(harness.step(.drain).isEmpty)
    }

    @Test("takes nothing new, answers what it took, and finishes it")
    mutating func finishing() {
        harness.run("a")
        harness.run("b")
        #expect(harness.step(.drain).isEmpty)
        #expect(harness.run("c") == ["1<c error draining"])
        #expect(harness.send(.notify(StateChange(topic: "t"))) == ["1<a error draining"])
        #expect(harness.send(.ping([])) == ["1<a pong draining"])
        #expect(harness.run("a", from: 4) == ["4<a accepted run-1 again"])
        #expect(harness.end("run-1") == ["1<a completed run-1", "4<a completed run-1", "start run-2"])
        #expect(harness.end("run-2") == ["1<b completed run-2", "drained"])
    }

    @Test("takes decisions until its last run has ended")
    mutating func decisions() {
        harness.run("a")
        harness.open("s")
        harness.step(.drain)
        #expect(harness.complete("s", id: "c").last == "resume 1 approved null")
        #expect(harness.end() == ["1<a completed run-1", "drained"])
    }

    @Test(
        "in memory waits for no run that only waits for a decision, a redrive or another run",
        arguments: [false, true]
    )
    mutating func waiting(isParked: Bool) {
        let parking = HostedPipeline("p", pipeline(Stage("work")), policies: ["work": ActionPolicy(onFailure: .park)])
        harness = CoreHarness(pipelines: [parking])
        harness.run("a")
        if isParked {
            harness.rest(.failed(reason: "no"))
        } else {
            harness.restAtGate("s", deadline: .seconds(31))
        }
        harness.run("b")
        #expect(harness.step(.drain).isEmpty, "the other run may take a while, and a decision may come meanwhile")
        let lines = harness.end("run-2")
        #expect(lines == ["1<b completed run-2", "cancel run-1", "drop run-1", "1<a lost run-1", "drained"])
        #expect(harness.core.ended["run-1"]?.result.reason == Errors.lostWhileWaiting)
    }

    @Test("in memory waits for a deadline or an attempt that comes in the drain time", arguments: 0..<3)
    mutating func timely(_ kind: Int) {
        let policy = ActionPolicy(attempts: 2, backoff: .seconds(29))
        let retried = HostedPipeline("p", pipeline(Stage("work")), policies: ["work": policy])
        harness = CoreHarness(pipelines: [retried])
        harness.run("a", deadline: kind == 0 ? .seconds(29) : nil)
        switch kind {
        case 0: harness.restAtGate("s")
        case 1: harness.restAtGate("s", deadline: .seconds(29))
        default: harness.rest(.failed(reason: "no"))
        }
        #expect(harness.step(.drain).isEmpty)
        let lines = harness.advance(by: .seconds(29))
        #expect(lines.contains { $0.hasPrefix("go on with run-1") || $0.hasPrefix("end run-1") }, "\(lines)")
        #expect(harness.end().last == "drained")
    }

    @Test("in memory waits for no run that a pause keeps from its slot, nor for one that reports a lost one there")
    mutating func paused() {
        let report = HostedPipeline("tell", pipeline(Stage("send")))
        harness = CoreHarness(pipelines: served + [report], events: [.failed: "tell"])
        let pause = PauseRequest(PauseSubject(.pipeline, "p"), .pause(for: nil, reason: ""))
        harness.send(.pause(pause), id: "x")
        harness.run("a")
        let lines = harness.step(.drain)
        #expect(lines.contains("1<a lost run-1") && lines.contains("start run-2"), "\(lines)")
        #expect(harness.end("run-2").last == "drained")
    }

    @Test("ends at the end of its time as cancelled what was cancelled, and not as lost: nobody sends that again")
    mutating func cancelledBefore() throws {
        harness.run("a")
        harness.step(.transition("run-1", .eligible(["work"])))
        harness.run("b")
        harness.step(.drain)
        #expect(harness.send(.cancel(CancelRequest(run: "run-1")), id: "c").last == "1<c ok stopping run-1")
        let lines = harness.step(.drainTimeEnded)
        #expect(
            lines == ["cancel run-1", "1<a cancelled run-1", "cancel run-2", "1<b lost run-2", "drained"]
        )
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.reason.hasSuffix(Errors.notReturned(isAction: true)))
        #expect(result.abandoned == ["work"])
    }

    @Test("loses at the end of its time what is left, and says so; nothing of it begins any more")
    mutating func losing() {
        harness.run("a")
        harness.run("b")
        harness.run("c")
        harness.open("s")
        harness.step(.drain)
        let lines = harness.step(.drainTimeEnded)
        #expect(
            lines == [
                "cancel run-1", "resume 1 closed", "1<a lost run-1", "cancel run-2", "1<b lost run-2", "cancel run-3",
                "1<c lost run-3", "drained",
            ]
        )
        #expect(harness.core.runs.isEmpty)
        #expect(harness.core.queues.load(of: "p").held == 0)
        #expect(harness.core.signals.waiting.count == 0)
        #expect(harness.end("run-2").isEmpty)
    }
}

@Suite("A core with monitors that drains")
struct CoreMonitorDrainTests {
    private var harness = CoreHarness(monitors: watched)
    private let wanting = Request.Command.notify(StateChange(topic: "a.b", wantsEvaluation: true))

    @Test("ends the cycles it owes, and tells who asked for them, before it is drained")
    mutating func owed() {
        harness.advance(by: .seconds(1))
        harness.send(wanting)
        #expect(harness.step(.cycleEnded(monitor: 1, .ran(MonitorCycle(number: 1, actions: [])))).isEmpty)
        #expect(harness.step(.drain).isEmpty)
        #expect(harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [])))) == ["cycle 0"])
        let last = harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 2, actions: []))))
        #expect(last == ["1<a evaluated, m ran in 2", "drained"])
    }

    @Test("tells at the end of its time what is pending")
    mutating func pending() {
        harness.send(wanting)
        harness.step(.drain)
        #expect(harness.step(.drainTimeEnded) == ["1<a evaluated, m pending", "drained"])
    }

    @Test("does not wait for a monitor that holds its cycle back")
    mutating func heldBack() {
        harness.step(.cycleEnded(monitor: 1, .ran(MonitorCycle(number: 1, actions: []))))
        harness.step(.standingChanged(monitor: 0, .heldBack))
        #expect(harness.step(.drain) == ["drained"])
    }
}
