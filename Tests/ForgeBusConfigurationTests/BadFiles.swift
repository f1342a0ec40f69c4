@testable import ForgeBusConfiguration

extension BadFile {
    static let all: [BadFile] =
        syntax + structure + tags + settings + monitors + pipelines + actions + gates + requirements + policies
        + webhooks

    private static let syntax: [BadFile] = [
        BadFile(
            .notYAML,
            nil,
            "the list in brackets that begins at 2:6 has neither `,` nor `]`",
            "pipelines:\n  p: [a\nmonitors§: {}\n"
        ),
        BadFile(
            .notYAML,
            nil,
            "the mapping in braces that begins at 2:6 has neither `,` nor `}`",
            "pipelines:\n  p: {a: b\nmonitors§: {}\n"
        ),
        BadFile(.notYAML, nil, "the mapping that begins at 2:3 cannot go on", "pipelines:\n  p: {}\n  §- a\n"),
        BadFile(.notYAML, nil, "the list that begins at 2:3 cannot go on like this", "pipelines:\n  - p\n  §a: {}\n"),
        BadFile(.notYAML, nil, "the text in quotation marks that begins at 2:6 has no end", "pipelines:\n  p: \"a\n§"),
        BadFile(
            .notYAML,
            nil,
            "the text that begins at 3:3 is at the place of a key",
            "pipelines:\n  a: {}\n  p\n§monitors: {}\n"
        ),
        BadFile(.notYAML, nil, "there is a `:` at a place where no key can be", "pipelines: p§: {}\n"),
        BadFile(.notYAML, nil, "there is a `-` at a place where no list can begin", "pipelines: §- p\n"),
        BadFile(.notYAML, nil, "undefined alias", "pipelines: §*nobody\n"),
        BadFile(.notYAML, nil, "found another document", "worker: {name: a}\n§---\nworker: {name: b}\n"),
        BadFile(.notYAML, nil, "control characters", "worker:\n  name: a§\u{1}\n"),
        BadFile(.missingKey, nil, "The file is empty", "§"),
        BadFile(
            .duplicate,
            "slots",
            "`slots` occurs more than once",
            "pipelines:\n  p:\n    §slots: 1\n    slots: 2\n"
        ),
        BadFile(
            .duplicate,
            "pipelines.p.seeds",
            "`1` occurs more than once",
            "pipelines:\n  p:\n    seeds: {1: {type: string}, §\"1\": {type: string}}\n    actions: [{id: a, run: [x]}]\n"
        ),
    ]

    private static let structure: [BadFile] = [
        .pipeline(
            .wrongType,
            "actions[0].message",
            "found a mapping",
            "- {id: a, gate: d.approve, message: §{run.id}}"
        ),
        BadFile(
            .badValue,
            "pipelines.a.actions[0].seeds.v",
            "{seed.v} without quotation marks is a mapping with the key \"seed.v\" and no value",
            "pipelines:\n  a:\n    seeds: {v: {type: string, default: x}}\n"
                + "    actions: [{id: x, request: b, seeds: {v: §{seed.v}}}]\n"
                + "  b:\n    seeds: {v: {type: string, default: x}}\n    actions: [{id: y, run: [z]}]\n"
        ),
        BadFile(.wrongType, nil, "Expected a mapping with the keys of a worker file, found a list", "§- a\n"),
        BadFile(.unknownKey, "pipeline", "Did you mean `pipelines`?", "§pipeline: {}\n"),
        BadFile(
            .unknownKey,
            "monitors.m.interval",
            "Did you mean `interval_ms`?",
            "monitors: {m: {topics: [a], §interval: 5, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "worker.store",
            "Variables and ~ are not replaced here",
            "worker: {store: §$HOME/a.sqlite}\n"
        ),
        BadFile(.badValue, "worker.store", "the path would be \"~/a.sqlite\"", "worker: {store: §~/a.sqlite}\n"),
        .pipeline(.unknownKey, "actions[0].timeout", "Did you mean `timeout_ms`?", "- {id: a, run: [x], §timeout: 5}"),
        .pipeline(
            .unknownKey,
            "actions[0].depends_on",
            "Did you mean `requires`?",
            "- {id: a, run: [x], §depends_on: []}"
        ),
        .pipeline(.unknownKey, "actions[0].command", "Did you mean `run`?", "- {id: a, run: [x], §command: [y]}"),
        .pipeline(.unknownKey, "actions[0].runs", "Did you mean `run`?", "- {id: a, run: [x], §runs: [y]}"),
        .pipeline(
            .unknownKey,
            "actions[0].timeout-ms",
            "Did you mean `timeout_ms`?",
            "- {id: a, run: [x], §timeout-ms: 5}"
        ),
        .pipeline(
            .badValue,
            "actions[0].run[1]",
            "Commands have no placeholders: the program would get the text \"{seed.v}\"",
            "- {id: a, run: [x, §'v={seed.v}']}"
        ),
        .pipeline(.badValue, "actions[0].when[1]", "\"{run.id}\"", "- {id: a, when: [x, §'{run.id}'], run: [x]}"),
        .pipeline(.badValue, "actions[0].run[2]", "Commands run without a shell", "- {id: a, run: [x, y, §'|', z]}"),
        BadFile(.wrongType, "pipelines", "Expected a mapping of names to pipelines, found nothing", "pipelines:§\n"),
        BadFile(.wrongType, "monitors", "found a list", "monitors: §[]\n"),
        BadFile(.wrongType, "monitors", "Expected a text as a key, found a list", "monitors:\n  ? §[a]\n  : {}\n"),
        BadFile(.wrongType, "worker", "found the text \"x\"", "worker: §x\n"),
        BadFile(.wrongType, "startup", "Expected a list of actions, found a mapping", "startup: §{id: a}\n"),
    ]

    private static let tags: [BadFile] = [
        BadFile(.wrongType, "worker.name", "found the tag \"!secret\"", "worker: {name: §!secret x}\n"),
        BadFile(.wrongType, "worker.name", "found the tag \"!!str\"", "worker:\n  name: §!!str x\n"),
        BadFile(.wrongType, "worker.name", "found the tag \"!!str\"", "worker:\n  name: §!!str \"x\"\n"),
        BadFile(.wrongType, "worker.name", "found the tag \"!\"", "worker:\r\n  name: §! x\r\n"),
        BadFile(.wrongType, "worker.store", "\"!!str\"", "worker: {name: b, store: §!!str \"\u{1F41D}!\"}\n"),
        BadFile(.wrongType, "worker.name", "\"!a\"", "worker:\n  name: §&x # one\n    !a y\n"),
        BadFile(.wrongType, "worker", "\"!!map\"", "worker: §!!map {name: x}\n"),
        BadFile(.wrongType, "monitors", "\"!!omap\"", "monitors: §!!omap\n  {}\n"),
        BadFile(.wrongType, nil, "\"!<tag:a,2026:x>\"", "§!<tag:a,2026:x>\nworker: {}\n"),
        BadFile(.wrongType, nil, "found the tag \"!!str\"", "§!!str worker: {}\n"),
        BadFile.pipeline(.wrongType, "actions[0].run", "\"!!seq\"", "- {id: a, run: §!!seq [x]}"),
        BadFile.pipeline(
            .wrongType,
            "actions[0].run[1]",
            "\"!x\"",
            "- {id: a, run: &r [x, §!x y]}\n- {id: b, run: *r}"
        ),
    ]

    private static let settings: [BadFile] = [
        BadFile(.unknownKey, "worker.drain", "\"drain\" is not a key of `worker`", "worker:\n  §drain: 1\n"),
        BadFile(.unknownKey, "worker.drain_mss", "Did you mean `drain_ms`?", "worker:\n  §drain_mss: 1\n"),
        BadFile(.wrongType, "worker.drain_ms", "found the text \"30s\"", "worker:\n  drain_ms: §30s\n"),
        BadFile(.wrongType, "worker.drain_ms", "found the text \"30\"", "worker:\n  drain_ms: §\"30\"\n"),
        BadFile(.wrongType, "worker.drain_ms", "found 1.5", "worker: {drain_ms: §1.5}\n"),
        BadFile(.badValue, "worker.drain_ms", "from 0 to 86400000, found -1", "worker: {drain_ms: §-1}\n"),
        BadFile(.badValue, "worker.limits.queued", "from 1 to", "worker: {limits: {queued: §0}}\n"),
        BadFile(.unknownKey, "worker.limits.queue", "Did you mean `queued`?", "worker: {limits: {§queue: 5}}\n"),
        BadFile(.wrongType, "worker.store", "found a list", "worker: {store: §[memory]}\n"),
        BadFile(.wrongType, "worker.store", "found nothing", "worker: {store: §~}\n"),
        BadFile(.badValue, "worker.store", "found an empty text", "worker: {store: §\"\"}\n"),
        BadFile(.badValue, "worker.name", "\"a b\" is not a name", "worker: {name: §a b}\n"),
        BadFile(.wrongType, "worker.name", "found nothing", "worker: {name: §~}\n"),
        BadFile(.wrongType, "worker.listen", "found the text", "worker: {listen: §\"tcp://127.0.0.1:1\"}\n"),
        BadFile(.badValue, "worker.listen", "found an empty list", "worker: {listen: §[]}\n"),
        BadFile(
            .badValue,
            "worker.listen[1]",
            "has no port",
            "worker:\n  listen:\n    - ipc:///a\n    - §tcp://127.0.0.1\n"
        ),
        BadFile(
            .openDoor,
            "worker.listen[0]",
            "could be reached from other machines",
            "worker: {listen: [§\"tcp://0.0.0.0:7717\"]}\n"
        ),
        BadFile(.openDoor, "worker.listen[0]", "has a name instead", "worker: {listen: [§\"tcp://localhost:7717\"]}\n"),
        BadFile(.wrongType, "worker.publications", "found a list", "worker: {publications: §[\"ipc:///a\"]}\n"),
        BadFile(
            .unknownKey,
            "worker.publications.binds",
            "Did you mean `bind`?",
            "worker:\n  publications:\n    §binds: []\n"
        ),
        BadFile(.badValue, "worker.publications.bind", "an empty list", "worker: {publications: {bind: §[]}}\n"),
        BadFile(
            .openDoor,
            "worker.publications.bind[0]",
            "could be reached from other machines",
            "worker: {publications: {bind: [§\"tcp://*:7718\"]}}\n"
        ),
        BadFile(
            .openDoor,
            "worker.publications.connect[1]",
            "may be on another machine",
            "worker: {publications: {connect: [\"ipc:///a\", §\"tcp://shop.example:7718\"]}}\n"
        ),
        BadFile(
            .badValue,
            "worker.publications.connect[0]",
            "stands for any address or port",
            "worker: {publications: {connect: [§\"tcp://127.0.0.1:*\"]}}\n"
        ),
    ]

    private static let monitors: [BadFile] = [
        BadFile(
            .missingKey,
            "monitors.m",
            "`topics` is missing",
            "monitors:\n  m:\n    §actions: [{id: a, run: [x]}]\n"
        ),
        BadFile(.missingKey, "monitors.m", "`actions` is missing", "monitors: {m: §{topics: [a]}}\n"),
        BadFile(
            .badValue,
            "monitors.m.topics",
            "found an empty list",
            "monitors: {m: {topics: §[], actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "monitors.m.topics[1]",
            "`>` may only be the last part",
            "monitors:\n  m:\n    topics: [a, §\">.b\"]\n    actions: [{id: a, run: [x]}]\n"
        ),
        BadFile(
            .badValue,
            "monitors.a b",
            "\"a b\" is not a name",
            "monitors: {§a b: {topics: [a], actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "monitors.m.interval_ms",
            "from 1 to",
            "monitors: {m: {topics: [a], interval_ms: §0, actions: [{id: a, run: [x]}]}}\n"
        ),
        monitor(.badValue, "time_limit_ms", "from 1 to 86400000, found 0", "time_limit_ms: §0"),
        monitor(.wrongType, "minimum_gap_ms", "found the text \"100ms\"", "minimum_gap_ms: §100ms"),
        monitor(.wrongType, "debounce", "found 200", "debounce: §200"),
        monitor(.missingKey, "debounce", "`at_most_ms` is missing", "debounce: §{quiet_ms: 200}"),
        monitor(.missingKey, "debounce", "`quiet_ms` is missing", "debounce: §{at_most_ms: 200}"),
        monitor(
            .badValue,
            "debounce.at_most_ms",
            "is less than `quiet_ms`",
            "debounce: {quiet_ms: 200, at_most_ms: §100}"
        ),
        monitor(
            .badValue,
            "debounce.quiet_ms",
            "from 1 to 86400000, found 0",
            "debounce: {quiet_ms: §0, at_most_ms: 100}"
        ),
        monitor(
            .unknownKey,
            "debounce.at_most_mss",
            "Did you mean `at_most_ms`?",
            "debounce: {quiet_ms: 200, at_most_ms: 300, §at_most_mss: 100}"
        ),
        monitor(
            .wrongType,
            "excluded_screens",
            "a list of names of screens, found the text",
            "excluded_screens: §Call"
        ),
        monitor(.duplicate, "excluded_screens[1]", "already", "excluded_screens: [Call, §Call]"),
        BadFile(
            .badValue,
            "monitors.m.actions[0].gate",
            "Only an action of a pipeline can be a gate",
            "monitors: {m: {topics: [a], actions: [{id: a, §gate: x.y}]}}\n"
        ),
        BadFile(
            .unknownKey,
            "monitors.m.actions[0].requires",
            "is not a key of a monitor's action",
            "monitors: {m: {topics: [a], actions: [{id: a, run: [x], §requires: []}]}}\n"
        ),
    ]

    private static func monitor(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ line: String)
        -> BadFile
    {
        let text = "monitors:\n  m:\n    topics: [a]\n    \(line)\n    actions: [{id: a, run: [x]}]\n"
        return BadFile(code, "monitors.m.\(key)", says, text)
    }

    private static let pipelines: [BadFile] = [
        BadFile(
            .badValue,
            "pipelines.p.slots",
            "from 1 to 10000, found 0",
            "pipelines: {p: {slots: §0, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .wrongType,
            "pipelines.p.priority",
            "from -1000000 to 1000000, found the text",
            "pipelines: {p: {priority: §high, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(
            .badValue,
            "pipelines.p.checkpoint",
            "Expected `relaxed` or `strict`, found \"strikt\". Did you mean `strict`?",
            "pipelines: {p: {checkpoint: §strikt, actions: [{id: a, run: [x]}]}}\n"
        ),
        BadFile(.missingKey, "pipelines.p", "`actions` is missing", "pipelines: {p: §{slots: 1}}\n"),
        BadFile(.badValue, "pipelines.p.actions", "found an empty list", "pipelines: {p: {actions: §[]}}\n"),
        BadFile(
            .duplicate,
            "pipelines.p.outputs[1]",
            "already",
            "pipelines: {p: {outputs: [u, §u], actions: [{id: a, run: [x]}]}}\n"
        ),
        seed(.missingKey, "s", "`type` is missing", "§{required: true}"),
        seed(.wrongType, "s", "found the text", "§string"),
        seed(.badValue, "s.type", "Did you mean `string`?", "{type: §strng}"),
        seed(
            .wrongType,
            "s.required",
            "Expected true or false, found the text \"yes\"",
            "{type: string, required: §yes}"
        ),
        seed(
            .badValue,
            "s.default",
            "A required seed cannot have a default",
            "{type: string, required: true, §default: x}"
        ),
        seed(.wrongType, "s.default", "Expected an integer, found the text", "{type: integer, default: §many}"),
        seed(.wrongType, "s.default", "Expected true or false, found the text \"no\"", "{type: boolean, default: §no}"),
        BadFile(
            .badValue,
            "pipelines.p.seeds.a b",
            "is not a name",
            "pipelines: {p: {seeds: {§a b: {type: string}}, actions: [{id: a, run: [x]}]}}\n"
        ),
    ]

    private static func seed(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ seed: String) -> BadFile
    {
        BadFile(
            code,
            "pipelines.p.seeds.\(key)",
            says,
            "pipelines:\n  p:\n    seeds:\n      s: \(seed)\n    actions: [{id: a, run: [x]}]\n"
        )
    }

    private static let actions: [BadFile] = [
        .pipeline(.missingKey, "actions[0]", "`id` is missing", "- §run: [x]"),
        .pipeline(.missingKey, "actions[0]", "none of the keys `run`, `gate`, `post` and `request`", "- §id: a"),
        .pipeline(.badValue, "actions[0].id", "found \"a.b\"", "- {id: §a.b, run: [x]}"),
        .pipeline(
            .duplicate,
            "actions[1].id",
            "`a` is already used by an earlier action",
            "- {id: a, run: [x]}\n- {id: §a, run: [x]}"
        ),
        .pipeline(.badValue, "actions[0].run", "found an empty list", "- {id: a, run: §[]}"),
        .pipeline(.wrongType, "actions[0].run", "found the text \"./x y\"", "- {id: a, run: §./x y}"),
        .pipeline(.wrongType, "actions[0].run[1]", "found nothing", "- {id: a, run: [x, §~]}"),
        .pipeline(.wrongType, "actions[0].run[1]", "found a list", "- {id: a, run: [x, §[y]]}"),
        .pipeline(.badValue, "actions[0].run[0]", "found an empty text", "- {id: a, run: [§\"\"]}"),
        .pipeline(.badValue, "actions[0].run[1]", "contains the character NUL", "- {id: a, run: [x, §\"a\\0b\"]}"),
        .pipeline(.wrongType, "actions[0].when", "found nothing", "- {id: a, run: [x], when: §~}"),
        .pipeline(.badValue, "actions[0].when", "found an empty list", "- {id: a, run: [x], when: §[]}"),
        .pipeline(.badValue, "actions[0].timeout_ms", "from 1 to 86400000", "- {id: a, run: [x], timeout_ms: §0}"),
        .pipeline(
            .badValue,
            "actions[0].priority",
            "`critical`, `high`, `medium` or `low`",
            "- {id: a, run: [x], priority: §urgent}"
        ),
        .pipeline(
            .unknownKey,
            "actions[0].timeout",
            "is not a key of a pipeline's action",
            "- {id: a, run: [x], §timeout: 1}"
        ),
        .pipeline(.unknownKey, "actions[0].deadline_ms", "is not a key", "- {id: a, run: [x], §deadline_ms: 1}"),
        .pipeline(.wrongType, "actions[0].env", "found a list", "- {id: a, run: [x], env: §[A]}"),
        .pipeline(.badValue, "actions[0].env.1A", "is not a valid name", "- {id: a, run: [x], env: {§1A: x}}"),
        .pipeline(
            .badValue,
            "actions[0].env.FORGE_RUN",
            "is reserved for the worker",
            "- {id: a, run: [x], env: {§FORGE_RUN: x}}"
        ),
        .pipeline(.wrongType, "actions[0].env.A", "found nothing", "- {id: a, run: [x], env: {A: §~}}"),
    ]

    private static let gates: [BadFile] = [
        .pipeline(.badValue, "actions[0].run", "`run` or `gate`, not both", "- {id: a, gate: x.y, §run: [x]}"),
        .pipeline(.badValue, "actions[0].gate", "is not a name", "- {id: a, gate: §x..y}"),
        .pipeline(
            .badValue,
            "actions[0].message",
            "\"{user}\" is not a placeholder",
            "- {id: a, gate: x, message: §\"{user}\"}"
        ),
        .pipeline(
            .unknownSeed,
            "actions[0].message",
            "has no seed \"z\"",
            "- {id: a, gate: x, message: §\"{seed.z}\"}"
        ),
        .pipeline(.badValue, "actions[0].message", "1 to 4096 bytes; found 0", "- {id: a, gate: x, message: §\"\"}"),
        .pipeline(.badValue, "actions[0].gate", "is not a placeholder of", "- {id: a, gate: §\"x.{user}\"}"),
        .pipeline(.unknownSeed, "actions[0].gate", "has no seed \"version\"", "- {id: a, gate: §\"x.{seed.version}\"}"),
        .pipeline(.badValue, "actions[0].gate", "is of type array", "- {id: a, gate: §\"x.{seed.list}\"}"),
        .pipeline(.badValue, "actions[0].deadline_ms", "from 1 to", "- {id: a, gate: x.y, deadline_ms: §0}"),
        .pipeline(
            .wrongType,
            "actions[0].allowed",
            "a list of principals and groups, found",
            "- {id: a, gate: x.y, allowed: §ada}"
        ),
        .pipeline(.badValue, "actions[0].allowed", "found an empty list", "- {id: a, gate: x.y, allowed: §[]}"),
        .pipeline(.badValue, "actions[0].allowed[0]", "is not a name", "- {id: a, gate: x.y, allowed: [§a b]}"),
        .pipeline(.badValue, "actions[0].allowed[0]", "without a key", "- {id: a, gate: x.y, allowed: [§local]}"),
        .pipeline(.duplicate, "actions[0].allowed[1]", "is in this list", "- {id: a, gate: x.y, allowed: [b, §b]}"),
        .pipeline(
            .wrongType,
            "actions[0].requester_may_decide",
            "Expected true or false",
            "- {id: a, gate: x.y, requester_may_decide: §maybe}"
        ),
        .pipeline(.unknownKey, "actions[0].allow", "Did you mean `allowed`?", "- {id: a, gate: x.y, §allow: [b]}"),
        .pipeline(
            .unknownKey,
            "actions[0].allowed",
            "not a key of a pipeline's action",
            "- {id: a, run: [x], §allowed: [b]}"
        ),
        .pipeline(
            .duplicate,
            "actions[1].gate",
            "An earlier gate already has the signal id \"x.y\"",
            "- {id: a, gate: x.y}\n- {id: b, gate: §x.y}"
        ),
        BadFile(
            .badValue,
            "pipelines.p.actions[0].gate",
            "The default \"1..2\" of the seed `v` cannot be part of the gate's id",
            "pipelines:\n  p:\n    seeds: {v: {type: string, default: 1..2}}\n    actions: [{id: a, gate: §\"x.{seed.v}\"}]\n"
        ),
    ]

    private static let requirements: [BadFile] = [
        .pipeline(
            .badRequirement,
            "actions[1].requires[0]",
            "did you mean `build`?",
            "- {id: build, run: [x]}\n- {id: a, run: [x], requires: [§biuld]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[0].requires[0]",
            "does not run before the action that requires it",
            "- {id: a, run: [x], requires: [§b]}\n- {id: b, run: [x]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[1].requires[0]",
            "does not run before the action that requires it",
            "- {id: late, priority: low, run: [x]}\n- {id: a, run: [x], requires: [§late]}"
        ),
        .pipeline(
            .badRequirement,
            "actions[0].requires[0]",
            "does not run before",
            "- {id: a, run: [x], requires: [§a]}"
        ),
        .pipeline(.wrongType, "actions[0].requires", "a list of ids of actions", "- {id: a, run: [x], requires: §b}"),
    ]

    private static let policies: [BadFile] = [
        .pipeline(.wrongType, "actions[0].retry", "the keys of `retry`, found 3", "- {id: a, run: [x], retry: §3}"),
        .pipeline(.missingKey, "actions[0].retry", "`attempts` is missing", "- {id: a, run: [x], retry: §{}}"),
        .pipeline(
            .badValue,
            "actions[0].retry.attempts",
            "from 1 to 1000, found 0",
            "- {id: a, run: [x], retry: {attempts: §0}}"
        ),
        .pipeline(
            .badValue,
            "actions[0].retry.backoff_ms",
            "from 0 to 300000",
            "- {id: a, run: [x], retry: {attempts: 2, backoff_ms: §300001}}"
        ),
        .pipeline(
            .unknownKey,
            "actions[0].retry.backof_ms",
            "Did you mean `backoff_ms`?",
            "- {id: a, run: [x], retry: {attempts: 2, §backof_ms: 1}}"
        ),
        .pipeline(
            .badValue,
            "actions[0].on_failure",
            "Expected `park` or `proceed`, found \"parc\". Did you mean `park`?",
            "- {id: a, run: [x], on_failure: §parc}"
        ),
        .pipeline(.unknownKey, "actions[0].retry", "key of a gate", "- {id: a, gate: x.y, §retry: {attempts: 2}}"),
        .pipeline(.unknownKey, "actions[0].on_failure", "key of a gate", "- {id: a, gate: x.y, §on_failure: park}"),
        BadFile(
            .unknownKey,
            "startup[0].retry",
            "is not a key of a startup action",
            "startup: [{id: a, run: [x], §retry: {attempts: 2}}]\n"
        ),
    ]

    private static func webhook(_ code: ConfigurationError.Code, _ key: String, _ message: String, _ text: String)
        -> BadFile
    {
        BadFile(code, "webhooks.w" + key, message, "webhooks:\n  w: \(text)\n")
    }

    private static let webhooks: [BadFile] = [
        webhook(.missingKey, "", "`signature` is missing", "§{secret_file: s, topic: a}"),
        webhook(.missingKey, "", "`secret_file` is missing", "§{signature: github, topic: a}"),
        webhook(.missingKey, "", "neither the key `topic` nor the key `run`", "§{signature: github, secret_file: s}"),
        webhook(.badValue, ".signature", "Did you mean `github`?", "{signature: §githup, secret_file: s, topic: a}"),
        webhook(
            .badValue,
            ".topic",
            "the character \" \" is not allowed",
            "{signature: github, secret_file: s, topic: §\"a b\"}"
        ),
        webhook(.badValue, ".run", "not both", "{signature: github, secret_file: s, topic: a, §run: b}"),
        webhook(.badValue, ".seeds", "has no seeds", "{signature: github, secret_file: s, topic: a, §seeds: {b: c}}"),
        webhook(
            .badValue,
            ".seeds.b",
            "\"{bodi.x}\" is not a placeholder of a webhook",
            "{signature: github, secret_file: s, run: a, seeds: {b: §\"{bodi.x}\"}}"
        ),
        webhook(
            .badValue,
            ".only.bodi",
            "\"bodi\" is not a place in the delivery",
            "{signature: github, secret_file: s, topic: a, only: {bodi: §x}}"
        ),
        webhook(.badValue, ".as", "is not a name", "{signature: github, secret_file: s, topic: a, as: §\"a b\"}"),
        webhook(
            .unknownKey,
            ".event",
            "Did you mean `events`?",
            "{signature: github, secret_file: s, topic: a, §event: []}"
        ),
    ]
}
