import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker

private typealias Grant = AccessPolicy.Grant
private typealias Grants = AccessPolicy.Grants

private let everything = Grant(allow: [">"])

/// `gateway` may act as `acting` says; `ada`, who has no key of her own, may do all but administer.
private func policy(_ acting: Grant = everything, ada: [AccessPolicy.Right] = Right.own) throws -> AccessPolicy {
    let grants = Dictionary(uniqueKeysWithValues: ada.map { ($0, everything) })
    return try AccessPolicy([
        .init("gateway", keys: [], grants: Grants([.actAs: acting])),
        .init("ada", keys: [], grants: Grants(grants)),
        .init("bob", keys: [], grants: Grants(grants)),
        .init("other", keys: [], grants: Grants([.actAs: everything])),
    ])
}

private let gateway = AccessPolicy.Principal("gateway")

@Suite("A principal that acts for others")
struct ActingTests {
    private var core = RestartedCore()

    private mutating func begin(_ policy: AccessPolicy) {
        let gate = GateAction("approve", signal: "s", rule: GateRule(approvals: 2))
        core = RestartedCore(
            pipelines: [HostedPipeline("p", pipeline(gate, Stage("deploy", priority: .low)))],
            access: policy
        )
    }

    /// Sends a command through the gateway, and returns its first answer.
    private mutating func send(
        _ command: Request.Command,
        for name: Name = "ada",
        id: String? = nil
    ) -> Answer.Content? {
        let known = core.answers.count
        if let id {
            core.send(command, id: id, as: gateway.acting(for: name))
        } else {
            core.send(command, as: gateway.acting(for: name))
        }
        return core.answers.count > known ? core.answers[known].content : nil
    }

    private mutating func refusal(_ command: Request.Command, for name: Name = "ada") -> String? {
        guard case .error(let error)? = send(command, for: name), error.code == .forbidden else { return nil }
        return error.details["grant"]?.string
    }

    private func approval(_ value: String = "") -> Request.Command {
        .decide(Decision(signal: "s", outcome: .approved(value: Array(value.utf8))))
    }

    /// The events of the run's history in their order, with who caused them and through whom.
    private func history() throws -> [String] {
        let request = Request(.show(ShowRequest(.history, "run-1")), id: try RequestID("h"))
        let query = core.core.reader(for: .local, at: core.now).query("run-1", Received(request, from: 1))
        return query.entries(with: core.journal.filter { $0.isAbout("run-1") }).compactMap { entry in
            entry.details["via"]?.string.map { "\(entry.event) \(entry.principal ?? "") via \($0)" }
        }
    }

    @Test("has its requests done as those of the other principal: owner, ledger, votes, history and audit")
    mutating func acts() throws {
        begin(try policy())
        guard case .accepted? = send(.run(RunRequest(pipeline: "p")), id: "a") else { throw Missing("a run") }
        #expect(core.core.runs["run-1"]?.principal == "ada")
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: GateRule(approvals: 2), deadline: nil))
        guard case .verdict(let first)? = send(approval("1")) else { throw Missing("a verdict") }
        #expect(first.verdict == .counted(have: 1, need: 2))
        guard case .verdict(let second)? = send(.decide(Decision(signal: "s", outcome: .rejected(reason: "no")))),
            case .conflict(let standing) = second.verdict
        else { throw Missing("a conflict") }
        #expect(standing.principal == "ada" && standing.via == "gateway")
        // The same request by the principal itself is the same request.
        core.send(.run(RunRequest(pipeline: "p")), id: "a", as: AccessPolicy.Principal("ada"))
        #expect(core.core.runs.count == 1)
        core.restart(pipelines: nil, isReady: true)
        guard case .shown(let item)? = send(.show(ShowRequest(.signal, "s"))) else { throw Missing("an item") }
        let vote = item["votes"]?.array?.first?.object
        #expect(vote?["by"] == "ada" && vote?["via"] == "gateway")
        _ = send(approval("2"), for: "bob")
        _ = send(.cancel(CancelRequest(run: "run-1")))
        #expect(
            try history() == [
                "accepted ada via gateway", "decided ada via gateway", "decided ada via gateway",
                "decided bob via gateway", "cancelled ada via gateway",
            ]
        )
        #expect(core.audit.allSatisfy { $0.facts["via"] == "gateway" } && core.audit.count == 4)
    }

    @Test("acts for nobody without the right, whatever the command, and hears nothing of what is there")
    mutating func without() throws {
        begin(try policy(Grant(allow: ["complete.bob", ">"], deny: ["*.ada"])))
        core.send(.run(RunRequest(pipeline: "p")), id: "r", as: AccessPolicy.Principal("ada"))
        for command in [
            .notify(StateChange(topic: "t")), .run(RunRequest(pipeline: "p")), approval(),
            .withdraw(WithdrawRequest(signal: "s")), .attach(AttachRequest(run: "run-1")),
            .cancel(CancelRequest(run: "run-1")), .redrive(RedriveRequest(run: "run-1")),
            .steer(SteeringRequest(.redrive, RunFilter(pipeline: "p"), expecting: 1)),
            .show(ShowRequest(.run, "run-1")), .show(ShowRequest(.run, "none")), .show(ShowRequest(.history, "run-1")),
            .show(.worker), .list(ListRequest(kind: .runs)), .watch(WatchRequest(">", credit: 1)),
            .mode(ModeRequest("m", screen: "s", for: .seconds(1))), .admin(AdminRequest("store.stats")),
            .pause(PauseRequest(PauseSubject(.pipeline, "p"), .pause(for: nil, reason: ""))),
        ] as [Request.Command] {
            let right = try #require(command.rules.right)
            #expect(refusal(command) == "act_as on \(right.rawValue).ada")
        }
    }

    @Test("may use admin and mode only where they are named, and only rights that the other principal has")
    mutating func named() throws {
        begin(try policy(Grant(allow: [">", "*.ada"]), ada: [.run, .mode, .admin]))
        #expect(refusal(.admin(AdminRequest("store.stats"))) == "act_as on admin.ada")
        #expect(refusal(.mode(ModeRequest("m", screen: "s", for: .seconds(1)))) == "act_as on mode.ada")
        #expect(refusal(approval()) == "complete on s")
        begin(try policy(Grant(allow: ["admin.ada", "mode.>"]), ada: [.run, .mode, .admin]))
        #expect(refusal(.admin(AdminRequest("store.stats"))) == nil)
        #expect(refusal(.mode(ModeRequest("m", screen: "s", for: .seconds(1)))) == nil)
        #expect(refusal(.run(RunRequest(pipeline: "p"))) == "act_as on run.ada")
    }

    @Test("acts for no unknown principal, for no other one that acts, and for itself with no right")
    mutating func chain() throws {
        begin(try policy())
        #expect(refusal(.run(RunRequest(pipeline: "p")), for: "nobody") == "run on p")
        #expect(refusal(.run(RunRequest(pipeline: "p")), for: "other") == "run on p")
        // Owners of runs need no grant, but these own nothing through a gateway.
        for name in ["nobody", "worker", "local", "other"] as [Name] {
            #expect(refusal(.attach(AttachRequest(run: "run-1")), for: name) == "read on >")
            #expect(refusal(.cancel(CancelRequest(run: "run-1")), for: name) == "cancel on >")
            let all = SteeringRequest(.redrive, RunFilter(pipeline: "p"), expecting: 0)
            #expect(refusal(.steer(all), for: name) == "cancel on >")
        }
        #expect(core.kept.isEmpty)
        core.send(.run(RunRequest(pipeline: "p")), as: gateway)
        #expect(core.core.runs.isEmpty)
    }

    @Test("without keys is refused, because nobody has the right")
    mutating func keyless() throws {
        begin(.local)
        let local = AccessPolicy.Principal.local.acting(for: "ada")
        core.send(.run(RunRequest(pipeline: "p")), as: local)
        guard case .error(let error)? = core.answers.last?.content else { throw Missing("an error") }
        #expect(error.code == .forbidden && error.details["grant"] == "act_as on run.ada")
    }

    @Test("loses its watches and its votes with the right")
    mutating func revoked() throws {
        begin(try policy())
        _ = send(.run(RunRequest(pipeline: "p")), id: "a")
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: GateRule(approvals: 2), deadline: nil))
        _ = send(.watch(WatchRequest("run.>", credit: 9)), id: "w")
        _ = send(approval())
        #expect(!core.core.watches.isEmpty)
        core.decide(.accessReplaced(try policy(Grant(allow: ["complete.bob"])), by: "test"))
        #expect(core.core.watches.isEmpty)
        guard case .verdict(let report)? = send(approval(), for: "bob") else { throw Missing("a verdict") }
        #expect(report.verdict == .counted(have: 1, need: 2), "the gateway may not complete it for ada any more")
        // What the gateway sent keeps ada herself from nothing.
        core.send(approval(), as: AccessPolicy.Principal("ada"))
        guard case .verdict(let own)? = core.answers.last(where: { $0.content.word.isFirst })?.content else {
            throw Missing("a verdict")
        }
        #expect(own.verdict == .delivered)
    }

    @Test("loses only the answers to requests for which it has no right any more")
    mutating func partlyRevoked() throws {
        begin(try policy())
        _ = send(.run(RunRequest(pipeline: "p")), id: "a")
        _ = send(.watch(WatchRequest("run.>", credit: 9)), id: "w")
        _ = send(.attach(AttachRequest(run: "run-1")), for: "bob", id: "b")
        let lost = core.decide(.accessReplaced(try policy(Grant(allow: ["run.ada", "complete.>"])), by: "test"))
        #expect(Set(lost.filter { $0.hasPrefix("1<") }) == ["1<w error forbidden", "1<b error forbidden"])
        #expect(core.core.watches.isEmpty)
        core.asked("run-1", "deploy")
        let told = core.end("run-1", "deploy").filter { $0.hasPrefix("1<") }
        #expect(told == ["1<a completed run-1"])
    }

    @Test("gets no watch of another principal under an id that is taken")
    mutating func sameID() throws {
        begin(try policy())
        _ = send(.watch(WatchRequest("run.>", credit: 9)), id: "w")
        guard case .error(let error)? = send(.watch(WatchRequest("run.>", credit: 9)), for: "bob", id: "w") else {
            throw Missing("an error")
        }
        #expect(error.code == .idConflict)
    }

    @Test("has no other right of its own")
    func alone() {
        let grants = Grants([.actAs: everything, .read: everything])
        let error = #expect(throws: WorkerError.self) {
            try AccessPolicy([.init("gateway", keys: [], grants: grants)])
        }
        #expect(error == Errors.rightBesideActing("gateway", "read"))
    }

    @Test("is ruled on as a reference rules, in thousands of policies", .scorecard(22))
    func reference() throws {
        var generator = SeededGenerator(seed: 22)
        var (allowed, refused) = (0, 0)
        let agent = AccessPolicy.Principal("g")
        let count = Scorecard.trials(10_000, full: 100_000)
        for _ in 0..<count {
            let reference = AccessReference.acting(&generator)
            let policy = try reference.policy()
            let name: Name = ["p", "q", "r", "nobody", "g"][generator.below(5)]
            let right = Right.own[generator.below(Right.own.count)]
            let target = AccessReference.name(&generator, atMost: 3)
            let ruling = policy.ruling(for: agent.acting(for: name), right, on: .name(try Name(target)))
            let expected = reference.allowsActing(for: name.text, right, on: target)
            if (ruling == .allowed) != expected {
                Issue.record("\(name) \(right) \(target) \(reference.rules) \(reference.acting)")
                return
            }
            if expected { allowed += 1 } else { refused += 1 }
        }
        Scorecard.count(allowed + refused)
        #expect(allowed > count / 50)
    }
}
