import ForgeBusProtocol
import Testing

@Suite("An item")
struct ItemTests {
    private static let least: JSONObject = [
        "run": "run-1", "pipeline": "deploy", "state": "waiting", "id": "r-1", "accepted_at_ms": 5, "principal": "ada",
    ]

    @Test("reads its members, and keeps those that this version does not know")
    func reads() throws {
        var json = Self.least
        (json["title"], json["state"], json["mood"]) = ("Deploy", "dreaming", "calm")
        json["waits"] = [["action": "approve", "state": "waiting", "signal": "s", "deadline_at_ms": 9]]
        let run = try RunItem(json)
        #expect(run.id == "run-1" && run.title == "Deploy" && run.acceptedUnixMilliseconds == 5)
        #expect(run.waits.map(\.signal) == ["s"] && run.waits.first?.deadlineUnixMilliseconds == 9)
        #expect(run.state == nil && run.json["state"] == "dreaming" && run.json == json)
        #expect(run.seeds.isEmpty && run.isKept && !run.isTruncated && run.endedUnixMilliseconds == nil)
    }

    @Test("without a required member is a bad answer", arguments: least.entries.map(\.key))
    func lacking(key: String) {
        var json = Self.least
        json[key] = .none
        #expect(throws: BusError.self) { try RunItem(json) }
    }

    @Test(
        "with a member of another type is a bad answer",
        arguments: [
            "run": 1, "accepted_at_ms": "5", "state": 7, "title": 8, "waits": "none", "kept": 1, "seeds": [],
            "paused": ["since_ms": "now"], "signals": [["kind": "gate"]], "actions": [["action": "build"]],
        ] as [String: JSONValue]
    )
    func foreign(key: String, value: JSONValue) {
        var json = Self.least
        json[key] = value
        #expect(throws: BusError.self) { try RunItem(json) }
    }

    @Test("lacks each member that has its default, and each that is nil")
    func lean() {
        var run = RunItem()
        (run.id, run.title, run.isKept, run.waits, run.seeds) = ("run-1", "Deploy", false, [], ["a": 1])
        #expect(run.json == ["run": "run-1", "title": "Deploy", "kept": false, "seeds": ["a": 1]])
        (run.title, run.isKept, run.seeds) = (nil, true, [:])
        #expect(run.json == ["run": "run-1"])
    }

    @Test("of a gate has every member of its rule in its schema")
    func rule() {
        let rule = GateRule(
            allowed: ["ada", .group("ops")],
            requesterMayDecide: false,
            approvals: 2,
            rejections: 2,
            distinctFrom: ["build"],
            value: ["tests": .required(.integer)],
            reminder: .seconds(1),
            escalation: GateRule.Escalation(after: .seconds(2), allowed: ["bob"])
        )
        #expect(Set(rule.json.entries.map(\.key)) == RuleMembers.all.keys)
        #expect(RuleMembers.all.keys.isSubset(of: SignalMembers.all.keys))
        #expect(RuleMembers.all.keys.isSubset(of: PipelineActionMembers.all.keys))
    }

    @Test("has a schema in which each reference leads to another one")
    func references() throws {
        let schemas = DeclaredItems.schemas
        func targets(_ value: JSONValue) -> [String] {
            switch value {
            case .object(let object):
                object.entries.flatMap { $0.key == "$ref" ? [$0.value.string ?? ""] : targets($0.value) }
            case .array(let values): values.flatMap(targets)
            default: []
            }
        }
        let named = Set(schemas.entries.map { "#/components/schemas/\($0.key)" })
        #expect(named.count == schemas.entries.count && Set(targets(.object(schemas))).isSubset(of: named))
        let run = try #require(schemas["Run"]?.object)
        #expect(Set(run["required"]?.array?.compactMap(\.string) ?? []) == Set(Self.least.entries.map(\.key)))
    }
}
