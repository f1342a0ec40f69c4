import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker

/// A pipeline with two gates and the work behind them.
private func served(_ rule: GateRule, review: GateRule = .anybody) -> [HostedPipeline] {
    let first = GateAction("review", signal: "review", priority: .high, rule: review)
    let second = GateAction("approve", signal: "s", requires: ["review"], rule: rule)
    return [HostedPipeline("p", pipeline(first, second, Stage("deploy", priority: .low)))]
}

/// Everybody may do everything; a gate's rule says who may decide it.
private func policy(release: Set<Name> = ["ada", "bob", "carl"]) throws -> AccessPolicy {
    let everything = AccessPolicy.Grants(
        Dictionary(uniqueKeysWithValues: AccessPolicy.Right.own.map { ($0, .init(allow: [">"])) })
    )
    let names: [Name] = ["ada", "bob", "carl", "dan", "eve"]
    let members = names.map { AccessPolicy.Member($0, keys: [], grants: everything) }
    return try AccessPolicy(members, groups: ["release": release, "managers": ["dan"]])
}

private let two = GateRule(allowed: [.group("release")], approvals: 2, rejections: 2)

private func notOne(_ principal: String) -> Verdict {
    .forbidden(why: Errors.notAllowed(principal))
}

private func tooEarly(_ principal: String, before time: Duration) -> Verdict {
    .forbidden(why: Errors.notYetEscalated(principal, after: time))
}

@Suite("A gate that needs several votes", .scorecard(24))
struct CoreQuorumTests {
    private var core = RestartedCore()

    /// Ada's run comes to the gate `approve`, which waits under `s`.
    private mutating func begin(_ rule: GateRule) throws {
        core = RestartedCore(pipelines: served(rule), access: try policy())
        core.send(.run(RunRequest(pipeline: "p")), id: "a", as: AccessPolicy.Principal("ada"))
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: rule, deadline: nil))
    }

    /// Has a principal decide, and returns its verdict; nil for an error.
    private mutating func vote(_ outcome: Decision.Outcome, on signal: Name = "s", as principal: String) -> Verdict? {
        let known = core.answers.count
        core.send(.decide(Decision(signal: signal, outcome: outcome)), as: AccessPolicy.Principal(principal))
        for answer in core.answers.dropFirst(known) {
            if case .verdict(let report) = answer.content { return report.verdict }
        }
        return nil
    }

    private mutating func approve(_ value: JSONValue = .null, on signal: Name = "s", as principal: String) -> Verdict? {
        vote(.approved(value: value == .null ? [] : value.encoded), on: signal, as: principal)
    }

    private mutating func reject(_ reason: String, as principal: String) -> Verdict? {
        vote(.rejected(reason: reason), as: principal)
    }

    /// With what the run last continued behind a gate.
    private var outcome: String? { core.starts.last?.resumption?.answer?.outcome.line }

    /// The gate `s`, as SHOW gives it to a principal.
    private mutating func item(for principal: String) throws -> JSONObject {
        core.send(.show(ShowRequest(.signal, "s")), as: AccessPolicy.Principal(principal))
        guard case .shown(let item)? = core.answers.last?.content else { throw Missing("an item") }
        return item
    }

    /// The events of the run's history in their order, with who caused them, and the verdicts.
    private func history() throws -> [String] {
        let request = Request(.show(ShowRequest(.history, "run-1")), id: try RequestID("h"))
        let query = core.core.reader(for: .local, at: core.now).query("run-1", Received(request, from: 1))
        return query.entries(with: core.journal.filter { $0.isAbout("run-1") }).map { entry in
            [entry.event, entry.principal, entry.details["verdict"]?.string].compactMap { $0 }.joined(separator: " ")
        }
    }

    @Test("counts them with what is missing, and gives its run those that approved")
    mutating func counted() throws {
        try begin(two)
        #expect(approve("one", as: "ada") == .counted(have: 1, need: 2))
        #expect(approve("two", as: "eve") == notOne("eve"))
        #expect(reject("late", as: "bob") == .counted(have: 1, need: 2))
        #expect(outcome == nil)
        #expect(approve(["ticket": "T-1"], as: "carl") == .delivered)
        let votes = #"[{"by":"ada","value":"one"},{"by":"carl","value":{"ticket":"T-1"}}]"#
        #expect(outcome == #"approved {"decision":"approved","votes":\#(votes)}"#)
    }

    @Test("rejected by several gives its run the reason of each")
    mutating func rejected() throws {
        try begin(two)
        #expect(reject("late", as: "bob") == .counted(have: 1, need: 2))
        #expect(approve(as: "ada") == .counted(have: 1, need: 2))
        #expect(reject("no tests", as: "carl") == .delivered)
        #expect(outcome == "rejected bob: late; carl: no tests")
    }

    @Test("keeps its votes, and then its decision, when its worker dies")
    mutating func restarted() throws {
        try begin(two)
        let cast = core.now.unixMilliseconds
        #expect(approve("one", as: "ada") == .counted(have: 1, need: 2))
        core.restart(after: .seconds(5), isReady: true)
        #expect(approve("one", as: "ada") == .duplicate)
        let standing = Verdict.Standing(decision: .approved, principal: "ada", unixMilliseconds: cast)
        #expect(reject("late", as: "ada") == .conflict(standing))
        #expect(approve("two", as: "bob") == .delivered)
        let votes = #"[{"by":"ada","value":"one"},{"by":"bob","value":"two"}]"#
        let decided = #"approved {"decision":"approved","votes":\#(votes)}"#
        #expect(outcome == decided)
        #expect(core.restart(isReady: true) == ["go on with run-1 at approve, \(decided)"])
        let shown = try item(for: "eve")
        #expect(shown["state"] == "approved" && shown["by"] == "bob")
        let kept = try #require(shown["votes"]?.array)
        #expect(kept.map { $0.object?["by"]?.string } == ["ada", "bob"])
        #expect(kept.map { $0.object?["value"]?.string } == ["one", "two"])
    }

    @Test("loses a vote that is withdrawn, which can then be cast again")
    mutating func withdrawn() throws {
        try begin(two)
        let ada = AccessPolicy.Principal("ada")
        let yes = Request.Command.decide(Decision(signal: "s", outcome: .approved(value: [])))
        #expect(core.send(yes, id: "v", as: ada) == ["1<v counted"])
        #expect(core.send(.withdraw(WithdrawRequest(signal: "s")), id: "w", as: ada) == ["1<w ok withdrawn"])
        core.restart(isReady: true)
        #expect(core.send(yes, id: "v", as: ada) == ["1<v counted again"], "the message casts nothing")
        #expect(approve(as: "bob") == .counted(have: 1, need: 2))
        #expect(reject("late", as: "ada") == .counted(have: 1, need: 2))
        #expect(approve(as: "carl") == .delivered)
        #expect(try history().contains("withdrawn ada"))
    }

    @Test("refuses a vote without the value that it expects, and keeps nothing of it")
    mutating func badValue() throws {
        try begin(GateRule(approvals: 2, value: ["ticket": .required(.string)]))
        let kept = core.kept
        let bare = Request.Command.decide(Decision(signal: "s", outcome: .approved(value: [])))
        #expect(core.send(bare, id: "v", as: AccessPolicy.Principal("ada")) == ["1<v error bad_value"])
        #expect(core.kept == kept)
        #expect(approve(["ticket": "T-1"], as: "ada") == .counted(have: 1, need: 2))
    }

    @Test("shows its rule and its votes, and what the reader can do about it")
    mutating func show() throws {
        let rule = GateRule(
            allowed: [.group("release"), "eve"],
            requesterMayDecide: false,
            approvals: 2,
            rejections: 2,
            value: ["ticket": .required(.string), "note": .optional(.string)],
            reminder: .seconds(60),
            escalation: GateRule.Escalation(after: .seconds(3600), allowed: [.group("managers")])
        )
        try begin(rule)
        #expect(approve(["ticket": "T-1"], as: "bob") == .counted(have: 1, need: 2))
        #expect(approve(as: "ada") == .forbidden(why: Errors.isRequester("ada", isCauser: false)))
        let shown = try item(for: "bob")
        #expect(shown["allowed"] == ["eve"] && shown["allowed_groups"] == ["release"])
        #expect(shown["requester_may_decide"] == false && shown["remind_ms"] == 60_000)
        #expect(shown["approvals"] == 2 && shown["rejections"] == 2)
        let note: JSONValue = ["type": "string", "required": false]
        #expect(shown["expects"] == ["note": note, "ticket": ["type": "string", "required": true]])
        #expect(shown["escalate"] == ["after_ms": 3_600_000, "allowed_groups": ["managers"]])
        #expect(shown["may_decide"] == ["carl", "eve"])
        var own: JSONObject = ["by": "bob", "decision": "approved", "at_ms": .integer(core.now.unixMilliseconds)]
        let listed = JSONValue.object(own)
        own["value"] = ["ticket": "T-1"]
        #expect(shown["votes"] == [.object(own)])
        let standings = [("ada", "may_not"), ("bob", "voted"), ("carl", "may_decide"), ("dan", "may_not")]
        for (principal, standing) in standings { #expect(try item(for: principal)["you"]?.string == standing) }

        core.send(.list(ListRequest(kind: .signals)), as: AccessPolicy.Principal("carl"))
        guard case .page(let page)? = core.answers.last?.content else { throw Missing("a page") }
        #expect(page.items.first?["votes"] == [listed], "a list does not show what was sent")
        #expect(page.items.first?["you"] == "may_decide")
    }

    @Test("is not decided by those who decided a gate that it is distinct from")
    mutating func distinct() throws {
        let (rule, review) = (GateRule(distinctFrom: ["review"]), GateRule(approvals: 2))
        core = RestartedCore(pipelines: served(rule, review: review), access: try policy())
        core.send(.run(RunRequest(pipeline: "p")), id: "a", as: AccessPolicy.Principal("carl"))
        core.asked("run-1", "review", "approve", "deploy")
        core.rest(.gate("review", rule: review, deadline: nil))
        #expect(approve(on: "review", as: "ada") == .counted(have: 1, need: 2))
        #expect(approve(on: "review", as: "bob") == .delivered)
        core.completed("review")
        core.rest(.gate("s", rule: rule, deadline: nil), waiter: 8)
        #expect(approve(as: "bob") == .forbidden(why: Errors.decidedEarlier("bob")))
        core.restart(isReady: true)
        #expect(approve(as: "ada") == .forbidden(why: Errors.decidedEarlier("ada")))
        #expect(try item(for: "carl")["may_decide"] == ["carl", "dan", "eve"])
        #expect(approve(as: "carl") == .delivered)
        let waiting = SignalWait(owner: .process("x"), kind: .gate, waiter: WaiterID(number: 1), rule: rule)
        let lines = core.decide(.opened(SignalOpening(signal: "t", waiting: waiting, deadline: nil)))
        #expect(lines == ["resume 1 refused bad_value"], "outside a run there is no earlier gate")
    }

    @Test("drops the vote of a principal that left its group when another would decide, and says so")
    mutating func uncounted() throws {
        try begin(two)
        #expect(approve(as: "ada") == .counted(have: 1, need: 2))
        core.decide(.accessReplaced(try policy(release: ["bob", "carl"]), by: "test"))
        #expect(approve(as: "bob") == .counted(have: 1, need: 2))
        let dropped = try #require(core.journal.first { $0.event == "vote_uncounted" })
        #expect(dropped.signal == "s" && dropped.details["decision"] == "approved")
        let left = Errors.notAllowed("ada")
        #expect(dropped.details["why"] == .string(left))
        #expect(approve(as: "carl") == .delivered)
        let votes = #"[{"by":"bob","value":null},{"by":"carl","value":null}]"#
        #expect(outcome == #"approved {"decision":"approved","votes":\#(votes)}"#)
        #expect(
            try history() == [
                "accepted ada", "waiting", "decided ada counted", "vote_uncounted ada", "decided bob counted",
                "decided carl delivered", "resumed",
            ]
        )
    }

    @Test("takes the rule of a new definition with its votes, which decides nothing by itself")
    mutating func renewed() throws {
        try begin(GateRule(approvals: 3))
        for principal in ["ada", "bob"] { _ = approve(as: principal) }
        core.restart(pipelines: served(GateRule(approvals: 2)), isReady: true)
        #expect(try item(for: "carl")["state"] == "waiting")
        let change = try #require(core.journal.first { $0.event == "rule_changed" })
        #expect(change.details["approvals"] == 2 && change.details["action"] == "approve")
        #expect(approve(as: "carl") == .delivered)
        #expect(
            try history() == [
                "accepted ada", "waiting", "decided ada counted", "decided bob counted", "rule_changed",
                "decided carl delivered", "resumed",
            ]
        )
    }

    @Test("tells its watchers of each vote and of each that is withdrawn, but not who voted")
    mutating func watched() throws {
        try begin(two)
        core.send(.watch(WatchRequest("signal.>", credit: 10)), id: "w", as: AccessPolicy.Principal("carl"))
        let decision = Decision(signal: "s", outcome: .approved(value: []))
        let voted = core.send(.decide(decision), as: AccessPolicy.Principal("ada"))
        #expect(voted.contains("1<w event 1 signal.s voted"), "\(voted)")
        let withdrawn = core.send(.withdraw(WithdrawRequest(signal: "s")), as: AccessPolicy.Principal("ada"))
        #expect(withdrawn.contains("1<w event 2 signal.s unvoted"), "\(withdrawn)")
    }

    @Test("escalates and reminds by the times of a new definition, each once")
    mutating func rescheduled() throws {
        func rule(after time: Duration) -> GateRule {
            let escalation = GateRule.Escalation(after: time, allowed: [.group("managers")])
            return GateRule(allowed: ["bob"], approvals: 2, reminder: .seconds(60), escalation: escalation)
        }
        try begin(rule(after: .seconds(60)))
        core.restart(after: .seconds(90), pipelines: served(rule(after: .seconds(3_600))), isReady: true)
        core.send(.watch(WatchRequest("signal.>", credit: 10)), id: "w", as: AccessPolicy.Principal("ada"))
        #expect(core.advance(by: .seconds(60)).filter { $0.contains("event") } == ["1<w event 1 signal.s waiting"])
        let early = tooEarly("dan", before: .seconds(3_600))
        #expect(approve(as: "dan") == early, "the first definition would have let dan decide by now")
        #expect(core.journal.contains { $0.event == "escalated" } == false)
        core.restart(after: .seconds(3_500), isReady: true)
        #expect(approve(as: "dan") == .counted(have: 1, need: 2))
    }

    @Test("stays escalated when the wall clock was set back, and then escalates no later than after its whole time")
    mutating func clockSetBack() throws {
        let escalation = GateRule.Escalation(after: .seconds(3_600), allowed: [.group("managers")])
        try begin(GateRule(allowed: ["bob"], approvals: 3, escalation: escalation))
        core.restart(after: .seconds(-7_200), isReady: true)
        #expect(approve(as: "dan") == tooEarly("dan", before: .seconds(3_600)))
        core.advance(by: .seconds(3_600))
        #expect(approve(as: "dan") == .counted(have: 1, need: 3))
        core.restart(after: .seconds(-7_200), isReady: true)
        #expect(approve(as: "bob") == .counted(have: 2, need: 3), "the vote of dan counts on")
        #expect(core.journal.count { $0.event == "escalated" } == 1)
    }

    @Test("stays closed for who decided an earlier gate, whatever id that gate gets")
    mutating func distinctFromRenamed() throws {
        let rule = GateRule(distinctFrom: ["review"])
        core = RestartedCore(pipelines: served(rule), access: try policy())
        core.send(.run(RunRequest(pipeline: "p")), id: "a", as: AccessPolicy.Principal("carl"))
        core.asked("run-1", "review", "approve", "deploy")
        core.rest(.gate("review", rule: .anybody, deadline: nil))
        #expect(approve(on: "review", as: "bob") == .delivered)
        core.completed("review")
        core.rest(.gate("s", rule: rule, deadline: nil), waiter: 8)
        let renamed = GateAction("review", signal: "reviews.{run.id}", priority: .high)
        let second = GateAction(
            "approve",
            signal: "s",
            requires: ["review"],
            rule: GateRule(distinctFrom: ["review"], reminder: .seconds(60))
        )
        let changed = HostedPipeline("p", pipeline(renamed, second, Stage("deploy", priority: .low)))
        core.restart(pipelines: [changed], isReady: true)
        #expect(approve(as: "bob") == .forbidden(why: Errors.decidedEarlier("bob")))
    }

    @Test("lets more principals vote once it has waited long enough, in any worker")
    mutating func escalated() throws {
        let escalation = GateRule.Escalation(after: .seconds(60), allowed: [.group("managers")])
        try begin(GateRule(allowed: ["bob"], approvals: 2, escalation: escalation))
        #expect(approve(as: "bob") == .counted(have: 1, need: 2))
        core.restart(after: .seconds(40), isReady: true)
        core.send(.watch(WatchRequest("signal.>", credit: 10)), id: "w", as: AccessPolicy.Principal("ada"))
        #expect(core.advance(by: .milliseconds(19_999)).isEmpty)
        #expect(approve(as: "dan") == tooEarly("dan", before: .seconds(60)))
        #expect(core.advance(by: .milliseconds(1)) == ["1<w event 1 signal.s escalated"])
        core.restart(isReady: true)
        #expect(try item(for: "dan")["escalated"] == true)
        #expect(approve(as: "dan") == .delivered)
        let entry = try #require(core.journal.first { $0.event == "escalated" })
        #expect(entry.details["after_ms"] == 60_000 && entry.details["allowed_groups"] == ["managers"])
        #expect(
            try history() == [
                "accepted ada", "waiting", "decided bob counted", "decided dan forbidden", "escalated",
                "decided dan delivered", "resumed",
            ]
        )
    }
}

private let reminding = GateRule(reminder: .seconds(60))

@Suite("A reminder of a gate")
struct CoreReminderTests {
    private var harness = CoreHarness(pipelines: served(reminding))

    private mutating func watch() { harness.send(.watch(WatchRequest("signal.>", credit: 10)), id: "w", from: 5) }

    /// How long the gate had waited at each event that watchers get within a time.
    private mutating func ages(within time: Duration) -> [Int64?] {
        let end = harness.now.advanced(by: time)
        var ages: [Int64?] = []
        while let consequences = harness.tick(until: end) {
            for case .tell(let event) in consequences.effects { ages.append(event.body["waited_ms"]?.integer) }
        }
        return ages
    }

    @Test("comes at its interval with the age, in the next worker too, until the gate is decided")
    mutating func interval() {
        harness.run()
        harness.rest(.gate("s", rule: reminding, deadline: nil), action: "approve")
        watch()
        #expect(ages(within: .milliseconds(59_999)).isEmpty)
        #expect(ages(within: .milliseconds(1)) == [60_000])
        #expect(ages(within: .seconds(120)) == [120_000, 180_000])
        harness.oversleep(.seconds(90))
        _ = harness.restart(from: Array(harness.kept.values))
        harness.step(.ready)
        watch()
        #expect(ages(within: .seconds(60)) == [300_000])
        harness.complete("s", id: "d")
        #expect(ages(within: .seconds(600)).isEmpty)
    }
}
