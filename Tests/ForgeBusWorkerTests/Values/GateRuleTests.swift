import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A gate's rule", .scorecard(24))
struct GateRuleTests {
    private var book = BookUnderTest()
    private let two = GateRule(allowed: ["ada", "bob"])
    private let others = GateRule(requesterMayDecide: false)

    @Test("lets those decide whom it names, and nobody else, before and after the decision")
    mutating func allowed() {
        #expect(book.open(rule: two) == "waits")
        #expect(book.complete(by: "eve") == "forbidden")
        #expect(book.reject(by: "eve") == "forbidden")
        #expect(book.complete(by: "bob") == "delivered, 1 gets approved null")
        #expect(book.complete(by: "eve") == "forbidden", "what stands is not told to whoever may not decide")
        #expect(book.reject(by: "ada").hasPrefix("conflict with approved by bob"))
    }

    @Test("keeps the requester from deciding")
    mutating func requester() {
        #expect(book.open(rule: others, requester: "ada") == "waits")
        #expect(book.complete(by: "ada") == "forbidden")
        #expect(book.complete(by: "bob") == "delivered, 1 gets approved null")
    }

    @Test("keeps those from deciding who caused a run that the worker itself requested")
    func causers() {
        var terms = GateTerms(rule: others, requester: "worker", causers: ["ada"])
        #expect(terms.objection(to: "ada", under: book.policy) != nil)
        #expect(terms.objection(to: "bob", under: book.policy) == nil)
        terms.rule = two
        #expect(terms.objection(to: "ada", under: book.policy) == nil, "here requesters may decide")
    }

    @Test("holds for a requester whom it names, too")
    mutating func both() {
        #expect(book.open(rule: GateRule(allowed: ["ada"], requesterMayDecide: false), requester: "ada") == "waits")
        #expect(book.complete(by: "ada") == "forbidden")
    }

    @Test("is kept with each of its fields")
    func kept() {
        let waiting = SignalWait(
            owner: .process("owner"),
            kind: .gate,
            waiter: WaiterID(number: 1),
            rule: GateRule(
                allowed: ["ada", .group("release")],
                requesterMayDecide: false,
                approvals: 2,
                rejections: 3,
                distinctFrom: ["review"],
                value: ["ticket": .required(.string), "count": .optional(.integer)],
                reminder: .seconds(60),
                escalation: GateRule.Escalation(after: .seconds(90), allowed: [.group("managers"), "eve"])
            )
        )
        var told = waiting
        told.opened = 5
        told.terms.message = "Deploy?"
        told.terms.requester = "bob"
        told.terms.barred = ["carl"]
        told.terms.isEscalated = true
        told.terms.votes = [Vote(outcome: .rejected(reason: "no"), principal: "ada", via: nil, unixMilliseconds: 6)]
        let wait = SignalRecord.Wait(told)
        let restored = SignalWait(wait, waiting.waiter, deadline: nil)
        #expect(SignalRecord.Wait(restored) == wait)
        #expect(restored.terms.rule == waiting.terms.rule && restored.opened == 5)
        // A field that is new has a default, so that the compiler would not miss it here.
        func fields(of value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
        // A new worker computes the next times.
        let computed: Set = ["escalates", "reminds"]
        #expect(fields(of: waiting.terms).subtracting(computed).isSubset(of: fields(of: wait)))
    }

    @Test("drops the early decision of whoever may not decide, and takes the first that may")
    mutating func early() {
        #expect(book.complete(by: "eve") == "buffered for 60000")
        #expect(book.reject("s", "no", by: "bob") == "buffered for 60000")
        #expect(book.open(rule: two) == "decided rejected no")
        #expect(book.complete("t", by: "eve") == "buffered for 60000")
        #expect(book.open("t", rule: two) == "waits")
        #expect(book.complete("t", by: "eve") == "forbidden")
    }

    @Test("is refused by a worker that tells nobody apart, and by the core for a gate that an action opens")
    func identities() throws {
        let pipeline = PipelineOrchestrator()
        pipeline.register(GateAction("approve", signal: "x.{run.id}", rule: two))
        let error = #expect(throws: WorkerError.self) {
            try BusWorker(
                WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")]),
                pipelines: [HostedPipeline("deploy", pipeline)]
            )
        }
        #expect(error?.code == .definition)

        var harness = CoreHarness(pipelines: [HostedPipeline("p", PipelineOrchestrator())])
        harness.run()
        let owner = SignalOwner.action("run-1", "approve")
        let waiting = SignalWait(owner: owner, kind: .gate, waiter: WaiterID(number: 1), rule: two)
        let lines = harness.step(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: nil)))
        #expect(lines == ["resume 1 refused forbidden"])
    }
}

@Suite("Signals that are declared")
struct DeclaredSignalTests {
    private var book = BookUnderTest(declared: ["deploy.*.approve"])

    @Test("take early decisions; any other id is unknown, so that a misspelt one is noticed")
    mutating func early() {
        #expect(book.complete("deploy.42.approve") == "buffered for 60000")
        #expect(book.complete("deploy.42.aprove") == "unknown")
        #expect(book.open("other") == "waits", "an action may wait for what was not declared all the same")
        #expect(book.complete("other") == "delivered, 1 gets approved null")
    }

    @Test("are told apart by what stands around a place in a token, too")
    mutating func mixed() {
        book = BookUnderTest(declared: [SignalTemplate("mix-{seed.version}.approve").pattern])
        #expect(book.complete("mix-4.approve") == "buffered for 60000")
        #expect(book.complete("foo.approve") == "unknown")
        #expect(book.complete("mix-.approve") == "unknown")
    }

    @Test("are made of a gate's template, with a part of one token in each place")
    func patterns() {
        #expect(SignalTemplate("deploy.{run.id}.approve").pattern.text == "deploy.*.approve")
        #expect(SignalTemplate("v{seed.version}.{seed.region}.go").pattern.text == "v*.*.go")
        #expect(SignalTemplate("go").pattern.text == "go")
    }
}
