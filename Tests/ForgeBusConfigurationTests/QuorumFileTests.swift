import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration
@testable import ForgeBusWorker

@Suite("A gate of several votes in a file")
struct QuorumFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The file with these actions in the pipeline `p`.
    private func file(_ actions: String) throws -> WorkerFile {
        try WorkerFile("pipelines: {p: {actions: [\(actions)]}}\n", in: directory)
    }

    private static let escalation = GateRule.Escalation(after: .milliseconds(1), allowed: [.group("managers"), "eve"])

    private static let rules: [(String, GateRule)] = [
        ("approvals: 1, rejections: 1", .anybody),
        ("approvals: 100", GateRule(approvals: 100)),
        ("approvals: 2, rejections: 3", GateRule(approvals: 2, rejections: 3)),
        ("allowed: [{group: ada}, ada, {group: b.c}]", GateRule(allowed: [.group("ada"), "ada", .group("b.c")])),
        ("distinct_from: [a]", GateRule(distinctFrom: ["a"])),
        ("requires: [build], distinct_from: [a]", GateRule(distinctFrom: ["a"])),
        (
            "value: {id: {type: string, required: true}, size: {type: integer}, more: {type: object, required: false}}",
            GateRule(value: ["id": .required(.string), "size": .optional(.integer), "more": .optional(.object)])
        ),
        ("value: {}", GateRule(value: [:])),
        ("remind_ms: 60000", GateRule(reminder: .seconds(60))),
        (
            "allowed: [ada], escalate: {after_ms: 1, allowed: [{group: managers}, eve]}",
            GateRule(allowed: ["ada"], escalation: escalation)
        ),
    ]

    @Test("has the rule that its keys say", arguments: rules)
    func rule(_ keys: String, _ rule: GateRule) throws {
        let earlier = "{id: a, gate: a.go}, {id: build, run: [x], requires: [a]}"
        let actions = try file("\(earlier), {id: b, gate: b.go, \(keys)}").pipelines[0].orchestrator.registered
        let gate = try #require(actions.last as? GateAction)
        #expect(gate.rule == rule)
    }

    @Test("with an error names line, column and key, and says what is expected", arguments: BadFile.quorums)
    func misuse(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(bad.text, in: directory) }
        try check(error, bad)
    }

    @Test("and a group with an error names its place, too", arguments: BadFile.groups)
    func badGroup(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try AccessFile(yaml: bad.text, name: "access.yaml") }
        try check(error, bad)
    }

    private func check(_ found: ConfigurationError?, _ bad: BadFile) throws {
        let error = try #require(found)
        #expect(error.code == bad.code, "\(error)")
        #expect(error.line == bad.position.line && error.column == bad.position.column, "\(error)")
        #expect(error.key == bad.key, "\(error)")
        #expect(error.message.contains(bad.says), "\(error)")
        #expect(!error.next.isEmpty && error.others.isEmpty, "\(error)")
    }

    @Test(
        "is served only with keys",
        arguments: [
            "approvals: 2", "rejections: 2", "distinct_from: [a]", "allowed: [{group: release}]",
            "allowed: [ada], escalate: {after_ms: 1, allowed: [bob]}",
        ]
    )
    func identities(_ keys: String) throws {
        var file = try file("{id: a, gate: a.go}, {id: b, gate: b.go, \(keys)}")
        file.configuration.endpoints = [try Endpoint("ipc://\(directory.path)/worker.ipc")]
        let unkeyed = file
        #expect(unkeyed.warnings.isEmpty)
        let error = #expect(throws: WorkerError.self) {
            _ = try BusWorker(unkeyed.configuration, pipelines: unkeyed.pipelines)
        }
        #expect(error?.code == .definition)
        #expect(error?.message.contains("without keys the worker cannot tell senders apart") == true)
        file.configuration.access = .keyed(KeyPair(), try Self.policy())
        _ = try BusWorker(file.configuration, pipelines: file.pipelines)
    }

    @Test("needs no keys to remind, or to expect a value")
    func unkeyed() throws {
        var file = try file("{id: a, gate: a.go, remind_ms: 60000, value: {t: {type: string}}}")
        file.configuration.endpoints = [try Endpoint("ipc://\(directory.path)/worker.ipc")]
        _ = try BusWorker(file.configuration, pipelines: file.pipelines)
    }

    /// Ada and Bob may complete signals below `go`, Carl may complete nothing.
    private static func policy() throws -> AccessPolicy {
        let grants = AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: ["go.>"])])
        let members = [
            AccessPolicy.Member("ada", keys: [KeyPair().publicKey], grants: grants),
            AccessPolicy.Member("bob", keys: [KeyPair().publicKey], grants: grants),
            AccessPolicy.Member("carl", keys: [KeyPair().publicKey]),
        ]
        return try AccessPolicy(members, groups: ["release": ["ada", "bob", "carl"]])
    }

    private static func unreachable(_ need: String) -> String {
        "The gate \"a\" of the pipeline \"p\" needs \(need), but only 2 principals of the access file may decide it. "
            + "Give more principals the right `complete`, allow more of them in the gate's rule, or require fewer votes."
    }

    private static let electorates: [(String, [String])] = [
        ("approvals: 2, rejections: 2", []),
        ("approvals: 2, allowed: [{group: release}]", []),
        ("approvals: 3", [unreachable("3 approvals")]),
        ("rejections: 3, allowed: [{group: release}, ada]", [unreachable("3 rejections")]),
        ("approvals: 3, rejections: 4", [unreachable("3 approvals"), unreachable("4 rejections")]),
        ("approvals: 2, allowed: [ada], escalate: {after_ms: 1, allowed: [bob]}", []),
        (
            "allowed: [ada, dan, {group: ops}]",
            [
                "Gates of the pipeline \"p\" allow the principal \"dan\", which is not in the access file: add this principal to that file, or correct or remove the name in `allowed`.",
                "Gates of the pipeline \"p\" allow the group \"ops\", which is not in the access file: define the group there, under `groups`, or correct or remove the name in `allowed`.",
            ]
        ),
    ]

    @Test("warns of votes, principals and groups that the access file cannot give", arguments: electorates)
    func warnings(_ keys: String, _ warnings: [String]) throws {
        var file = try file("{id: a, gate: go.a, \(keys)}")
        file.configuration.access = .keyed(KeyPair(), try Self.policy())
        #expect(file.warnings == warnings)
    }

    @Test("is decided by the groups of the access file")
    func groups() throws {
        func policy(_ groups: String) throws -> AccessPolicy {
            let keys = (ada: ExampleKeys.client, bob: ExampleKeys.server)
            let principals = "principals:\n  ada: {keys: [\"\(keys.ada)\"]}\n  bob: {keys: [\"\(keys.bob)\"]}\n"
            return try AccessFile(yaml: principals + groups, name: "access.yaml").policy
        }
        let both = try policy("groups:\n  release: [ada, bob]\n  night.shift: [bob]\n")
        #expect(both.groupNames == ["night.shift", "release"])
        #expect(both.group("release") == ["ada", "bob"] && both.group("night.shift") == ["bob"])
        #expect(both.group("managers").isEmpty)
        #expect(try policy("").groupNames.isEmpty)
        #expect(try policy("groups: {release: [ada]}\n").digest != policy("groups: {release: [bob]}\n").digest)
    }
}

extension BadFile {
    fileprivate static let quorums: [BadFile] = votes + deciders + distinct + values + times

    /// A gate with these keys.
    private static func gate(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ keys: String) -> BadFile
    {
        .pipeline(code, "actions[0].\(key)", says, "- {id: a, gate: x.y, \(keys)}")
    }

    private static let votes: [BadFile] = [
        gate(.badValue, "approvals", "Expected an integer from 1 to 100, found 0", "approvals: §0"),
        gate(.badValue, "approvals", "Expected an integer from 1 to 100, found 101", "approvals: §101"),
        gate(.badValue, "rejections", "Expected an integer from 1 to 100, found -1", "rejections: §-1"),
        gate(.wrongType, "rejections", "found the text \"two\"", "rejections: §two"),
        gate(.unknownKey, "approval", "Did you mean `approvals`?", "§approval: 2"),
        .pipeline(
            .unknownKey,
            "actions[0].approvals",
            "not a key of a pipeline's action",
            "- {id: a, run: [x], §approvals: 2}"
        ),
    ]

    private static let deciders: [BadFile] = [
        gate(.missingKey, "allowed[1]", "`group` is missing: it is the name of a group", "allowed: [ada, §{}]"),
        gate(.unknownKey, "allowed[0].role", "not a key of an entry of `allowed`", "allowed: [{group: g, §role: r}]"),
        gate(.badValue, "allowed[0].group", "\"a b\" is not a name", "allowed: [{§group: a b}]"),
        gate(.wrongType, "allowed[0].group", "Expected the name of a group, found a list", "allowed: [{group: §[g]}]"),
        gate(.duplicate, "allowed[1]", "The group \"g\" is in this list already", "allowed: [{group: g}, §{group: g}]"),
    ]

    private static let distinct: [BadFile] = [
        gate(.badValue, "distinct_from", "found an empty list", "distinct_from: §[]"),
        gate(.badValue, "distinct_from[0]", "The pipeline has no other gate \"a\"", "distinct_from: [§a]"),
        .pipeline(
            .badValue,
            "actions[1].distinct_from[0]",
            "The pipeline has no other gate \"reviw\". Did you mean `review`?",
            "- {id: review, gate: x.r}\n- {id: a, gate: x.y, distinct_from: [§reviw]}"
        ),
        .pipeline(
            .badValue,
            "actions[1].distinct_from[0]",
            "The pipeline has no other gate \"build\"",
            "- {id: build, run: [x]}\n- {id: a, gate: x.y, requires: [build], distinct_from: [§build]}"
        ),
        .pipeline(
            .badValue,
            "actions[1].distinct_from[0]",
            "This gate does not require `review`",
            "- {id: review, gate: x.r}\n- {id: a, gate: x.y, requires: [], distinct_from: [§review]}"
        ),
        .pipeline(
            .badValue,
            "actions[0].distinct_from[0]",
            "This gate does not require `late`",
            "- {id: a, gate: x.y, distinct_from: [§late]}\n- {id: late, gate: x.l}"
        ),
    ]

    private static let values: [BadFile] = [
        gate(.wrongType, "value", "Expected a mapping of the value's keys to their types, found a list", "value: §[t]"),
        gate(.wrongType, "value.t", "found the text \"string\"", "value: {t: §string}"),
        gate(
            .missingKey,
            "value.t",
            "`type` is missing: its value is one of string, integer",
            "value: {t: §{required: true}}"
        ),
        gate(.badValue, "value.t.type", "Did you mean `string`?", "value: {t: {type: §strng}}"),
        gate(.badValue, "value.t.type", "boolean, array, object, found \"date\"", "value: {t: {type: §date}}"),
        gate(.wrongType, "value.t.required", "Expected true or false", "value: {t: {type: string, required: §maybe}}"),
        gate(
            .unknownKey,
            "value.t.default",
            "not a key of an entry of `value`",
            "value: {t: {type: string, §default: x}}"
        ),
        gate(.badValue, "value.a b", "\"a b\" is not a name", "value: {§a b: {type: string}}"),
    ]

    private static let times: [BadFile] = [
        gate(.badValue, "remind_ms", "from 60000 to 31536000000, found 59999", "remind_ms: §59999"),
        gate(.missingKey, "escalate", "`after_ms` is missing", "allowed: [b], escalate: §{allowed: [c]}"),
        gate(.missingKey, "escalate", "`allowed` is missing", "allowed: [b], escalate: §{after_ms: 5}"),
        gate(.badValue, "escalate.after_ms", "from 1 to", "allowed: [b], escalate: {after_ms: §0, allowed: [c]}"),
        gate(.badValue, "escalate.allowed[0]", "reserved", "allowed: [b], escalate: {after_ms: 5, allowed: [§local]}"),
        gate(
            .badValue,
            "escalate.allowed[0]",
            "for the worker",
            "allowed: [b], escalate: {after_ms: 5, allowed: [§worker]}"
        ),
        gate(.badValue, "escalate", "The gate itself has no `allowed`", "§escalate: {after_ms: 5, allowed: [c]}"),
    ]

    fileprivate static let groups: [BadFile] = [
        group(.wrongType, "groups", "Expected a mapping of names to groups, found a list", "groups: §[p]"),
        group(.unknownKey, "group", "Did you mean `groups`?", "§group: {release: [deployer]}"),
        group(.badValue, "groups.a/b", "\"a/b\" is not a name", "groups: {§a/b: [deployer]}"),
        group(.wrongType, "groups.g", "Expected a list of principals, found the text", "groups: {g: §deployer}"),
        group(.badValue, "groups.g", "Expected a list of principals, found an empty list", "groups: {g: §[]}"),
        group(.badValue, "groups.g[0]", "There is no principal \"ada\".", "groups: {g: [§ada]}"),
        group(.badValue, "groups.g[0]", "Did you mean `deployer`?", "groups: {g: [§deploier]}"),
        group(.duplicate, "groups.g[1]", "\"deployer\" is in this list already", "groups: {g: [deployer, §deployer]}"),
    ]

    /// An access file with the principal `deployer` and this line.
    private static func group(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ line: String) -> BadFile
    {
        BadFile(code, key, says, "principals: {deployer: {keys: [\"\(ExampleKeys.client)\"]}}\n\(line)\n")
    }
}
