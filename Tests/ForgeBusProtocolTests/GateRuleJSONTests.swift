import ForgeBusProtocol
import Testing

@Suite("The JSON of a gate's rule")
struct GateRuleJSONTests {
    /// A rule that differs from ``GateRule/anybody`` in each of its fields.
    private let full = GateRule(
        allowed: ["ada", .group("release")],
        requesterMayDecide: false,
        approvals: 2,
        rejections: 3,
        distinctFrom: ["review"],
        value: ["ticket": .required(.string), "count": .optional(.integer)],
        reminder: .seconds(60),
        escalation: GateRule.Escalation(after: .seconds(90), allowed: [.group("managers"), "eve"])
    )

    @Test("reads back every field of the rule, and a field that this test does not set fails it")
    func everyField() throws {
        #expect(try GateRule(full.json) == full)
        #expect(try GateRule(GateRule.anybody.json) == .anybody)
        let defaults = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: GateRule.anybody).children.map { ($0, "\($1)") }
        )
        for (field, value) in Mirror(reflecting: full).children {
            #expect(defaults[field] != "\(value)", "\(field ?? "")")
        }
    }

    @Test("reads the rule from the item of a gate, whose other members it leaves alone")
    func item() throws {
        var item = full.json
        item["signal"] = "deploy.1.approve"
        item["state"] = "waiting"
        #expect(try GateRule(item) == full)
    }

    @Test(
        "is refused when a member has a wrong type or an unknown word",
        arguments: [
            ["approvals": "two"], ["expects": ["ticket": ["type": "ticket"]]], ["expects": []], ["allowed": [1]],
            ["remind_ms": true], ["escalate": ["allowed": ["eve"]]], ["distinct_from": [2]],
        ] as [JSONObject]
    )
    func refused(_ json: JSONObject) {
        let error = #expect(throws: BusError.self) { try GateRule(json) }
        #expect(error?.code == .badAnswer)
    }

    @Test("admits nobody where the list of those who may decide is no list")
    func closed() throws {
        #expect(try GateRule(["allowed": "ada"]).allowed == [])
        #expect(try GateRule(["requester_may_decide": "yes"]).requesterMayDecide == false)
    }
}
