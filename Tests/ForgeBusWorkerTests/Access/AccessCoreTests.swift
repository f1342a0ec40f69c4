import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A core with an access policy")
struct AccessCoreTests {
    private static let everything = AccessPolicy.Grants(
        Dictionary(uniqueKeysWithValues: AccessPolicy.Right.own.map { ($0, .init(allow: [">"])) })
    )
    private let keys = (ops: KeyPair().publicKey, other: KeyPair().publicKey, shop: KeyPair().publicKey)

    private func policy(ops: [PublicKey]? = nil, shop: AccessPolicy.Grants = .init()) throws -> AccessPolicy {
        try AccessPolicy([
            .init("ops", keys: ops ?? [keys.ops, keys.other], grants: Self.everything),
            .init("shop", keys: [keys.shop], grants: shop),
        ])
    }

    private func harness(_ policy: AccessPolicy) -> CoreHarness {
        let monitor = HostedMonitor("stock", MonitorOrchestrator(), topics: ["stock.>"])
        return CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            monitors: [monitor],
            access: policy
        )
    }

    @Test("tells a reader of the worker only of the monitors that it may read")
    func failingMonitors() throws {
        let reads = AccessPolicy.Grants([.read: .init(allow: [">"], deny: ["monitor.stock"])])
        var harness = harness(try policy(shop: reads))
        let failed = ActionReport(id: "check", result: .failed("no disk"), start: .zero, duration: .zero)
        harness.step(.ready)
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [failed]))))
        for (key, isShown) in [(keys.ops, true), (keys.shop, false)] {
            let principal = try #require(harness.core.access.principal(forKey: key))
            let item = harness.core.description(for: principal, at: harness.now)
            #expect(!item.failing.isEmpty == isShown)
            #expect(item.checks["monitors"] == "failing")
        }
    }

    private func send(
        _ command: Request.Command,
        as key: PublicKey,
        id: String = "a",
        from peer: Int = 1,
        to harness: inout CoreHarness
    ) throws -> Consequences {
        let principal = try #require(harness.core.access.principal(forKey: key))
        let request = Request(command, id: try RequestID(id))
        return harness.consequences(of: .received(Received(request, from: peer, as: principal)))
    }

    /// Commands on what a world holds, a run apart: each names something that is there.
    private static let commands: [Request.Command] = [
        .notify(StateChange(topic: "stock.changed")), .run(RunRequest(pipeline: "p")),
        .decide(Decision(signal: "p.approve", outcome: .approved(value: []))),
        .decide(Decision(signal: "p.approve", outcome: .rejected(reason: "no"))),
        .withdraw(WithdrawRequest(signal: "p.approve")),
        .show(ShowRequest(.signal, "p.approve")),
        .show(ShowRequest(.monitor, "stock")), .show(ShowRequest(.pipeline, "p")), .show(ShowRequest(.run, "run-1")),
        .list(ListRequest(kind: .runs)), .watch(WatchRequest("run.>", credit: 5)), .attach(AttachRequest(run: "run-1")),
        .cancel(CancelRequest(run: "run-1")), .redrive(RedriveRequest(run: "run-1")),
        .mode(ModeRequest("stock", screen: "s", for: .seconds(1))), .admin(AdminRequest("store.verify")),
        .pause(PauseRequest(PauseSubject(.monitor, "stock"), .pause(for: .seconds(1), reason: ""))),
        .pause(PauseRequest(PauseSubject(.monitor, "stock"), .resume)),
    ]

    @Test("tries every verb that needs a right")
    func everyVerb() {
        let tried = Set(Self.commands.map(\.rules.word))
        let needed = Request.Command.verbs.filter { $0.right != nil }.flatMap { $0.words }
        #expect(needed.filter { !tried.contains($0) } == [])
    }

    @Test("says the same bytes to whoever has no grant, whether what they name is there or not", arguments: commands)
    func noOracle(_ command: Request.Command) throws {
        var (full, empty) = (harness(try policy()), CoreHarness(access: try policy()))
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, to: &full)
        full.open("p.approve")
        #expect(full.core.runs["run-1"] != nil)
        let kept = full.kept
        // The refusal is counted for a minute.
        let due = min(full.core.nextDue ?? full.now.advanced(by: .seconds(60)), full.now.advanced(by: .seconds(60)))
        let told = try send(command, as: keys.shop, id: "b", from: 2, to: &full)
        #expect(try told.bytes == send(command, as: keys.shop, id: "b", from: 2, to: &empty).bytes)
        // And nothing came of it.
        #expect(told.changes.isEmpty && told.effects.count == 1)
        #expect(full.kept == kept && full.core.nextDue == due && full.core.watches.isEmpty)
        guard case .answer(let answer, _) = told.effects.first, case .error(let error) = answer.content else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .forbidden)
        #expect(full.audited.last?.principal == "shop")
        #expect(full.audited.last?.event == .refused(grant: error.details["grant"]?.string ?? "none"))
    }

    @Test("keeps the ids of principals apart, and lets a principal go on with what another key of it began")
    func ledger() throws {
        let grants = AccessPolicy.Grants([.run: .init(allow: ["p"])])
        var harness = harness(try policy(shop: grants))
        func run(_ key: PublicKey, _ peer: Int) throws -> [String] {
            try send(.run(RunRequest(pipeline: "p")), as: key, from: peer, to: &harness).effects.map(\.line)
        }
        #expect(try run(keys.ops, 1).first == "1<a accepted run-1")
        #expect(try run(keys.other, 2) == ["2<a accepted run-1 again"])
        #expect(try run(keys.shop, 3).first == "3<a accepted run-2")
    }

    @Test("ends each wait of a connection whose key is gone with an error, and tells it nothing more")
    func revoked() throws {
        var harness = harness(try policy())
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, from: 1, to: &harness)
        _ = try send(.run(RunRequest(pipeline: "p", isDetached: true)), as: keys.ops, id: "d", from: 1, to: &harness)
        _ = try send(.attach(AttachRequest(run: "run-1")), as: keys.other, id: "b", from: 2, to: &harness)
        _ = try send(.watch(WatchRequest(">", credit: 9)), as: keys.ops, id: "w", from: 1, to: &harness)
        let change = StateChange(topic: "stock.changed", wantsEvaluation: true)
        _ = try send(.notify(change), as: keys.ops, id: "n", from: 1, to: &harness)
        let verify = Request.Command.admin(AdminRequest("store.verify"))
        _ = try send(verify, as: keys.ops, id: "v", from: 1, to: &harness)
        _ = try send(verify, as: keys.other, id: "v", from: 2, to: &harness)
        let told = harness.step(.accessReplaced(try policy(ops: [keys.other]), by: "test"))
        #expect(Set(told) == Set(["a", "w", "n", "v"].map { "1<\($0) error forbidden" }) && told.count == 4)
        let verified = try #require(harness.core.tasks.pending.first?.first.key)
        let lines =
            harness.end() + harness.step(.cycleEnded(monitor: 0, .stopped))
            + harness.step(.performed(verified, .success([:])))
        #expect(lines.contains("2<b completed run-1") && lines.contains("2<v ok done"))
        #expect(!lines.contains { $0.hasPrefix("1<") }, "\(lines)")
    }

    @Test("ends the wait of a principal whose right to what it waits for is gone, and no other wait")
    func rightRevoked() throws {
        let grants = AccessPolicy.Grants([
            .run: .init(allow: [">"]), .read: .init(allow: ["run.p.>"]), .notify: .init(allow: [">"]),
            .admin: .init(allow: [">"]),
        ])
        var harness = harness(try policy(shop: grants))
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, from: 1, to: &harness)
        _ = try send(.attach(AttachRequest(run: "run-1")), as: keys.shop, id: "b", from: 2, to: &harness)
        _ = try send(.watch(WatchRequest("run.p.>", credit: 9)), as: keys.shop, id: "w", from: 2, to: &harness)
        let change = StateChange(topic: "stock.changed", wantsEvaluation: true)
        _ = try send(.notify(change), as: keys.shop, id: "n", from: 2, to: &harness)
        _ = try send(.admin(AdminRequest("store.verify")), as: keys.shop, id: "v", from: 2, to: &harness)
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.shop, id: "own", from: 2, to: &harness)
        let less = AccessPolicy.Grants([.read: .init(allow: ["run.p.other"])])
        let told = harness.step(.accessReplaced(try policy(shop: less), by: "test"))
        #expect(Set(told) == Set(["b", "w", "n", "v"].map { "2<\($0) error forbidden" }) && told.count == 4)
        #expect(harness.end() == ["1<a completed run-1"])
        // Nobody needs a grant to hear of its own run.
        #expect(harness.end("run-2") == ["2<own completed run-2"])
        #expect(harness.core.watches.isEmpty && harness.core.evaluations.count == 0)
    }

    @Test("says to whoever waits what the same request would be told now", arguments: ["key", "right", "other"])
    func sameWords(_ loss: String) throws {
        let grants = AccessPolicy.Grants([.read: .init(allow: ["run.p.>"])])
        var harness = harness(try policy(shop: grants))
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, from: 1, to: &harness)
        let shop = try #require(harness.core.access.principal(forKey: keys.shop))
        _ = try send(.attach(AttachRequest(run: "run-1")), as: keys.shop, id: "b", from: 2, to: &harness)
        let new =
            switch loss {
            case "key": try AccessPolicy([.init("ops", keys: [keys.ops]), .init("shop", keys: [])])
            case "right": try policy()
            default: try policy(ops: [keys.ops]).moving(keys.shop)
            }
        let consequences = harness.consequences(of: .accessReplaced(new, by: "test"))
        guard case .answer(let answer, let caller)? = consequences.effects.first(where: { $0.line.hasPrefix("2<") }),
            case .error(let error) = answer.content
        else { throw Missing("an error") }
        #expect(caller.number == 2 && error.code == .forbidden)
        switch loss {
        case "key": #expect(error == Errors.unknownKey)
        case "right":
            let request = Request(.attach(AttachRequest(run: "run-1")), id: try RequestID("b"))
            let again = harness.consequences(of: .received(Received(request, from: 2, as: shop)))
            guard case .answer(let second, _)? = again.effects.first else { throw Missing("an answer") }
            #expect(second == answer)
        default: #expect(error.details["grant"] == nil)
        }
    }

    @Test("tells no history and no output that was being read when the right to it went")
    func readBeside() throws {
        let grants = AccessPolicy.Grants([.read: .init(allow: ["run.p.>"])])
        var harness = harness(try policy(shop: grants))
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, from: 1, to: &harness)
        var queries: [StoreQuery] = []
        for (id, kind) in [("h", ItemKind.history), ("o", .output)] {
            let consequences = try send(.show(ShowRequest(kind, "run-1")), as: keys.shop, id: id, from: 2, to: &harness)
            guard case .lookUp(let query)? = consequences.effects.first else { throw Missing("a query") }
            queries.append(query)
        }
        harness.step(.accessReplaced(try policy(), by: "test"))
        let told = queries.flatMap { harness.step(.lookedUp($0, .shown([:]))) }
        #expect(told == ["2<h error forbidden", "2<o error forbidden"])
    }

    @Test("tells the audit who decided, cancelled and set what, and which policy took the place of which")
    func audit() throws {
        var harness = harness(try policy())
        _ = try send(.run(RunRequest(pipeline: "p")), as: keys.ops, to: &harness)
        harness.open("p.approve")
        let secret = Decision(signal: "p.approve", outcome: .approved(value: Array(#""secret""#.utf8)))
        _ = try send(.decide(secret), as: keys.ops, id: "b", to: &harness)
        _ = try send(.cancel(CancelRequest(run: "run-1", reason: "secret")), as: keys.other, id: "c", to: &harness)
        _ = try send(.mode(ModeRequest("stock", screen: "s", for: .seconds(1))), as: keys.ops, id: "d", to: &harness)
        let old = harness.core.access.digest
        let new = try policy(ops: [])
        harness.step(.accessReplaced(new, by: "access.yaml"))
        #expect(
            try harness.audited == [
                AuditRecord(
                    .decided("p.approve", outcome: "approved", verdict: "delivered"),
                    principal: "ops",
                    request: RequestID("b")
                ), AuditRecord(.cancelled("run-1", state: "stopping"), principal: "ops", request: RequestID("c")),
                AuditRecord(.modeSet(monitors: "stock", screen: "s"), principal: "ops", request: RequestID("d")),
                AuditRecord(.accessReplaced(old: old, new: new.digest, by: "access.yaml")),
            ]
        )
        #expect(!"\(harness.audited)".contains("secret"))
    }
}

extension AccessPolicy {
    /// The same policy, with this key in the hands of another principal.
    fileprivate func moving(_ key: PublicKey) throws -> AccessPolicy {
        try AccessPolicy([.init("other", keys: [key]), .init("shop", keys: [])])
    }
}

extension Consequences {
    /// The bytes of what is answered.
    fileprivate var bytes: [[UInt8]] {
        effects.compactMap { effect in
            guard case .answer(let answer, _) = effect else { return nil }
            var buffer = FrameBuffer()
            answer.encode(into: &buffer)
            return Array(buffer.bytes)
        }
    }
}
