import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

/// One that a run may not need: several are to come to it.
private let gate = GateAction("approve", signal: "s", priority: .high) { _ in true }
private let served = [
    HostedPipeline("p", pipeline(Stage("work", priority: .critical), gate, Stage("deploy", priority: .low)), slots: 1)
]

@Suite("A run that waited at a gate when its worker died")
struct CoreRestoreGateTests {
    private var core = RestartedCore(pipelines: served)
    private let values = RunValues(values: [.init(key: "v", type: "Swift.Int", json: Array("1".utf8))])

    init() { begin("run-1", "a") }

    private mutating func begin(_ run: Name, _ id: String, deadline: Duration? = nil) {
        core.run(id, deadline: deadline)
        core.asked(run, "work", "approve", "deploy")
        core.completed("work", of: run, leaving: values)
    }

    @Test("has its decision delivered before the worker is ready, and goes on with it when it is")
    mutating func decided() throws {
        core.restAtGate("s")
        #expect(core.restart(after: .seconds(86_400)).isEmpty)
        #expect(core.complete("s", "yes", id: "d") == ["1<d delivered"])
        #expect(core.decide(.ready) == [#"go on with run-1 at approve, approved "yes""#])
        let resumption = try #require(core.starts.last?.resumption)
        #expect(resumption.eligible == ["work", "approve", "deploy"], "the conditions are not asked again")
        #expect(resumption.results == ["work": .completed])
        #expect(resumption.restored == values.values)
        #expect(core.starts.last?.earlierAttempts == 0)
    }

    @Test("waits on through any number of workers, and holds no slot meanwhile")
    mutating func waits() {
        core.restAtGate("s")
        for _ in 1...4 { #expect(core.restart(isReady: true).isEmpty) }
        #expect(core.core.runs["run-1"]?.standing == .waiting)
        #expect(core.run("b").last == "start run4-1")
    }

    @Test("and was decided just before goes on with the decision at once")
    mutating func decidedBefore() {
        core.restAtGate("s")
        core.run("b")
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered", "1<a resumed approve s"], "no slot is free")
        core.restart()
        #expect(core.decide(.ready).first == "go on with run-1 at approve, approved 7")
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered again"])
    }

    @Test("and had gone on with the decision goes on with it again, and is asked nothing")
    mutating func goneOn() {
        core.restAtGate("s")
        core.complete("s", 7)
        #expect(core.restart(isReady: true) == ["go on with run-1 at approve, approved 7"])
    }

    /// The same pipeline under another definition.
    private let changed = [
        HostedPipeline(
            "p",
            pipeline(Stage("work", priority: .critical), gate, Stage("deploy", priority: .low)),
            slots: 1,
            revision: "2"
        )
    ]

    @Test(
        "and is parked as its pipeline changed goes on with what was decided meanwhile: nobody asks whether it is needed"
    )
    mutating func decidedWhileParked() {
        core.restAtGate("s")
        core.restart(pipelines: changed, isReady: true)
        let rejection = Decision(signal: "s", outcome: .rejected(reason: "no"))
        #expect(core.send(.decide(rejection), id: "d").first == "1<d delivered")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at approve, rejected no", "1<r ok running run-1"])
    }

    @Test("and is parked as its pipeline changed waits on when it is redriven before it is decided")
    mutating func redrivenBefore() {
        core.restAtGate("s", deadline: .seconds(100))
        core.restart(after: .seconds(30), pipelines: changed, isReady: true)
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r ok waiting run-1"])
        #expect(core.run("b").last == "start run1-1", "it holds no slot")
        core.end("run1-1")
        #expect(core.complete("s", 7, id: "d").last == "go on with run-1 at approve, approved 7")
    }

    @Test("and waits on under another definition is decided by whom that allows")
    mutating func renewed() {
        core.restAtGate("s")
        let other = GateAction("approve", signal: "s", priority: .high, rule: GateRule(allowed: ["bob"]))
        let actions = pipeline(Stage("work", priority: .critical), other, Stage("deploy", priority: .low))
        core.restart(pipelines: [HostedPipeline("p", actions, slots: 1, revision: "2")], isReady: true)
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r ok waiting run-1"])
        #expect(core.complete("s", 7, id: "d") == ["1<d forbidden"])
    }

    @Test("and goes on under a definition that asks under another id is waited for under that one only")
    mutating func renamedGate() {
        core.restAtGate("s")
        let other = GateAction("approve", signal: "other", priority: .high)
        let actions = pipeline(Stage("work", priority: .critical), other, Stage("deploy", priority: .low))
        core.restart(pipelines: [HostedPipeline("p", actions, revision: "2")], isReady: true)
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r").last == "1<r ok running run-1")
        #expect(core.complete("s", id: "d") == ["1<d closed"], "nobody waits for it any more")
        core.restAtGate("other")
        #expect(core.complete("other", 7, id: "e").first == "1<e delivered")
    }

    @Test("is redriven under another definition if the gates ahead of it are nobody else's; those behind do not count")
    mutating func renewedGates() {
        begin("run-2", "b")
        core.restAtGate("s")
        core.restAtGate("t", "run-2", waiter: 2)
        let other = GateAction("other", signal: "t", priority: .low)
        let ahead = pipeline(Stage("work", priority: .critical), gate, other)
        core.restart(pipelines: [HostedPipeline("p", ahead, revision: "2")], isReady: true)
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r error id_taken"])
        #expect(core.core.runs["run-1"]?.standing == .parked)
        let behind = pipeline(GateAction("work", signal: "t", priority: .critical), gate)
        core.restart(pipelines: [HostedPipeline("p", behind, revision: "3")], isReady: true)
        #expect(core.send(.redrive(RedriveRequest(run: "run-1")), id: "r") == ["1<r ok waiting run-1"])
    }

    @Test("is closed with its gate when it is cancelled in the next worker")
    mutating func cancelled() {
        core.restAtGate("s")
        core.restart(isReady: true)
        let lines = core.send(.cancel(CancelRequest(run: "run-1")), id: "c")
        #expect(lines == ["cancel run-1", "end run-1 at approve, closed", "1<c ok cancelled run-1"])
        #expect(core.complete("s", id: "d") == ["1<d closed"])
    }

    @Test("and holds what could not be kept begins again, and comes to the same gate: nobody is asked twice")
    mutating func begunAgain() {
        core.completed("work", leaving: RunValues(unkept: "handle"))
        core.restAtGate("s")
        #expect(core.restart(isReady: true) == ["start run-1"])
        #expect(core.complete("s", 7, id: "d").first == "1<d delivered", "it comes while the run is on its way there")
        core.asked("run-1", "work", "approve", "deploy")
        core.completed("work")
        #expect(core.restAtGate("s") == ["go on with run-1 at approve, approved 7"])
    }

    @Test("and never comes to it again has it closed when it ends")
    mutating func orphaned() {
        core.completed("work", leaving: RunValues(unkept: "handle"))
        core.restAtGate("s")
        core.restart(isReady: true)
        core.end()
        #expect(core.complete("s", id: "d") == ["1<d closed"])
    }

    @Test("has what is left of the gate's deadline, whoever opens it again")
    mutating func deadline() {
        core.restAtGate("s", deadline: .seconds(100))
        core.restart(after: .seconds(30), isReady: true)
        #expect(core.advance(by: .milliseconds(69_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["go on with run-1 at approve, expired"])
        #expect(core.complete("s", id: "d") == ["1<d expired"])
    }

    @Test(
        "that its action opened has the action executed again, which gets the same wait with what is left of its time"
    )
    mutating func within() {
        core.completed("approve")
        open(1)
        #expect(core.restart(after: .seconds(40)).isEmpty)
        #expect(core.decide(.ready) == ["go on with run-1 at deploy, proceed"])
        #expect(core.starts.last?.earlierAttempts == 1)
        let lines = open(2)
        #expect(lines.contains("resume 2 registered") && !lines.contains("resume 2 refused id_taken"))
        #expect(core.advance(by: .milliseconds(59_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["1<a resumed deploy s", "resume 2 expired"])
    }

    @discardableResult
    private mutating func open(_ waiter: UInt64) -> [String] {
        core.run("a")
        let owner = SignalOwner.action("run-1", "deploy")
        let waiting = SignalWait(owner: owner, kind: .gate, waiter: WaiterID(number: waiter))
        return core.decide(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: .seconds(100))))
    }

    @Test("and others have what passed meanwhile settled in the taking over, in the order of its moments")
    mutating func settled() {
        core.restAtGate("s", deadline: .seconds(5), waiter: 1)
        begin("run-2", "b", deadline: .seconds(4))
        core.restAtGate("t", "run-2", waiter: 2)
        begin("run-3", "c")
        core.restAtGate("u", "run-3", deadline: .seconds(3), waiter: 3)
        let lines = core.restart(after: .seconds(10))
        #expect(lines == ["cancel run-2", "end run-2 at approve, closed"])
        let told = core.journal.compactMap { entry in entry.signal.map { "\($0) \(entry.event)" } }
        let ends = told.filter { !$0.hasSuffix("waiting") && !$0.hasSuffix("resumed") }
        #expect(ends == ["u expired", "t closed", "s expired"])
        #expect(core.complete("u", id: "d") == ["1<d expired"], "before the worker is ready")
        #expect(core.decide(.ready) == ["go on with run-3 at approve, expired"])
    }
}
