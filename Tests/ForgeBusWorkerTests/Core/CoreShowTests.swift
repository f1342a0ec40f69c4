import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

private let policies: [ActionID: ActionPolicy] = [
    "work": ActionPolicy(onFailure: .park), "again": ActionPolicy(attempts: 2, backoff: .seconds(3)),
]

@Suite("What the worker shows of one thing")
struct CoreShowTests {
    private var harness = CoreHarness(
        pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1, policies: policies)],
        monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])]
    )

    private var start: Int64 { harness.now.unixMilliseconds }

    private mutating func item(_ kind: ItemKind, _ name: Name) throws -> JSONObject {
        try item(.received(Received(Request(.show(ShowRequest(kind, name))), from: 1)))
    }

    private mutating func item(_ event: Event) throws -> JSONObject {
        guard case .answer(let answer, _) = harness.effects(of: event).first, case .shown(let item) = answer.content
        else { throw Missing("an item") }
        return item
    }

    @Test("is of a run whose it is and what it waits for")
    mutating func run() throws {
        harness.run("a")
        harness.run("b")
        harness.open("s")
        let expected: JSONObject = [
            "run": "run-1", "pipeline": "p", "state": "waiting", "id": "a", "accepted_at_ms": .integer(start),
            "principal": "local", "signal": "s", "began_at_ms": .integer(start),
            "waits": [["action": "approve", "state": "waiting", "signal": "s"]],
        ]
        #expect(try item(.run, "run-1") == expected)
        #expect(try item(.run, "run-2")["state"] == "running")
        #expect(try item(.run, "run-2")["waits"] == nil)
    }

    @Test("is of a run that is parked or tries again which action that is")
    mutating func pauses() throws {
        harness.run()
        harness.rest(.failed(reason: "no"))
        #expect(try item(.run, "run-1")["waits"] == [["action": "work", "state": "parked", "reason": "no"]])
    }

    @Test("is of a run that tries again when, and of one that waits for a slot nothing but that")
    mutating func rejoining() throws {
        harness.run("a")
        harness.rest(.failed(reason: "no"), action: "again")
        let due = JSONValue.integer(start + 3_000)
        let wait: JSONObject = ["action": "again", "state": "retrying", "due_at_ms": due]
        #expect(try item(.run, "run-1")["waits"] == [.object(wait)])
        harness.run("b")
        harness.advance(by: .seconds(3))
        #expect(try item(.run, "run-1")["state"] == "queued")
        #expect(try item(.run, "run-1")["waits"] == nil)
    }

    @Test("is of a signal of a process which that is")
    mutating func announced() throws {
        let waiting = SignalWait(owner: .process("deploy"), kind: .signal, waiter: WaiterID(number: 1))
        harness.step(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: nil)))
        let expected: JSONObject = [
            "signal": "s", "kind": "signal", "process": "deploy", "opened_at_ms": .integer(start), "state": "waiting",
            "owner": "deploy",
        ]
        #expect(try item(.signal, "s") == expected)
    }

    @Test("is of a run its seeds, without secret ones")
    mutating func seeds() throws {
        let seeds: [Seed] = [.required("token", .string, isSecret: true), .required("user", .string)]
        harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")), seeds: seeds)])
        harness.run(seeds: ["token": "s3cr3t", "user": "ada"])
        #expect(try item(.run, "run-1")["seeds"] == ["user": "ada"])
        let declared = try #require(try item(.pipeline, "p")["seeds"]?.array)
        #expect(declared.map { $0.object?["secret"] } == [true, nil])
    }

    @Test("is of a run that has ended how and why, and what was abandoned")
    mutating func ended() throws {
        harness.run()
        harness.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        harness.step(.abandoned("run-1", action: "work"))
        let expected: JSONObject = [
            "run": "run-1", "pipeline": "p", "state": "cancelled", "id": "a", "accepted_at_ms": .integer(start),
            "principal": "local", "ended_at_ms": .integer(start),
            "reason": .string("\(Errors.cancelled("")) \(Errors.notReturned(isAction: true))"),
            "began_at_ms": .integer(start), "abandoned": ["work"],
        ]
        #expect(try item(.run, "run-1") == expected)
    }

    @Test("is of a signal how it stands, whose it is and who decided it")
    mutating func signals() throws {
        harness.complete("early", id: "d1")
        harness.run()
        for (number, signal) in ["open", "done", "late", "shut"].enumerated() {
            let deadline: Duration? = signal == "late" ? .seconds(1) : nil
            harness.open(Name(unchecked: signal), action: signal, waiter: UInt64(number), deadline: deadline)
        }
        harness.reject("done", id: "d2")
        harness.step(.withdrawn("shut", WaiterID(number: 3), why: "no need"))
        harness.advance(by: .seconds(1))
        let early = try item(.signal, "early")
        let sent = harness.now.unixMilliseconds - 1_000
        let decision: JSONValue = [
            "decision": "approved", "by": "local", "at_ms": .integer(sent), "until_ms": .integer(sent + 86_400_000),
            "asked": true,
        ]
        #expect(early == ["signal": "early", "state": "buffered", "by": ["local"], "decisions": [decision]])
        func ofRun(_ signal: String, _ state: JSONValue, _ more: JSONObject = [:]) -> JSONObject {
            var item: JSONObject = [
                "signal": .string(signal), "kind": "gate", "run": "run-1", "action": .string(signal),
                "opened_at_ms": .integer(sent), "requester": "local",
            ]
            (item["state"], item["owner"]) = (state, .string("run-1/\(signal)"))
            item.add(more)
            return item
        }
        let decided: JSONObject = ["by": "local", "decided_at_ms": .integer(sent), "reason": "no"]
        #expect(try item(.signal, "open") == ofRun("open", "waiting", ["you": "may_decide"]))
        #expect(try item(.signal, "done") == ofRun("done", "rejected", decided))
        #expect(try item(.signal, "shut") == ofRun("shut", "closed", ["why": "no need"]))
        #expect(try item(.signal, "late") == ofRun("late", "expired"))
    }

    @Test("is of a gate who may decide it and by when, and of its run, too, for what that waits")
    mutating func gate() throws {
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            access: try Operator.policy()
        )
        harness.step(try Operator.sends(.run(RunRequest(pipeline: "p"))))
        let rule = GateRule(allowed: ["bob", "ada"], requesterMayDecide: false)
        harness.rest(.gate("s", rule: rule, deadline: .seconds(5), message: "Deploy 42?"))
        let end = JSONValue.integer(start + 5_000)
        let shown = try item(try Operator.sends(.show(ShowRequest(.signal, "s"))))
        #expect(shown["allowed"] == ["ada", "bob"])
        #expect(shown["requester_may_decide"] == false)
        #expect(shown["deadline_at_ms"] == end && shown["message"] == "Deploy 42?")
        let wait: JSONObject = [
            "action": "work", "state": "waiting", "signal": "s", "deadline_at_ms": end, "message": "Deploy 42?",
        ]
        #expect(try item(try Operator.sends(.show(ShowRequest(.run, "run-1"))))["waits"] == [.object(wait)])
    }

    @Test("is of a pipeline what it is loaded with, and of a monitor what it does")
    mutating func hosted() throws {
        for id in ["a", "b", "c"] { harness.run(id) }
        let shown = try item(.pipeline, "p")
        #expect(shown["slots"] == 1 && shown["executing"] == 1 && shown["queued"] == 2)
        #expect(try item(.monitor, "m")["state"] == "running")
    }

    @Test(
        "is nothing of what is not known",
        arguments: [
            (ItemKind.run, "unknown_run"), (.signal, "unknown_signal"), (.monitor, "unknown_monitor"),
            (.pipeline, "unknown_pipeline"),
        ]
    )
    mutating func unknown(_ kind: ItemKind, code: String) {
        #expect(harness.send(.show(ShowRequest(kind, "nothing"))) == ["1<a error \(code)"])
    }
}

@Suite("A greeting")
struct CoreGreetingTests {
    private func welcome(_ harness: inout CoreHarness) throws -> Welcome {
        let event = Event.received(Received(Request(.hello), from: 1))
        guard case .answer(let answer, _) = harness.effects(of: event).first,
            case .welcome(let welcome) = answer.content
        else { throw Missing("a welcome") }
        return welcome
    }

    @Test("is answered with what the worker keeps, and with its limits beside those of the wire")
    func contents() throws {
        var limits = WorkerLimits()
        limits.queuedRuns = 17
        var harness = CoreHarness(limits: limits, durability: .fsynced, retention: .seconds(90))
        let welcome = try welcome(&harness)
        #expect(welcome.worker == "test")
        #expect(welcome.versions == [1])
        #expect(welcome.durability == .fsynced)
        #expect(welcome.retention == .seconds(90))
        #expect(welcome.limits["queued"] == 17)
        #expect(WireLimits.byName.allSatisfy { welcome.limits[$0.key] == $0.value })
    }

    @Test("is answered in every phase, which it tells")
    func phases() throws {
        var harness = CoreHarness(isReady: false)
        #expect(try welcome(&harness).state == .starting)
        harness.step(.ready)
        #expect(try welcome(&harness).state == .ready)
        harness.step(.drain)
        #expect(try welcome(&harness).state == .draining)
    }
}
