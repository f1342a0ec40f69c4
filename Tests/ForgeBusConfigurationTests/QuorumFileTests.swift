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
        (
            "value: {id: {type: string, required: true}, size: {type: integer}, more: {type: object, required: false}}",
            GateRule(value: ["id": .required(.string), "size": .optional(.integer), "more": .optional(.object)])
        ),
        ("value: {}", GateRule(value: [:])),
        ("remind: 1m", GateRule(reminder: .seconds(60))),
        (
            "allowed: [ada], escalate: {after: 1ms, allowed: [{group: managers}, eve]}",
            GateRule(allowed: ["ada"], escalation: escalation)
        ),
    ]

    @Test("has the rule that its keys say", arguments: rules)
    func rule(_ keys: String, _ rule: GateRule) throws {
        let earlier = "{id: a, gate: {signal: a.go}}, {id: build, run: [x], requires: [a]}"
        let actions = try file("\(earlier), {id: b, gate: {signal: b.go, \(keys)}}").pipelines[0].orchestrator
            .registered
        let gate = try #require(actions.last as? GateAction)
        #expect(gate.rule == rule)
    }

    @Test("with an error names line, column and key, and the word that was probably meant", arguments: BadFile.quorums)
    func misuse(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(bad.text, in: directory) }
        bad.check(try #require(error))
    }

    @Test("and a group with an error names its place, too", arguments: BadFile.groups)
    func badGroup(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try AccessFile(yaml: bad.text, name: "access.yaml") }
        bad.check(try #require(error))
    }

    @Test(
        "is served only with keys",
        arguments: [
            "approvals: 2", "rejections: 2", "distinct_from: [a]", "allowed: [{group: release}]",
            "allowed: [ada], escalate: {after: 1ms, allowed: [bob]}",
        ]
    )
    func identities(_ keys: String) throws {
        var file = try file("{id: a, gate: {signal: a.go}}, {id: b, gate: {signal: b.go, \(keys)}}")
        file.configuration.endpoints = [try Endpoint("ipc://\(directory.path)/worker.ipc")]
        let unkeyed = file
        #expect(unkeyed.warnings.isEmpty)
        let error = #expect(throws: WorkerError.self) {
            _ = try BusWorker(unkeyed.configuration, pipelines: unkeyed.pipelines)
        }
        #expect(error?.code == .definition)
        file.configuration.access = .keyed(KeyPair(), try Self.policy())
        _ = try BusWorker(file.configuration, pipelines: file.pipelines)
    }

    @Test("needs no keys to remind, or to expect a value")
    func unkeyed() throws {
        var file = try file("{id: a, gate: {signal: a.go, remind: 1m, value: {t: {type: string}}}}")
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

    /// The keys of a gate, and what each warning about it names.
    private static let electorates: [(String, [String])] = [
        ("approvals: 2, rejections: 2", []),
        ("approvals: 2, allowed: [{group: release}]", []),
        ("approvals: 3", ["3 approvals"]),
        ("rejections: 3, allowed: [{group: release}, ada]", ["3 rejections"]),
        ("approvals: 3, rejections: 4", ["3 approvals", "4 rejections"]),
        ("approvals: 2, allowed: [ada], escalate: {after: 1ms, allowed: [bob]}", []),
        ("allowed: [ada, dan, {group: ops}]", ["principal \"dan\"", "group \"ops\""]),
    ]

    @Test("warns of votes, principals and groups that the access file cannot give", arguments: electorates)
    func warnings(_ keys: String, _ names: [String]) throws {
        var file = try file("{id: a, gate: {signal: go.a, \(keys)}}")
        file.configuration.access = .keyed(KeyPair(), try Self.policy())
        let warnings = file.warnings
        #expect(warnings.count == names.count)
        #expect(zip(warnings, names).allSatisfy { $0.contains($1) }, "\(warnings)")
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
    private static func gate(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ keys: String
    ) -> BadFile {
        .pipeline(
            code,
            "actions[0].gate.\(key)",
            guess: guess,
            naming: naming,
            "- {id: a, gate: {signal: x.y, \(keys)}}"
        )
    }

    private static let votes: [BadFile] = [
        gate(.badValue, "approvals", naming: "100", "approvals: §0"),
        gate(.badValue, "approvals", naming: "100", "approvals: §101"),
        gate(.badValue, "rejections", naming: "100", "rejections: §-1"),
        gate(.wrongType, "rejections", naming: "two", "rejections: §two"),
        gate(.unknownKey, "approval", guess: "approvals", "§approval: 2"),
        .pipeline(
            .unknownKey,
            "actions[0].approvals",
            "- {id: a, run: [x], §approvals: 2}"
        ),
    ]

    private static let deciders: [BadFile] = [
        gate(.missingKey, "allowed[1]", naming: "group", "allowed: [ada, §{}]"),
        gate(.unknownKey, "allowed[0].role", "allowed: [{group: g, §role: r}]"),
        gate(.badValue, "allowed[0].group", naming: "a b", "allowed: [{§group: a b}]"),
        gate(.wrongType, "allowed[0].group", "allowed: [{group: §[g]}]"),
        gate(.duplicate, "allowed[1]", naming: "g", "allowed: [{group: g}, §{group: g}]"),
    ]

    private static let distinct: [BadFile] = [
        gate(.badValue, "distinct_from", "distinct_from: §[]"),
        gate(.badValue, "distinct_from[0]", naming: "a", "distinct_from: [§a]"),
        .pipeline(
            .badValue,
            "actions[1].gate.distinct_from[0]",
            guess: "review",
            "- {id: review, gate: {signal: x.r}}\n- {id: a, gate: {signal: x.y, distinct_from: [§reviw]}}"
        ),
        .pipeline(
            .badValue,
            "actions[1].gate.distinct_from[0]",
            naming: "build",
            "- {id: build, run: [x]}\n- {id: a, gate: {signal: x.y, distinct_from: [§build]}, requires: [build]}"
        ),
        .pipeline(
            .badValue,
            "actions[1].gate.distinct_from[0]",
            naming: "review",
            "- {id: review, gate: {signal: x.r}}\n- {id: a, gate: {signal: x.y, distinct_from: [§review]}, requires: []}"
        ),
        .pipeline(
            .badValue,
            "actions[0].gate.distinct_from[0]",
            naming: "late",
            "- {id: a, gate: {signal: x.y, distinct_from: [§late]}}\n- {id: late, gate: {signal: x.l}}"
        ),
    ]

    private static let values: [BadFile] = [
        gate(.wrongType, "value", "value: §[t]"),
        gate(.wrongType, "value.t", naming: "string", "value: {t: §string}"),
        gate(
            .missingKey,
            "value.t",
            naming: "type",
            "value: {t: §{required: true}}"
        ),
        gate(.badValue, "value.t.type", guess: "string", "value: {t: {type: §strng}}"),
        gate(.badValue, "value.t.type", naming: "date", "value: {t: {type: §date}}"),
        gate(.wrongType, "value.t.required", "value: {t: {type: string, required: §maybe}}"),
        gate(
            .unknownKey,
            "value.t.default",
            "value: {t: {type: string, §default: x}}"
        ),
        gate(.badValue, "value.a b", naming: "a b", "value: {§a b: {type: string}}"),
    ]

    private static let times: [BadFile] = [
        gate(.badValue, "remind", naming: "365d", "remind: §59999ms"),
        gate(.missingKey, "escalate", naming: "after", "allowed: [b], escalate: §{allowed: [c]}"),
        gate(.missingKey, "escalate", naming: "allowed", "allowed: [b], escalate: §{after: 5ms}"),
        gate(.badValue, "escalate.after", "allowed: [b], escalate: {after: §0s, allowed: [c]}"),
        gate(
            .badValue,
            "escalate.allowed[0]",
            naming: "local",
            "allowed: [b], escalate: {after: 5ms, allowed: [§local]}"
        ),
        gate(
            .badValue,
            "escalate.allowed[0]",
            naming: "worker",
            "allowed: [b], escalate: {after: 5ms, allowed: [§worker]}"
        ),
        gate(.badValue, "escalate", naming: "allowed", "§escalate: {after: 5ms, allowed: [c]}"),
    ]

    fileprivate static let groups: [BadFile] = [
        group(.wrongType, "groups", "groups: §[p]"),
        group(.unknownKey, "group", guess: "groups", "§group: {release: [deployer]}"),
        group(.badValue, "groups.a/b", naming: "a/b", "groups: {§a/b: [deployer]}"),
        group(.wrongType, "groups.g", "groups: {g: §deployer}"),
        group(.badValue, "groups.g", "groups: {g: §[]}"),
        group(.badValue, "groups.g[0]", naming: "ada", "groups: {g: [§ada]}"),
        group(.badValue, "groups.g[0]", guess: "deployer", "groups: {g: [§deploier]}"),
        group(.duplicate, "groups.g[1]", naming: "deployer", "groups: {g: [deployer, §deployer]}"),
    ]

    /// An access file with the principal `deployer` and this line.
    private static func group(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ line: String
    ) -> BadFile {
        BadFile(
            code,
            key,
            guess: guess,
            naming: naming,
            "principals: {deployer: {keys: [\"\(ExampleKeys.client)\"]}}\n\(line)\n"
        )
    }
}
