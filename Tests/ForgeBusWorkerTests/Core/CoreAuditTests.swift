import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("The audit of a core")
struct CoreAuditTests {
    private let keys = (ada: KeyPair().publicKey, eve: KeyPair().publicKey, ops: KeyPair().publicKey)
    private var harness: CoreHarness

    init() throws {
        let everything = AccessPolicy.Grants(
            Dictionary(uniqueKeysWithValues: AccessPolicy.Right.own.map { ($0, .init(allow: [">"])) })
        )
        let policy = try AccessPolicy([
            .init(
                "ada",
                keys: [keys.ada],
                grants: .init([.run: .init(allow: ["p"]), .complete: .init(allow: ["deploy.>"])])
            ),
            .init("eve", keys: [keys.eve]), .init("ops", keys: [keys.ops], grants: everything),
        ])
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            monitors: [HostedMonitor("stock", MonitorOrchestrator(), topics: ["stock.>"])],
            durability: .fsynced,
            access: policy
        )
    }

    private mutating func send(_ command: Request.Command, as key: PublicKey, id: String) throws {
        let principal = try #require(harness.core.access.principal(forKey: key))
        let request = Request(command, id: try RequestID(id))
        harness.step(.received(Received(request, from: 1, as: principal)))
    }

    private mutating func complete(_ signal: Name, as key: PublicKey, id: String) throws {
        try send(.decide(Decision(signal: signal, outcome: .approved(value: Array("7777".utf8)))), as: key, id: id)
    }

    private mutating func refuseEve(_ count: Int, from first: Int = 1) throws {
        for number in first..<first + count {
            try complete(Name("deploy.\(number)"), as: keys.eve, id: "eve-\(number)")
        }
    }

    @Test("has one entry for each decision and change, with the key, the request and the reason why it was allowed")
    mutating func entries() throws {
        try send(.run(RunRequest(pipeline: "p")), as: keys.ada, id: "run")
        harness.open("deploy.1")
        try complete("deploy.1", as: keys.ada, id: "yes")
        try complete("deploy.1", as: keys.ada, id: "yes")
        try send(.withdraw(WithdrawRequest(signal: "deploy.1")), as: keys.ada, id: "back")
        try send(.cancel(CancelRequest(run: "run-1", reason: "8888")), as: keys.ada, id: "stop")
        try send(.cancel(CancelRequest(run: "run-1", reason: "8888")), as: keys.ops, id: "stop")
        try send(.mode(ModeRequest("stock", screen: "s", for: .seconds(1))), as: keys.ops, id: "mode")
        harness.step(.accessReplaced(.local, by: "access.yaml"))

        let entries = harness.chained
        #expect(
            entries.map { "\($0.principal ?? "nobody") \($0.event) \($0.request?.text ?? "") \($0.allowedBy ?? "")" }
                == [
                    "ada decided yes complete:deploy.>", "ada withdrawn back complete:deploy.>",
                    "ada cancelled stop owner", "ops cancelled stop cancel:>", "ops mode_set mode mode:>",
                    "nobody access_replaced  ",
                ]
        )
        #expect(entries[0].key == "\(keys.ada)")
        #expect(
            entries[0].facts == [
                "decision": "approved", "verdict": "delivered", "signal": "deploy.1", "run": "run-1",
            ]
        )
        #expect(entries[2].facts["run"] == "run-1")
        #expect(!"\(entries)".contains("7777") && !"\(entries)".contains("8888"))
        #expect(harness.horizon == harness.now.unixMilliseconds - 90 * 86_400_000)
    }

    @Test("has one entry for the refusals of a principal, a right and a minute, with their number")
    mutating func refusals() throws {
        let start = harness.now.unixMilliseconds
        try refuseEve(50)
        try send(.run(RunRequest(pipeline: "p")), as: keys.eve, id: "run")
        #expect(harness.chained.isEmpty)
        harness.advance(by: .seconds(59))
        try refuseEve(1, from: 51)
        harness.advance(by: .seconds(1))
        #expect(harness.chained.map(\.event) == ["refused", "refused"])
        let facts: [JSONObject] = [
            ["right": "complete", "first": "complete on deploy.1", "count": 51],
            ["right": "run", "first": "run on p", "count": 1],
        ]
        #expect(harness.chained.map(\.facts) == facts)
        #expect(harness.chained.map(\.unixMilliseconds) == [start, start])
        #expect(harness.chained.allSatisfy { $0.principal == "eve" && $0.key == "\(keys.eve)" })
        try refuseEve(1, from: 52)
        harness.advance(by: .seconds(120))
        #expect(harness.chained.count == 3)
        #expect(harness.core.step.refusals.nextEnd == nil)
    }

    @Test("has the refusals of the last minute when the worker stops")
    mutating func drained() throws {
        try refuseEve(3)
        harness.step(.drain)
        harness.step(.drainTimeEnded)
        #expect(harness.chained.map(\.facts["count"]) == [3])
    }

    @Test("has one entry for each task of an operator, and for an export one, whatever its number of pages")
    mutating func tasks() throws {
        func done(_ id: String) throws -> Event {
            .performed(RequestKey(principal: "ops", id: try RequestID(id)), .success(["lines": []]))
        }
        try send(.admin(AdminRequest("store.verify")), as: keys.ops, id: "v")
        harness.step(try done("v"))
        let kept = harness.keptCount
        for (id, after) in [("p-1", nil), ("p-2", 500), ("p-3", 1_000)] as [(String, Int64?)] {
            let arguments: JSONObject = after.map { ["after": .integer($0)] } ?? [:]
            try send(.admin(AdminRequest("store.audit.page", arguments: arguments)), as: keys.ops, id: id)
            #expect(harness.step(try done(id)) == ["1<\(id) ok done"])
        }
        #expect(harness.keptCount == kept, "pages are not kept")
        #expect(harness.chained.map(\.facts) == [["verb": "store.verify"], ["verb": "store.audit.page"]])
        #expect(harness.chained.map(\.allowedBy) == ["admin:>", "admin:>"])
    }

    @Test(
        "is asked for with numbers and heads only",
        arguments: [
            ("store.audit.page", ["after": -1]), ("store.audit.page", ["since_ms": "1"]),
            ("store.audit.page", ["head": 1]),
            ("store.audit.verify", ["head": "1:abc"]), ("store.audit.verify", ["after": 1]),
        ] as [(String, JSONObject)]
    )
    mutating func badArguments(_ verb: String, _ arguments: JSONObject) throws {
        let principal = try #require(harness.core.access.principal(forKey: keys.ops))
        let request = Request(.admin(AdminRequest(try Name(verb), arguments: arguments)), id: try RequestID("a"))
        let lines = harness.step(.received(Received(request, from: 1, as: principal)))
        #expect(lines == ["1<a error bad_body"])
    }
}
