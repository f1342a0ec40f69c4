import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("A request for a run")
struct CoreRequestTests {
    private var harness = CoreHarness(pipelines: [
        HostedPipeline("p", pipeline(Stage("work")), seeds: [.optional("n", .integer, default: 0)], slots: 2)
    ])

    @Test("is accepted, started and answered with its result")
    mutating func path() {
        #expect(harness.run() == ["1<a accepted run-1", "start run-1"])
        #expect(harness.end() == ["1<a completed run-1"])
        #expect(harness.core.runs.isEmpty)
        #expect(harness.core.queues.load(of: "p").held == 0)
        #expect(harness.core.bounds.active.isEmpty)
    }

    @Test("whose action failed has a failed result")
    mutating func failing() throws {
        harness.run()
        #expect(harness.end(failing: "no disk") == ["1<a failed run-1"])
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.reason == "work: no disk")
    }

    @Test("whose output has no JSON form has a failed result")
    mutating func flawedOutput() throws {
        harness.run()
        harness.step(.runEnded("run-1", .test(), outputs: ["a": 1], flaw: "socket"))
        let result = try #require(harness.core.ended["run-1"]?.result)
        #expect(result.state == .failed)
        #expect(result.reason == "socket")
        #expect(result.outputs == ["a": 1])
    }

    @Test("that is detached ends at its acceptance")
    mutating func detached() {
        #expect(harness.run(isDetached: true) == ["1<a accepted run-1", "start run-1"])
        #expect(harness.end().isEmpty)
    }

    @Test("sent again while it is unfinished attaches the connection and begins nothing")
    mutating func attaching() {
        harness.run(from: 1)
        #expect(harness.run(from: 2) == ["2<a accepted run-1 again"])
        #expect(harness.run(from: 1) == ["1<a accepted run-1 again"])
        #expect(harness.end() == ["2<a completed run-1", "1<a completed run-1"])
    }

    @Test("sent again when it is finished gets the stored answer")
    mutating func replaying() {
        harness.run()
        harness.end()
        #expect(harness.run(from: 9) == ["9<a accepted run-1 again", "9<a completed run-1 again"])
        #expect(harness.run(isDetached: true, from: 9) == ["9<a accepted run-1 again"])
    }

    @Test("under an id that was used for other content is a conflict, and the first is not touched")
    mutating func conflict() {
        harness.run()
        #expect(harness.run(seeds: ["n": 1], from: 2) == ["2<a error id_conflict"])
        #expect(harness.complete("s", id: "a") == ["2<a error id_conflict"])
        #expect(harness.end() == ["1<a completed run-1"])
        #expect(harness.run(seeds: ["n": 1]) == ["1<a error id_conflict"])
    }

    @Test("of a sender with another label is another request")
    mutating func labels() {
        let request = Request.Command.run(RunRequest(pipeline: "p"))
        #expect(harness.send(request, source: "shop").first == "1<a accepted run-1")
        #expect(harness.send(request, source: "depot").first == "1<a accepted run-2")
        #expect(harness.send(request, source: "shop").first == "1<a accepted run-1 again")
    }

    @Test("is forgotten after its retention, and then begins another run")
    mutating func retention() {
        harness.run()
        harness.advance(by: .seconds(600))
        #expect(harness.run() == ["1<a accepted run-1 again"], "an unfinished one stays")
        harness.end()
        harness.advance(by: .milliseconds(59_999))
        #expect(harness.run().first == "1<a accepted run-1 again")
        harness.advance(by: .milliseconds(1))
        #expect(harness.keptCount == 0)
        #expect(harness.core.ended.count == 0)
        #expect(harness.run().first == "1<a accepted run-2")
    }

    @Test("is answered on eight connections; one more takes the place of the oldest")
    mutating func connections() {
        for peer in 1...9 { harness.run(from: peer) }
        #expect(harness.end() == (2...9).map { "\($0)<a completed run-1" })
    }

    @Test("that is unknown to the worker is ignored when it ends")
    mutating func stray() {
        #expect(harness.end("run-77").isEmpty)
        #expect(harness.step(.transition("run-77", .started("work"))).isEmpty)
    }

    @Test("tells its progress to those who want it, numbered")
    mutating func progress() {
        harness.send(.run(RunRequest(pipeline: "p", wantsProgress: true)), from: 1)
        harness.run(from: 2)
        #expect(harness.step(.transition("run-1", .eligible(["work"]))).isEmpty)
        #expect(harness.step(.transition("run-1", .started("work"))) == ["1<a started work"])
        let report = PipelineReport.test().actions[0]
        #expect(harness.step(.transition("run-1", .finished(report))) == ["1<a finished work completed"])
        #expect(harness.core.runs["run-1"]?.audience.changesTold == 2)
    }
}

@Suite("A request that is refused")
struct CoreRefusalTests {
    private static let gate = GateAction("approve", signal: "deploy.{seed.version}")
    private var harness = CoreHarness(pipelines: [
        HostedPipeline("deploy", pipeline(CoreRefusalTests.gate), seeds: [.required("version", .string)])
    ])

    @Test("leaves no trace: the same id may be sent again, with any content")
    mutating func noTrace() {
        #expect(harness.run(pipeline: "deplyo") == ["1<a error unknown_pipeline"])
        #expect(harness.run(pipeline: "deploy") == ["1<a error bad_seed"])
        #expect(harness.run(pipeline: "deploy", seeds: ["version": 4]) == ["1<a error bad_seed"])
        let durable = RunRequest(pipeline: "deploy", seeds: ["version": "v4"], durability: .fsynced)
        #expect(harness.send(.run(durable)) == ["1<a error not_durable"])
        #expect(harness.keptCount == 0)
        #expect(harness.core.ledger.count == 0)
        let lines = harness.run(pipeline: "deploy", seeds: ["version": "v4"])
        #expect(lines == ["1<a accepted run-1", "start run-1"])
    }

    @Test("for a seed of which its gate can make no id has begun nothing")
    mutating func gateSeed() {
        #expect(harness.run(pipeline: "deploy", seeds: ["version": "v4..other"]) == ["1<a error bad_seed"])
        #expect(harness.core.runs.isEmpty)
    }

    @Test("for a seed with which its gate's id is too long has begun nothing")
    mutating func longGateSeed() {
        let gate = GateAction("approve", signal: "mix-{seed.version}.{run.id}")
        let mixed = HostedPipeline("p", pipeline(Stage("build"), gate), seeds: [.required("version", .string)])
        harness = CoreHarness(pipelines: [mixed])
        let longest = String(repeating: "v", count: 60)
        #expect(harness.run(seeds: ["version": .string(longest + "v")]) == ["1<a error bad_seed"])
        #expect(harness.run(seeds: ["version": .string(String(repeating: "v\u{301}", count: 40_000))]).count == 1)
        #expect(harness.core.runs.isEmpty)
        #expect(harness.run(seeds: ["version": .string(longest)]) == ["1<a accepted run-3", "start run-3"])
    }

    @Test("for a gate whose signal is another run's has begun nothing, whether that is decided or not")
    mutating func takenGate() {
        harness.run("a", pipeline: "deploy", seeds: ["version": "1"])
        harness.restAtGate("deploy.1")
        #expect(harness.run("b", pipeline: "deploy", seeds: ["version": "1"]) == ["1<b error id_taken"])
        harness.complete("deploy.1", id: "c")
        #expect(harness.run("b", pipeline: "deploy", seeds: ["version": "1"]) == ["1<b error id_taken"])
        #expect(harness.core.runs.count == 1)
        #expect(harness.run("b", pipeline: "deploy", seeds: ["version": "2"]) == ["1<b accepted run-4", "start run-4"])
        #expect(
            harness.run("a", pipeline: "deploy", seeds: ["version": "1"]) == ["1<a accepted run-1 again"],
            "whose own it is may be asked for again"
        )
    }

    @Test("for a signal that is named after it leaves the next one alone")
    mutating func ownName() {
        let any = GateAction("approve", signal: "deploy.{seed.version}")
        let own = GateAction("approve", signal: "deploy.{run.id}")
        harness = CoreHarness(pipelines: [
            HostedPipeline("any", pipeline(any), seeds: [.required("version", .string)]),
            HostedPipeline("own", pipeline(own)),
        ])
        harness.run("a", pipeline: "any", seeds: ["version": "run-2"])
        harness.restAtGate("deploy.run-2")
        #expect(harness.run("b", pipeline: "own") == ["1<b error id_taken"])
        #expect(harness.run("b", pipeline: "own") == ["1<b accepted run-3", "start run-3"])
    }

    @Test("for two gates that would wait for one signal has begun nothing")
    mutating func equalGates() {
        let gates = pipeline(GateAction("a", signal: "x.{seed.a}"), GateAction("b", signal: "x.{seed.b}"))
        let seeds: [Seed] = [.required("a", .string), .required("b", .string)]
        harness = CoreHarness(pipelines: [HostedPipeline("p", gates, seeds: seeds)])
        #expect(harness.run(seeds: ["a": "1", "b": "1"]) == ["1<a error bad_seed"])
        #expect(harness.run(seeds: ["a": "1", "b": "2"]) == ["1<a accepted run-2", "start run-2"])
    }

    @Test("for a signal of another tells whose it is to those only who may read of it")
    mutating func untoldOwner() throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let members = [
            AccessPolicy.Member("reader", keys: [], grants: AccessPolicy.Grants([.run: all, .read: all])),
            AccessPolicy.Member("runner", keys: [], grants: AccessPolicy.Grants([.run: all])),
        ]
        let gated = HostedPipeline("p", pipeline(GateAction("approve", signal: "s")))
        harness = CoreHarness(pipelines: [gated], access: try AccessPolicy(members))
        #expect(try refusal(of: "runner", id: "a") == nil)
        harness.restAtGate("s")
        let shown = Errors.taken("s", by: "the action \"approve\" of the run run-1", isNeeded: true).message
        #expect(try refusal(of: "reader", id: "b") == shown)
        let hidden = Errors.taken("s", by: nil, isNeeded: true).message
        #expect(try refusal(of: "runner", id: "b") == hidden)
    }

    private mutating func refusal(of principal: String, id: String) throws -> String? {
        let received = Received(
            Request(.run(RunRequest(pipeline: "p")), id: try RequestID(id)),
            from: 1,
            as: AccessPolicy.Principal(principal)
        )
        guard case .answer(let answer, _) = harness.effects(of: .received(received)).first,
            case .error(let error) = answer.content
        else { return nil }
        return error.message
    }

    @Test("for a gate whose signal is decided already, and nobody's, is not refused")
    mutating func earlyGate() {
        harness.complete("deploy.1", id: "c")
        let lines = harness.run("a", pipeline: "deploy", seeds: ["version": "1"])
        #expect(lines == ["1<a accepted run-1", "start run-1"])
    }

    @Test(
        "for the signal of another run is none where it may not come to the gate",
        arguments: [
            GateAction("approve", signal: "s") { _ in false }, GateAction("approve", signal: "s", requires: ["work"]),
        ]
    )
    mutating func uncertainGate(_ gate: GateAction) {
        harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work", priority: .high), gate))])
        harness.run("a")
        harness.restAtGate("s")
        #expect(harness.run("b") == ["1<b accepted run-2", "start run-2"])
    }

    @Test("for an unknown pipeline names the one it looks like")
    mutating func guess() throws {
        let received = Received(Request(.run(RunRequest(pipeline: "deplyo"))), from: 1)
        guard case .answer(let answer, _) = harness.effects(of: .received(received)).first,
            case .error(let error) = answer.content
        else { throw Missing("an error") }
        #expect(error.message.contains("`deploy`"))
        #expect(error == Errors.unknownPipeline("deplyo", among: ["deploy"]))
    }

    @Test("for a durability the worker's store has not, whatever the command")
    mutating func durability() {
        let decision = Decision(signal: "s", outcome: .approved(value: []), durability: .fsynced)
        #expect(harness.send(.decide(decision)) == ["1<a error not_durable"])
        #expect(harness.send(.notify(StateChange(topic: "t", durability: .fsynced))) == ["1<a error not_durable"])
        #expect(harness.send(.notify(StateChange(topic: "t", durability: .memory))) == ["1<a accepted by 0"])
    }
}
