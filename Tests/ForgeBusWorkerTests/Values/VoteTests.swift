import ForgeBusProtocol
import ForgeBusStore
import Scorecard
import Testing

@testable import ForgeBusWorker

private let two = GateRule(approvals: 2, rejections: 2)

@Suite("A vote", .scorecard(24))
struct VoteTests {
    private var book = BookUnderTest()

    init() throws { book.policy = try Self.policy() }

    /// Everybody may complete every signal, except the one without rights.
    private static func policy(
        release: Set<Name> = ["ada", "bob", "carl"],
        withoutRights barred: Name? = nil
    ) throws -> AccessPolicy {
        let all = AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: [">"])])
        let names: [Name] = ["ada", "bob", "carl", "dan", "erin", "eve"]
        let members = names.map { name in
            AccessPolicy.Member(name, keys: [], grants: name == barred ? AccessPolicy.Grants() : all)
        }
        return try AccessPolicy(members, groups: ["release": release, "managers": ["eve"]])
    }

    /// The principals whose votes the gate `s` holds, in the order in which they came.
    private var voters: [String] { book.record()?.state.wait?.votes.map(\.principal) ?? [] }

    /// Has a principal approve in a book of the test's own.
    private func approve(_ gates: inout Signals, as principal: String) -> Verdict? {
        let decision = Decision(signal: "s", outcome: .approved(value: []))
        switch gates.decide(decision, by: principal, under: book.policy, at: book.now) {
        case .ruled(let verdict, _, _): return verdict
        case .refused: return nil
        }
    }

    @Test("is one for each principal, and the last that is needed decides")
    mutating func onePerPrincipal() {
        #expect(book.open(rule: GateRule(approvals: 3)) == "waits")
        #expect(book.complete("s", "1", by: "ada") == "counted 1 of 3")
        book.pass(.seconds(5))
        #expect(book.complete("s", "1", by: "ada") == "duplicate")
        #expect(book.complete("s", "2", by: "ada") == "conflict with approved by ada at 1000")
        #expect(book.reject("s", "no", by: "ada") == "conflict with approved by ada at 1000")
        #expect(book.complete("s", "2", by: "bob") == "counted 2 of 3", "values may differ")
        let votes = #"[{"by":"ada","value":1},{"by":"bob","value":2},{"by":"carl","value":null}]"#
        let decided = #"approved {"decision":"approved","votes":\#(votes)}"#
        #expect(book.complete(by: "carl") == "delivered, 1 gets \(decided)")
        #expect(book.open(waiter: 2) == "decided \(decided)", "the owner gets the same again")
        #expect(voters == ["ada", "bob", "carl"])
        #expect(book.book.waiting.count == 0 && book.book.waiting.votesSize == 0)
    }

    @Test("after the decision is compared with the sender's own, and otherwise with the outcome")
    mutating func late() {
        _ = book.open(rule: two)
        _ = book.complete("s", "1", by: "ada")
        book.pass(.seconds(5))
        _ = book.complete("s", "2", by: "bob")
        #expect(book.complete("s", "1", by: "ada") == "duplicate")
        #expect(book.complete("s", "2", by: "ada") == "conflict with approved by ada at 1000")
        #expect(book.complete("s", "3", by: "eve") == "duplicate", "it agrees")
        #expect(book.reject("s", "no", by: "eve") == "conflict with approved by bob at 6000")
    }

    @Test("that is withdrawn can be cast anew")
    mutating func withdrawn() {
        _ = book.open(rule: two)
        _ = book.complete("s", "1", by: "ada")
        #expect(book.withdraw(by: "bob") == .nothing)
        #expect(book.withdraw(by: "ada") == .withdrawn)
        #expect(book.withdraw(by: "ada") == .nothing)
        #expect(voters.isEmpty && book.book.waiting.votesSize == 0)
        #expect(book.reject("s", "late", by: "ada") == "counted 1 of 2")
        #expect(book.complete(by: "bob") == "counted 1 of 2")
        let votes = #"[{"by":"bob","value":null},{"by":"carl","value":null}]"#
        #expect(book.complete(by: "carl") == #"delivered, 1 gets approved {"decision":"approved","votes":\#(votes)}"#)
        #expect(book.withdraw(by: "ada") == .decided)
    }

    @Test("of a principal that left the group is dropped only when another would decide", arguments: [true, false])
    mutating func left(comesBack: Bool) throws {
        let all: Set<Name> = ["ada", "bob", "carl", "eve"]
        book.policy = try Self.policy(release: all)
        _ = book.open(rule: GateRule(allowed: [.group("release")], approvals: 3))
        #expect(book.complete(by: "ada") == "counted 1 of 3")
        book.policy = try Self.policy(release: all.subtracting(["ada"]))
        #expect(book.complete(by: "bob") == "counted 1 of 3", "ada may not decide now")
        #expect(voters == ["ada", "bob"], "but may come back")
        if comesBack {
            book.policy = try Self.policy(release: all)
            #expect(book.complete(by: "carl").hasPrefix("delivered"))
            #expect(voters == ["ada", "bob", "carl"])
        } else {
            #expect(book.complete(by: "carl") == "counted 2 of 3")
            #expect(voters == ["bob", "carl"])
            #expect(book.complete(by: "ada") == "forbidden")
            #expect(book.complete(by: "eve").hasPrefix("delivered"))
            #expect(voters == ["bob", "carl", "eve"])
        }
    }

    @Test("of a principal that lost its right decides nothing with others")
    mutating func revoked() throws {
        _ = book.open(rule: two)
        #expect(book.reject("s", "late", by: "ada") == "counted 1 of 2")
        book.policy = try Self.policy(withoutRights: "ada")
        #expect(book.reject("s", "no tests", by: "bob") == "counted 1 of 2")
        #expect(voters == ["bob"])
        #expect(book.reject("s", "", by: "carl") == "delivered, 1 gets rejected bob: no tests")
    }

    @Test("that rejects ends the gate, unless the gate needs several rejections")
    mutating func rejections() {
        _ = book.open("a", rule: GateRule(approvals: 2))
        #expect(book.complete("a", by: "ada") == "counted 1 of 2")
        #expect(book.reject("a", "not on a Friday", by: "bob") == "delivered, 1 gets rejected not on a Friday")

        _ = book.open("b", rule: GateRule(approvals: 2, rejections: 3))
        #expect(book.reject("b", "late", by: "ada") == "counted 1 of 3")
        #expect(book.complete("b", by: "bob") == "counted 1 of 2")
        #expect(book.reject("b", "", by: "carl") == "counted 2 of 3")
        #expect(book.reject("b", "no tests", by: "eve") == "delivered, 1 gets rejected ada: late; eve: no tests")

        _ = book.open("c", rule: GateRule(rejections: 2))
        #expect(book.reject("c", "late", by: "ada") == "counted 1 of 2")
        let votes = #"[{"by":"bob","value":7}]"#
        let decided = #"approved {"decision":"approved","votes":\#(votes)}"#
        #expect(book.complete("c", "7", by: "bob") == "delivered, 1 gets \(decided)")
    }

    @Test("that came early is cast when its gate opens, in the order of coming")
    mutating func early() {
        for (value, principal) in [("1", "ada"), ("2", "bob"), ("3", "carl"), ("4", "eve")] {
            #expect(book.complete("s", value, by: principal) == "buffered for 60000")
        }
        var gates = book.book
        let rule = GateRule(allowed: ["ada", "carl", "eve"], approvals: 2)
        let waiting = SignalWait(owner: .process("x"), kind: .gate, waiter: WaiterID(number: 1), rule: rule)
        let opening = gates.open("s", waiting, under: book.policy, at: book.now)
        guard case .decided(let decision, let used, let unused) = opening else {
            Issue.record("The gate waits.")
            return
        }
        let votes: JSONValue = [["by": "ada", "value": 1], ["by": "carl", "value": 3]]
        #expect(decision == .approved(["decision": "approved", "votes": votes]))
        #expect(used.map(\.principal) == ["ada", "carl"])
        #expect(
            unused.map(\.early.principal) == ["bob", "eve"] && unused.first?.why == Errors.notAllowed("bob")
        )
    }

    @Test("that came early counts with those that follow")
    mutating func earlyAndLate() {
        _ = book.complete("s", "1", by: "ada")
        #expect(book.open(rule: two) == "waits")
        #expect(voters == ["ada"] && !book.book.keepsEarly("s") && book.book.waiting.votesSize > 0)
        #expect(book.complete("s", "1", by: "ada") == "duplicate")
        let votes = #"[{"by":"ada","value":1},{"by":"bob","value":2}]"#
        let decided = #"approved {"decision":"approved","votes":\#(votes)}"#
        #expect(book.complete("s", "2", by: "bob") == "delivered, 1 gets \(decided)")
    }

    @Test("may come from more principals once the gate has escalated, not before")
    mutating func escalated() {
        let escalation = GateRule.Escalation(after: .seconds(60), allowed: [.group("managers")])
        _ = book.open(rule: GateRule(allowed: ["ada"], approvals: 2, escalation: escalation))
        var gates = book.book
        let why = Errors.notAllowed("bob")
        let early = Errors.notYetEscalated("eve", after: .seconds(60))
        #expect(approve(&gates, as: "ada") == .counted(have: 1, need: 2))
        #expect(approve(&gates, as: "eve") == .forbidden(why: early))
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == false, "it is not time")
        book.pass(.seconds(60))
        #expect(gates.escalate("s", WaiterID(number: 2), at: book.now) == false, "another wait has this number")
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == true)
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == false)
        #expect(approve(&gates, as: "bob") == .forbidden(why: why))
        #expect(approve(&gates, as: "eve") == .delivered)
    }

    @Test("of somebody more is refused again when a new rule escalates later, until that time")
    mutating func escalatesLater() {
        func rule(after seconds: Int) -> GateRule {
            let escalation = GateRule.Escalation(after: .seconds(seconds), allowed: [.group("managers")])
            return GateRule(allowed: ["ada"], approvals: 2, escalation: escalation)
        }
        _ = book.open(rule: rule(after: 60))
        var gates = book.book
        book.pass(.seconds(61))
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == true)
        gates.renew("s", rule(after: 3_600), barring: [], at: book.now)
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == false, "the earlier wake comes too early")
        let early = Errors.notYetEscalated("eve", after: .seconds(3600))
        #expect(approve(&gates, as: "eve") == .forbidden(why: early))
        book.pass(.seconds(3_540))
        #expect(gates.escalate("s", WaiterID(number: 1), at: book.now) == true)
        #expect(approve(&gates, as: "eve") == .counted(have: 1, need: 2))
    }

    @Test("of the other kind stays when votes of one kind are counted again")
    mutating func otherKind() throws {
        _ = book.open(rule: GateRule(allowed: [.group("release"), "carl", "dan", "erin"], approvals: 3, rejections: 2))
        #expect(book.reject(by: "ada") == "counted 1 of 2")
        #expect(book.complete(by: "bob") == "counted 1 of 3")
        #expect(book.complete(by: "carl") == "counted 2 of 3")
        book.policy = try Self.policy(release: [])
        #expect(book.complete(by: "dan") == "counted 2 of 3", "bob has left")
        #expect(voters == ["ada", "carl", "dan"], "approvals were counted, and no rejection")
        book.policy = try Self.policy(release: ["ada", "bob"])
        #expect(book.reject(by: "erin").hasPrefix("delivered"))
    }

    @Test("without the value that a new rule expects does not count when another would decide")
    mutating func otherValue() {
        _ = book.open(rule: two)
        #expect(book.complete("s", "1", by: "ada") == "counted 1 of 2")
        var gates = book.book
        gates.renew("s", GateRule(approvals: 2, value: ["ticket": .required(.string)]), barring: [], at: book.now)
        let decision = Decision(signal: "s", outcome: .approved(value: Array(#"{"ticket":"T"}"#.utf8)))
        let reply = gates.decide(decision, by: "bob", under: book.policy, at: book.now)
        guard case .ruled(.counted(1, 2), let uncounted, nil) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(uncounted.map(\.principal) == ["ada"])
    }

    @Test("for what was not decided makes its sender nobody who decided, and its repetition a conflict")
    mutating func losers() {
        _ = book.open(owner: .action("r", "approve"), rule: GateRule(approvals: 2, rejections: 2))
        _ = book.reject("s", "no", by: "ada")
        _ = book.complete("s", "1", by: "bob")
        _ = book.complete("s", "2", by: "carl")
        #expect(book.reject("s", "no", by: "ada") == "conflict with approved by carl at 1000")
        #expect(book.complete("s", "3", by: "ada") == "duplicate", "it agrees with the decision")
        #expect(book.book.deciders(for: "approve", of: "r") == ["bob", "carl"])
        #expect(book.book.deciders(for: "approve", of: "q") == [])
    }

    @Test("that is sent again decides if the rule needs fewer by now")
    mutating func recounted() {
        _ = book.open(rule: GateRule(approvals: 3))
        for principal in ["ada", "bob"] { _ = book.complete(by: principal) }
        var gates = book.book
        gates.renew("s", GateRule(approvals: 2), barring: [], at: book.now)
        #expect(gates.isWaiting("s", WaiterID(number: 1)), "the rule alone decides nothing")
        #expect(approve(&gates, as: "ada") == .delivered)
        let votes: JSONValue = [["by": "bob", "value": nil], ["by": "ada", "value": nil]]
        let decision = gates.decision(on: "s", for: .process("owner"))
        #expect(decision == .approved(["decision": "approved", "votes": votes]))
        #expect(gates.waiting.votesSize == 0 && gates.waiting.count == 0)
    }

    @Test("is gone with its gate if the owner waits for a plain signal there, and takes no room")
    mutating func plain() {
        _ = book.open(rule: two)
        _ = book.complete(by: "ada")
        #expect(book.book.waiting.votesSize > 0)
        #expect(book.open("s", .signal, waiter: 2) == "waits in place of 1")
        #expect(book.book.waiting.votesSize == 0)
    }

    @Test("stays when the gate gets another rule, which decides nothing by itself")
    mutating func renewed() {
        _ = book.open(rule: GateRule(approvals: 3))
        for principal in ["ada", "bob"] { _ = book.complete(by: principal) }
        var gates = book.book
        gates.renew("s", GateRule(approvals: 2), barring: ["bob"], at: book.now)
        #expect(gates.isWaiting("s", WaiterID(number: 1)))
        #expect(approve(&gates, as: "ada") == .duplicate)
        #expect(approve(&gates, as: "carl") == .delivered)
        let votes: JSONValue = [["by": "ada", "value": nil], ["by": "carl", "value": nil]]
        let decision = gates.decision(on: "s", for: .process("owner"))
        #expect(decision == .approved(["decision": "approved", "votes": votes]))
    }
}

@Suite("A rule that can never hold")
struct ImpossibleRuleTests {
    private static let rules: [(GateRule, String)] = [
        (GateRule(approvals: 0), "0 approvals"),
        (GateRule(approvals: 101), "101 approvals"),
        (GateRule(rejections: 0), "0 rejections"),
        (
            GateRule(reminder: .zero),
            Errors.badTime("between reminders", .zero)
        ),
        (
            GateRule(reminder: .microseconds(500)),
            Errors.badTime("between reminders", .microseconds(500))
        ),
        (
            GateRule(reminder: .microseconds(1_500)),
            Errors.badTime("between reminders", .microseconds(1_500))
        ),
        (
            GateRule(allowed: ["ada"], escalation: GateRule.Escalation(after: .seconds(Int64.max), allowed: ["bob"])),
            Errors.badTime("before the escalation", .seconds(Int64.max))
        ),
        (
            GateRule(value: Dictionary(uniqueKeysWithValues: (1...33).map { ("v\($0)", .optional(.string)) })),
            "33 values"
        ),
        (
            GateRule(allowed: ["ada"], escalation: GateRule.Escalation(after: .zero, allowed: ["bob"])),
            Errors.badTime("before the escalation", .zero)
        ),
        (
            GateRule(escalation: GateRule.Escalation(after: .seconds(1), allowed: ["bob"])),
            Errors.escalatesToAll
        ),
    ]

    @Test("says why, and opens no gate", arguments: rules)
    func flaw(_ rule: GateRule, why: String) {
        let flaw: String? = rule.flaw
        #expect(flaw?.contains(why) == true)
        var harness = CoreHarness()
        let waiting = SignalWait(owner: .process("x"), kind: .gate, waiter: WaiterID(number: 1), rule: rule)
        let lines = harness.step(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: nil)))
        #expect(lines == ["resume 1 refused bad_value"])
    }
}

@Suite("What was sent with a decision")
struct ShownDecisionTests {
    private static let unshown = [
        String(repeating: "[", count: 9) + String(repeating: "]", count: 9),
        "{" + (1...17).map { "\"k\($0)\":1" }.joined(separator: ",") + "}",
        "\"" + String(repeating: "x", count: 5_000) + "\"",
    ]

    @Test("is not shown if it is deep, large or has many keys: a reader could not read the rest", arguments: unshown)
    func large(_ value: String) {
        #expect(Decision.Outcome.approved(value: Array(value.utf8)).shown == [:])
    }

    @Test("is shown otherwise, if there is anything")
    func shown() {
        #expect(Decision.Outcome.approved(value: Array(#"{"ticket":"T"}"#.utf8)).shown == ["value": ["ticket": "T"]])
        #expect(Decision.Outcome.rejected(reason: "no").shown == ["reason": "no"])
        #expect(Decision.Outcome.approved(value: []).shown == [:])
        let escaped = String(repeating: "\u{1}", count: 1_000)
        #expect(Decision.Outcome.rejected(reason: escaped).shown == [:], "six thousand bytes with its escapes")
    }
}

@Suite("The bounds of votes")
struct VoteBoundTests {
    @Test("hold for the bytes of all gates that wait, and a vote that decides needs no room")
    func size() {
        var limits = WorkerLimits()
        limits.votesSizeInBytes = 130
        var book = BookUnderTest(limits: limits)
        for signal in ["a", "b", "c"] as [Name] { #expect(book.open(signal, rule: two) == "waits") }
        #expect(book.complete("a", "1", by: "ada") == "counted 1 of 2")
        #expect(book.complete("b", "1", by: "ada") == "counted 1 of 2")
        #expect(book.complete("c", "1", by: "ada") == "busy votes")
        #expect(book.complete("a", "1", by: "ada") == "duplicate", "an answer that needs no room is given")
        #expect(book.complete("a", "1", by: "bob").hasPrefix("delivered"))
        #expect(book.complete("c", "1", by: "ada") == "counted 1 of 2")
        #expect(book.reject("c", "2", by: "bob") == "busy votes")
        #expect(book.withdraw("b", by: "ada") == .withdrawn)
        #expect(book.reject("c", "2", by: "bob") == "counted 1 of 2")
        _ = book.end("c", as: .expired)
        #expect(book.book.waiting.votesSize == 0)
    }

    @Test("hold for the bytes of one value, and a larger one leaves no trace")
    func largest() {
        var book = BookUnderTest()
        _ = book.open(rule: two)
        func value(_ size: Int) -> String { "\"" + String(repeating: "x", count: size - 2) + "\"" }
        #expect(book.complete("s", value(GateRule.largestVote + 1)).hasPrefix("bad_value: "))
        #expect(book.book.waiting.votesSize == 0)
        #expect(book.complete("s", value(GateRule.largestVote)) == "counted 1 of 2")
    }
}
