@testable import ForgeBusConfiguration

extension BadFile {
    static let all: [BadFile] =
        syntax + structure + tags + settings + monitors + pipelines + actions + gates + requirements + policies
        + webhooks + former

    /// The spellings of earlier files, each with an error that names the one of today.
    private static let former: [BadFile] = [
        .pipeline(.wrongType, "actions[0].gate", naming: "x.y", "- {id: a, gate: §x.y}"),
        .pipeline(.wrongType, "actions[0].gate", naming: "mapping", "- {id: a, gate: §}"),
        .pipeline(.unknownKey, "actions[0].approvals", naming: "approvals", "- {id: a, gate: {}, §approvals: 2}"),
        .pipeline(.unknownKey, "actions[0].gate.deadline_ms", guess: "deadline", "- {id: a, gate: {§deadline_ms: 5}}"),
        BadFile(.unknownKey, "worker.limits.early_bytes", guess: "early_size", "worker: {limits: {§early_bytes: 5}}\n"),
        BadFile(.unknownKey, "worker.limits.seeds_bytes", guess: "seeds", "worker: {limits: {§seeds_bytes: 5}}\n"),
        BadFile(.wrongType, "worker.limits.seeds", naming: "5", "worker: {limits: {seeds: §5}}\n"),
        BadFile(.badValue, "worker.limits.seeds", naming: "5MB", "worker: {limits: {seeds: §5MB}}\n"),
    ]

    private static let syntax: [BadFile] = [
        BadFile(
            .notYAML,
            nil,
            naming: "2:6",
            "pipelines:\n  p: [a\nmonitors§: {}\n"
        ),
        BadFile(
            .notYAML,
            nil,
            naming: "2:6",
            "pipelines:\n  p: {a: b\nmonitors§: {}\n"
        ),
        BadFile(.notYAML, nil, naming: "2:3", "pipelines:\n  p: {}\n  §- a\n"),
        BadFile(.notYAML, nil, naming: "2:3", "pipelines:\n  - p\n  §a: {}\n"),
        BadFile(.notYAML, nil, naming: "2:6", "pipelines:\n  p: \"a\n§"),
        BadFile(
            .notYAML,
            nil,
            naming: "3:3",
            "pipelines:\n  a: {}\n  p\n§monitors: {}\n"
        ),
        BadFile(.notYAML, nil, naming: ":", "pipelines: p§: {}\n"),
        BadFile(.notYAML, nil, naming: "-", "pipelines: §- p\n"),
        BadFile(.notYAML, nil, "pipelines: §*nobody\n"),
        BadFile(.notYAML, nil, "worker: {name: a}\n§---\nworker: {name: b}\n"),
        BadFile(.notYAML, nil, "worker:\n  name: a§\u{1}\n"),
        BadFile(.missingKey, nil, "§"),
        BadFile(
            .duplicate,
            "slots",
            naming: "slots",
            "pipelines:\n  p:\n    §slots: 1\n    slots: 2\n"
        ),
        BadFile(
            .duplicate,
            "pipelines.p.seeds",
            naming: "1",
            "pipelines:\n  p:\n    seeds: {1: {type: string}, §\"1\": {type: string}}\n    actions: [{id: a, run: [x]}]\n"
        ),
    ]

    private static let structure: [BadFile] = [
        .pipeline(
            .wrongType,
            "actions[0].gate.message",
            "- {id: a, gate: {signal: d.approve, message: §{run.id}}}"
        ),
        BadFile(
            .badValue,
            "pipelines.a.actions[0].seeds.v",
            naming: "seed.v",
            "pipelines:\n  a:\n    seeds: {v: {type: string, default: x}}\n"
                + "    actions: [{id: x, request: b, seeds: {v: §{seed.v}}}]\n"
                + "  b:\n    seeds: {v: {type: string, default: x}}\n    actions: [{id: y, run: [z]}]\n"
        ),
        BadFile(.wrongType, nil, "§- a\n"),
        BadFile(.unknownKey, "pipeline", guess: "pipelines", "§pipeline: {}\n"),
        BadFile(
            .unknownKey,
            "monitors.m.interval_ms",
            guess: "interval",
            "monitors: {m: {topics: [a], §interval_ms: 5, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "worker.store",
            "worker: {store: §$HOME/a.sqlite}\n"
        ),
        BadFile(.badValue, "worker.store", naming: "~/a.sqlite", "worker: {store: §~/a.sqlite}\n"),
        .pipeline(.unknownKey, "actions[0].timeout_ms", guess: "timeout", "- {id: a, run: [x], §timeout_ms: 5}"),
        .pipeline(
            .unknownKey,
            "actions[0].depends_on",
            guess: "requires",
            "- {id: a, run: [x], §depends_on: []}"
        ),
        .pipeline(.unknownKey, "actions[0].command", guess: "run", "- {id: a, run: [x], §command: [y]}"),
        .pipeline(.unknownKey, "actions[0].runs", guess: "run", "- {id: a, run: [x], §runs: [y]}"),
        .pipeline(
            .unknownKey,
            "actions[0].timeout-ms",
            guess: "timeout",
            "- {id: a, run: [x], §timeout-ms: 5}"
        ),
        .pipeline(
            .badValue,
            "actions[0].run[1]",
            naming: "{seed.v}",
            "- {id: a, run: [x, §'v={seed.v}']}"
        ),
        .pipeline(.badValue, "actions[0].when[1]", naming: "{run.id}", "- {id: a, when: [x, §'{run.id}'], run: [x]}"),
        .pipeline(.badValue, "actions[0].run[2]", "- {id: a, run: [x, y, §'|', z]}"),
        BadFile(.wrongType, "pipelines", "pipelines:§\n"),
        BadFile(.wrongType, "monitors", "monitors: §[]\n"),
        BadFile(.wrongType, "monitors", "monitors:\n  ? §[a]\n  : {}\n"),
        BadFile(.wrongType, "worker", naming: "x", "worker: §x\n"),
        BadFile(.wrongType, "startup", "startup: §{id: a}\n"),
    ]

    private static let tags: [BadFile] = [
        BadFile(.wrongType, "worker.name", naming: "!secret", "worker: {name: §!secret x}\n"),
        BadFile(.wrongType, "worker.name", naming: "!!str", "worker:\n  name: §!!str x\n"),
        BadFile(.wrongType, "worker.name", naming: "!!str", "worker:\n  name: §!!str \"x\"\n"),
        BadFile(.wrongType, "worker.name", naming: "!", "worker:\r\n  name: §! x\r\n"),
        BadFile(.wrongType, "worker.store", naming: "!!str", "worker: {name: b, store: §!!str \"\u{1F41D}!\"}\n"),
        BadFile(.wrongType, "worker.name", naming: "!a", "worker:\n  name: §&x # one\n    !a y\n"),
        BadFile(.wrongType, "worker", naming: "!!map", "worker: §!!map {name: x}\n"),
        BadFile(.wrongType, "monitors", naming: "!!omap", "monitors: §!!omap\n  {}\n"),
        BadFile(.wrongType, nil, naming: "!<tag:a,2026:x>", "§!<tag:a,2026:x>\nworker: {}\n"),
        BadFile(.wrongType, nil, naming: "!!str", "§!!str worker: {}\n"),
        BadFile.pipeline(.wrongType, "actions[0].run", naming: "!!seq", "- {id: a, run: §!!seq [x]}"),
        BadFile.pipeline(
            .wrongType,
            "actions[0].run[1]",
            naming: "!x",
            "- {id: a, run: &r [x, §!x y]}\n- {id: b, run: *r}"
        ),
    ]

    /// A public key of nobody's.
    private static let key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

    private static let settings: [BadFile] = [
        BadFile(.unknownKey, "worker.drain_ms", guess: "drain", "worker:\n  §drain_ms: 1\n"),
        BadFile(.unknownKey, "worker.drains", guess: "drain", "worker:\n  §drains: 1\n"),
        BadFile(.wrongType, "worker.drain", naming: "30", "worker:\n  drain: §30\n"),
        BadFile(.wrongType, "worker.drain", naming: "30", "worker:\n  drain: §\"30\"\n"),
        BadFile(.wrongType, "worker.drain", naming: "1.5", "worker: {drain: §1.5}\n"),
        BadFile(.badValue, "worker.drain", naming: "1d", "worker: {drain: §2d}\n"),
        BadFile(.badValue, "worker.limits.queued", "worker: {limits: {queued: §0}}\n"),
        BadFile(.unknownKey, "worker.limits.queue", guess: "queued", "worker: {limits: {§queue: 5}}\n"),
        BadFile(.wrongType, "worker.store", "worker: {store: §[memory]}\n"),
        BadFile(.wrongType, "worker.store", "worker: {store: §~}\n"),
        BadFile(.badValue, "worker.store", "worker: {store: §\"\"}\n"),
        BadFile(.badValue, "worker.name", naming: "a b", "worker: {name: §a b}\n"),
        BadFile(.wrongType, "worker.name", "worker: {name: §~}\n"),
        BadFile(.wrongType, "worker.listen", "worker: {listen: §\"tcp://127.0.0.1:1\"}\n"),
        BadFile(.badValue, "worker.listen", "worker: {listen: §[]}\n"),
        BadFile(
            .badValue,
            "worker.listen[1]",
            "worker:\n  listen:\n    - ipc:///a\n    - §tcp://127.0.0.1\n"
        ),
        BadFile(
            .openDoor,
            "worker.listen[0]",
            "worker: {listen: [§\"tcp://0.0.0.0:7717\"]}\n"
        ),
        BadFile(.openDoor, "worker.listen[0]", "worker: {listen: [§\"tcp://localhost:7717\"]}\n"),
        BadFile(.wrongType, "worker.publications", "worker: {publications: §[\"ipc:///a\"]}\n"),
        BadFile(
            .unknownKey,
            "worker.publications.binds",
            guess: "bind",
            "worker:\n  publications:\n    §binds: []\n"
        ),
        BadFile(.badValue, "worker.publications.bind", "worker: {publications: {bind: §[]}}\n"),
        BadFile(
            .openDoor,
            "worker.publications.bind[0]",
            "worker: {publications: {bind: [§\"tcp://*:7718\"]}}\n"
        ),
        BadFile(
            .openDoor,
            "worker.publications.connect[1]",
            "worker: {publications: {connect: [\"ipc:///a\", §\"tcp://shop.example:7718\"]}}\n"
        ),
        BadFile(
            .badValue,
            "worker.publications.connect[0]",
            "worker: {publications: {connect: [§\"tcp://127.0.0.1:*\"]}}\n"
        ),
        BadFile(
            .missingKey,
            "worker.publications.connect[0]",
            naming: "endpoint",
            "worker: {publications: {connect: [§{principal: b, key: \"\(key)\"}]}}\n"
        ),
        BadFile(
            .badValue,
            "worker.publications.connect[0]",
            "worker: {publications: {connect: [§{endpoint: \"ipc:///a\", principal: b, key: \"\(key)\"}]}}\n"
        ),
    ]

    private static let monitors: [BadFile] = [
        BadFile(
            .missingKey,
            "monitors.m",
            naming: "topics",
            "monitors:\n  m:\n    §actions: [{id: a, run: [x]}]\n"
        ),
        BadFile(.missingKey, "monitors.m", naming: "actions", "monitors: {m: §{topics: [a]}}\n"),
        BadFile(
            .badValue,
            "monitors.m.topics",
            "monitors: {m: {topics: §[], actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "monitors.m.topics[1]",
            naming: ">",
            "monitors:\n  m:\n    topics: [a, §\">.b\"]\n    actions: [{id: a, run: [x]}]\n"
        ),
        BadFile(
            .badValue,
            "monitors.a b",
            naming: "a b",
            "monitors: {§a b: {topics: [a], actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "monitors.m.interval",
            "monitors: {m: {topics: [a], interval: §0s, actions: [{id: a, run: [x]}]}}\n"
        ),
        monitor(.badValue, "time_limit", naming: "1d", "time_limit: §0s"),
        monitor(.badValue, "minimum_gap", naming: "100msms", "minimum_gap: §100msms"),
        monitor(.wrongType, "debounce", naming: "200", "debounce: §200"),
        monitor(.missingKey, "debounce", naming: "at_most", "debounce: §{quiet: 200ms}"),
        monitor(.missingKey, "debounce", naming: "quiet", "debounce: §{at_most: 200ms}"),
        monitor(
            .badValue,
            "debounce.at_most",
            naming: "quiet",
            "debounce: {quiet: 200ms, at_most: §100ms}"
        ),
        monitor(
            .badValue,
            "debounce.quiet",
            naming: "1d",
            "debounce: {quiet: §0s, at_most: 100ms}"
        ),
        monitor(
            .unknownKey,
            "debounce.at_mosts",
            guess: "at_most",
            "debounce: {quiet: 200ms, at_most: 300ms, §at_mosts: 100}"
        ),
        monitor(
            .wrongType,
            "excluded_screens",
            "excluded_screens: §Call"
        ),
        monitor(.duplicate, "excluded_screens[1]", "excluded_screens: [Call, §Call]"),
        BadFile(
            .badValue,
            "monitors.m.actions[0].gate",
            "monitors: {m: {topics: [a], actions: [{id: a, §gate: {signal: x.y}}]}}\n"
        ),
        BadFile(
            .unknownKey,
            "monitors.m.actions[0].requires",
            "monitors: {m: {topics: [a], actions: [{id: a, run: [x], §requires: []}]}}\n"
        ),
    ]

    private static func monitor(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ line: String
    ) -> BadFile {
        let text = "monitors:\n  m:\n    topics: [a]\n    \(line)\n    actions: [{id: a, run: [x]}]\n"
        return BadFile(code, "monitors.m.\(key)", guess: guess, naming: naming, text)
    }

    private static let pipelines: [BadFile] = [
        BadFile(
            .badValue,
            "pipelines.p.slots",
            naming: "10000",
            "pipelines: {p: {slots: §0, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .wrongType,
            "pipelines.p.priority",
            naming: "1000000",
            "pipelines: {p: {priority: §high, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "pipelines.p.checkpoint",
            guess: "strict",
            "pipelines: {p: {checkpoint: §strikt, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(.missingKey, "pipelines.p", naming: "actions", "pipelines: {p: §{slots: 1}}\n"),
        BadFile(.badValue, "pipelines.p.actions", "pipelines: {p: {actions: §[]}}\n"),
        BadFile(
            .duplicate,
            "pipelines.p.outputs[1]",
            "pipelines: {p: {outputs: [u, §u], actions: [{id: a, run: [x]}]}}\n"
        ),
        title(.badValue, naming: "{value.tests}", "Deploy {value.tests}"),
        title(.badValue, naming: "{user}", "Deploy {user}"),
        title(.unknownSeed, guess: "version", naming: "versoin", "Deploy {seed.versoin}"),
        title(.badValue, naming: "token", "Deploy {seed.token}"),
        title(.badValue, naming: "4096", ""),
        onePer(.badValue, naming: "{run.id}", #"§"{run.id}""#),
        onePer(.badValue, naming: "token", #"§"{seed.token}""#),
        onePer(.wrongType, "", "§[a]"),
        onePer(.badValue, naming: "version", "§version"),
        onePer(.badValue, ".key", naming: "version", #"{key: §"{{seed.version}"}"#),
        onePer(.wrongType, "", "§{seed.version}"),
        onePer(.missingKey, naming: "key", "§{group: production}"),
        onePer(.unknownSeed, ".key", guess: "version", naming: "verson", #"{key: §"{seed.verson}"}"#),
        onePer(.badValue, ".then", guess: "supersede", #"{key: "{seed.version}", then: §superseed}"#),
        onePer(.badValue, ".group", naming: "a b", #"{key: "{seed.version}", group: §a b}"#),
        seed(.missingKey, "s", naming: "type", "§{required: true}"),
        seed(.wrongType, "s", "§string"),
        seed(.badValue, "s.type", guess: "string", "{type: §strng}"),
        seed(
            .wrongType,
            "s.required",
            naming: "yes",
            "{type: string, required: §yes}"
        ),
        seed(
            .badValue,
            "s.default",
            "{type: string, required: true, §default: x}"
        ),
        seed(.wrongType, "s.default", "{type: integer, default: §many}"),
        seed(.wrongType, "s.default", naming: "no", "{type: boolean, default: §no}"),
        BadFile(
            .badValue,
            "pipelines.p.seeds.a b",
            "pipelines: {p: {seeds: {§a b: {type: string}}, actions: [{id: a, run: [x]}]}}\n"
        ),
    ]

    private static func onePer(
        _ code: ConfigurationError.Code,
        _ place: String = "",
        guess: String? = nil,
        naming: String = "",
        _ rule: String
    ) -> BadFile {
        BadFile(
            code,
            "pipelines.p.one_per\(place)",
            guess: guess,
            naming: naming,
            """
            pipelines:
              p:
                one_per: \(rule)
                seeds: {version: {type: string}, token: {type: string, secret: true}}
                actions: [{id: a, run: [x]}]

            """
        )
    }

    private static func title(
        _ code: ConfigurationError.Code,
        guess: String? = nil,
        naming: String,
        _ title: String
    ) -> BadFile {
        BadFile(
            code,
            "pipelines.p.title",
            guess: guess,
            naming: naming,
            """
            pipelines:
              p:
                title: §"\(title)"
                seeds: {version: {type: string}, token: {type: string, secret: true}}
                actions: [{id: a, run: [x]}]

            """
        )
    }

    private static func seed(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ seed: String
    ) -> BadFile {
        BadFile(
            code,
            "pipelines.p.seeds.\(key)",
            guess: guess,
            naming: naming,
            "pipelines:\n  p:\n    seeds:\n      s: \(seed)\n    actions: [{id: a, run: [x]}]\n"
        )
    }

    private static let actions: [BadFile] = [
        .pipeline(.missingKey, "actions[0]", naming: "id", "- §run: [x]"),
        .pipeline(.missingKey, "actions[0]", naming: "gate", "- §id: a"),
        .pipeline(.badValue, "actions[0].id", naming: "a.b", "- {id: §a.b, run: [x]}"),
        .pipeline(
            .duplicate,
            "actions[1].id",
            naming: "a",
            "- {id: a, run: [x]}\n- {id: §a, run: [x]}"
        ),
        .pipeline(.badValue, "actions[0].run", "- {id: a, run: §[]}"),
        .pipeline(.wrongType, "actions[0].run", naming: "./x y", "- {id: a, run: §./x y}"),
        .pipeline(.wrongType, "actions[0].run[1]", "- {id: a, run: [x, §~]}"),
        .pipeline(.wrongType, "actions[0].run[1]", "- {id: a, run: [x, §[y]]}"),
        .pipeline(.badValue, "actions[0].run[0]", "- {id: a, run: [§\"\"]}"),
        .pipeline(.badValue, "actions[0].run[1]", "- {id: a, run: [x, §\"a\\0b\"]}"),
        .pipeline(.wrongType, "actions[0].when", "- {id: a, run: [x], when: §~}"),
        .pipeline(.badValue, "actions[0].when", "- {id: a, run: [x], when: §[]}"),
        .pipeline(.badValue, "actions[0].timeout", naming: "1d", "- {id: a, run: [x], timeout: §0s}"),
        .pipeline(
            .badValue,
            "actions[0].priority",
            naming: "critical",
            "- {id: a, run: [x], priority: §urgent}"
        ),
        .pipeline(.unknownKey, "actions[0].deadline", "- {id: a, run: [x], §deadline: 1ms}"),
        .pipeline(.wrongType, "actions[0].env", "- {id: a, run: [x], env: §[A]}"),
        .pipeline(.badValue, "actions[0].env.1A", "- {id: a, run: [x], env: {§1A: x}}"),
        .pipeline(
            .badValue,
            "actions[0].env.FORGE_RUN",
            "- {id: a, run: [x], env: {§FORGE_RUN: x}}"
        ),
        .pipeline(.wrongType, "actions[0].env.A", "- {id: a, run: [x], env: {A: §~}}"),
    ]

    private static let gates: [BadFile] = [
        .pipeline(.badValue, "actions[0].run", naming: "gate", "- {id: a, gate: {signal: x.y}, §run: [x]}"),
        .pipeline(.badValue, "actions[0].gate.signal", "- {id: a, gate: {signal: §x..y}}"),
        .pipeline(
            .badValue,
            "actions[0].gate.message",
            naming: "{user}",
            "- {id: a, gate: {signal: x, message: §\"{user}\"}}"
        ),
        .pipeline(
            .unknownSeed,
            "actions[0].gate.message",
            naming: "z",
            "- {id: a, gate: {signal: x, message: §\"{seed.z}\"}}"
        ),
        .pipeline(.badValue, "actions[0].gate.message", naming: "4096", "- {id: a, gate: {signal: x, message: §\"\"}}"),
        .pipeline(.badValue, "actions[0].gate.signal", "- {id: a, gate: {signal: §\"x.{user}\"}}"),
        .pipeline(
            .unknownSeed,
            "actions[0].gate.signal",
            naming: "version",
            "- {id: a, gate: {signal: §\"x.{seed.version}\"}}"
        ),
        .pipeline(
            .badValue,
            "actions[0].gate.signal",
            naming: "array",
            "- {id: a, gate: {signal: §\"x.{seed.list}\"}}"
        ),
        .pipeline(.badValue, "actions[0].gate.deadline", "- {id: a, gate: {signal: x.y, deadline: §0s}}"),
        .pipeline(
            .wrongType,
            "actions[0].gate.allowed",
            "- {id: a, gate: {signal: x.y, allowed: §ada}}"
        ),
        .pipeline(.badValue, "actions[0].gate.allowed", "- {id: a, gate: {signal: x.y, allowed: §[]}}"),
        .pipeline(.badValue, "actions[0].gate.allowed[0]", "- {id: a, gate: {signal: x.y, allowed: [§a b]}}"),
        .pipeline(
            .badValue,
            "actions[0].gate.allowed[0]",
            naming: "local",
            "- {id: a, gate: {signal: x.y, allowed: [§local]}}"
        ),
        .pipeline(.duplicate, "actions[0].gate.allowed[1]", "- {id: a, gate: {signal: x.y, allowed: [b, §b]}}"),
        .pipeline(
            .wrongType,
            "actions[0].gate.requester_may_decide",
            "- {id: a, gate: {signal: x.y, requester_may_decide: §maybe}}"
        ),
        .pipeline(
            .unknownKey,
            "actions[0].gate.allow",
            guess: "allowed",
            "- {id: a, gate: {signal: x.y, §allow: [b]}}"
        ),
        .pipeline(
            .unknownKey,
            "actions[0].allowed",
            "- {id: a, run: [x], §allowed: [b]}"
        ),
        .pipeline(
            .duplicate,
            "actions[1].gate.signal",
            naming: "x.y",
            "- {id: a, gate: {signal: x.y}}\n- {id: b, gate: {signal: §x.y}}"
        ),
        BadFile(
            .badValue,
            "pipelines.p.actions[0].gate.signal",
            naming: "1..2",
            "pipelines:\n  p:\n    seeds: {v: {type: string, default: 1..2}}\n    actions: [{id: a, gate: {signal: §\"x.{seed.v}\"}}]\n"
        ),
    ]

    private static let requirements: [BadFile] = [
        .pipeline(
            .badRequirement,
            "actions[1].requires[0]",
            guess: "build",
            "- {id: build, run: [x]}\n- {id: a, run: [x], requires: [§biuld]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[0].requires[0]",
            "- {id: a, run: [x], requires: [§b]}\n- {id: b, run: [x]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[1].requires[0]",
            "- {id: late, priority: low, run: [x]}\n- {id: a, run: [x], requires: [§late]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[0].requires[0]",
            "- {id: a, run: [x], requires: [§a]}"
        ),
        .pipeline(.wrongType, "actions[0].requires", "- {id: a, run: [x], requires: §b}"),
    ]

    private static let policies: [BadFile] = [
        .pipeline(.wrongType, "actions[0].retry", naming: "3", "- {id: a, run: [x], retry: §3}"),
        .pipeline(.missingKey, "actions[0].retry", naming: "attempts", "- {id: a, run: [x], retry: §{}}"),
        .pipeline(
            .badValue,
            "actions[0].retry.attempts",
            naming: "1000",
            "- {id: a, run: [x], retry: {attempts: §0}}"
        ),
        .pipeline(
            .badValue,
            "actions[0].retry.backoff",
            naming: "5m",
            "- {id: a, run: [x], retry: {attempts: 2, backoff: §300001ms}}"
        ),
        .pipeline(
            .unknownKey,
            "actions[0].retry.backof",
            guess: "backoff",
            "- {id: a, run: [x], retry: {attempts: 2, §backof: 1s}}"
        ),
        .pipeline(
            .badValue,
            "actions[0].on_failure",
            guess: "park",
            "- {id: a, run: [x], on_failure: §parc}"
        ),
        .pipeline(.unknownKey, "actions[0].retry", "- {id: a, gate: {signal: x.y}, §retry: {attempts: 2}}"),
        .pipeline(.unknownKey, "actions[0].on_failure", "- {id: a, gate: {signal: x.y}, §on_failure: park}"),
        BadFile(
            .unknownKey,
            "startup[0].retry",
            "startup: [{id: a, run: [x], §retry: {attempts: 2}}]\n"
        ),
    ]

    private static func webhook(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ text: String
    ) -> BadFile {
        BadFile(code, "webhooks.w" + key, guess: guess, naming: naming, "webhooks:\n  w: \(text)\n")
    }

    private static let webhooks: [BadFile] = [
        webhook(.missingKey, "", naming: "signature", "§{secret_file: s, topic: a}"),
        webhook(.missingKey, "", naming: "secret_file", "§{signature: github, topic: a}"),
        webhook(.missingKey, "", naming: "topic", "§{signature: github, secret_file: s}"),
        webhook(.badValue, ".signature", guess: "github", "{signature: §githup, secret_file: s, topic: a}"),
        webhook(
            .badValue,
            ".topic",
            naming: " ",
            "{signature: github, secret_file: s, topic: §\"a b\"}"
        ),
        webhook(.badValue, ".run", naming: "topic", "{signature: github, secret_file: s, topic: a, §run: b}"),
        webhook(.badValue, ".seeds", "{signature: github, secret_file: s, topic: a, §seeds: {b: c}}"),
        webhook(
            .badValue,
            ".seeds.b",
            naming: "{bodi.x}",
            "{signature: github, secret_file: s, run: a, seeds: {b: §\"{bodi.x}\"}}"
        ),
        webhook(
            .badValue,
            ".only.bodi",
            naming: "bodi",
            "{signature: github, secret_file: s, topic: a, only: {bodi: §x}}"
        ),
        webhook(.badValue, ".as", "{signature: github, secret_file: s, topic: a, as: §\"a b\"}"),
        webhook(
            .unknownKey,
            ".event",
            guess: "events",
            "{signature: github, secret_file: s, topic: a, §event: []}"
        ),
    ]
}
