import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A pipeline from a file")
struct PipelineTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The first pipeline of a file whose actions are these lines.
    func pipeline(_ actions: String, head: String = "") throws -> HostedPipeline {
        let lines = actions.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        let file = try WorkerFile("pipelines:\n  p:\n\(head)    actions:\n\(lines)\n", in: directory)
        return try #require(file.pipelines.first)
    }

    @Test("gives its context to a command and takes what the command writes")
    func context() async throws {
        let pipeline = try pipeline(
            """
            - {id: see, run: [/bin/sh, -c, 'cat > seen']}
            - {id: add, run: [echo, '{"url":"x","n":2,"list":["a"],"gone":null}']}
            - {id: again, run: [/bin/sh, -c, 'cat > seen-again']}
            """
        )
        let context = PipelineContext(["name": "ada", "n": 1, "on": true, "hidden": ContinuousClock.now])
        let report = await pipeline.orchestrator.run(context: context)
        #expect(report.results == [.completed, .completed, .completed])
        #expect(try directory.text("seen") == #"{"n":1,"name":"ada","on":true}"#)
        #expect(
            try directory.text("seen-again") == #"{"gone":null,"list":["a"],"n":2,"name":"ada","on":true,"url":"x"}"#
        )
        #expect(context.get("list") == ["a"])
        #expect(context.get("n") == 2)
    }

    @Test("gives a command the integer that came for a number, digit by digit")
    func integerForNumber() async throws {
        let pipeline = try pipeline("- {id: see, run: [/bin/sh, -c, 'cat > seen']}")
        let seeds: JSONObject = ["a": 9_007_199_254_740_993, "b": 1, "c": 1.5]
        let declared = ["a", "b", "c"].map { Seed.required($0, .number) }
        _ = await pipeline.orchestrator.run(context: PipelineContext(try Seed.values(of: seeds, declared: declared)))
        #expect(try directory.text("seen") == #"{"a":9007199254740993,"b":1,"c":1.5}"#)
    }

    @Test("takes text that a command prints under outputs. and the action's id, and fails nothing for it")
    func text() async throws {
        let pipeline = try pipeline(
            """
            - {id: test, run: [/bin/sh, -c, 'echo "812 tests pass"; echo; echo']}
            - {id: many, run: [/bin/sh, -c, 'head -c 70000 /dev/zero | tr "\\\\0" x; echo; echo end']}
            - {id: bytes, run: [/usr/bin/printf, 'a\\377b']}
            - {id: log, run: [echo, "[INFO] done"]}
            - {id: blank, run: [echo, ""]}
            - {id: see, run: [/bin/sh, -c, 'cat > seen']}
            - {id: fails, run: [/bin/sh, -c, 'echo text; exit 1']}
            """
        )
        let context = PipelineContext()
        let results = await pipeline.orchestrator.run(context: context).results
        #expect(results.dropLast().allSatisfy { $0 == .completed })
        #expect(results.last == .failed("\(Errors.ending(.exited(1))): text"))
        #expect(context.get("outputs.test") == "812 tests pass")
        #expect(context.get("outputs.bytes") == "a\u{FFFD}b")
        let many: String = try #require(context.get("outputs.many"))
        #expect(many.hasPrefix("[the first 4469 bytes are left out]\nxxx"))
        #expect(many.hasSuffix("x\nend"))
        #expect(context.values.keys.sorted() == ["outputs.bytes", "outputs.log", "outputs.many", "outputs.test"])
        #expect(try directory.text("seen").contains(#""outputs.test":"812 tests pass""#))
    }

    @Test("fails an action whose output begins like JSON and is not one JSON object, and takes nothing of it")
    func badOutput() async throws {
        try directory.write(#"{"a":1}"#, to: "members")
        let pipeline = try pipeline(
            """
            - {id: cut, run: [echo, '{"hosts": ["a", b']}
            - {id: key, run: [echo, '{1: 2}']}
            - {id: two, run: [echo, '{"a":1} {"a":2}']}
            - {id: twice, run: [echo, '{"a":1,"a":2}']}
            - {id: blank, run: [echo, ""]}
            - {id: failed, run: [/bin/sh, -c, 'cat members; exit 1']}
            - {id: skipped, run: [/bin/sh, -c, 'cat members; exit 75']}
            """
        )
        let context = PipelineContext()
        let results = await pipeline.orchestrator.run(context: context).results
        #expect(results[..<4].allSatisfy { $0.failure != nil }, "\(results)")
        // The message has the text at the place.
        #expect(results[0].failure?.contains(#"at byte 16, near `{"hosts": ["a", b␊`."#) == true, "\(results[0])")
        #expect(results[4...] == [.completed, .failed(Errors.ending(.exited(1))), .skipped])
        #expect(context.values.isEmpty)
    }

    @Test("tells each command who it is, and gives it four variables of the worker and what the file lists")
    func environment() async throws {
        let yaml = """
            pipelines:
              p:
                actions:
                  - id: build
                    env: {STAGE: prod, PORT: 8080, "ON": yes, LANG: C}
                    run: [/bin/sh, -c, '/usr/bin/env > "$OUT"']
            """.replacing("LANG: C", with: "LANG: C, OUT: \(directory.file("env"))")
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": "/home/ada", "LANG": "de_DE", "TRACEPARENT": "00-1", "SECRET": "s",
        ]
        let file = try WorkerFile(yaml, in: directory, environment: environment)
        _ = await file.pipelines[0].orchestrator.run()
        let lines = try directory.text("env").split(separator: "\n").map(String.init)
        // The shell itself adds the last two, and no more.
        let seen = Set(lines.filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") && !$0.hasPrefix("OUT=") })
        #expect(
            seen == [
                "PATH=/usr/bin:/bin", "HOME=/home/ada", "LANG=C", "TRACEPARENT=00-1", "STAGE=prod", "PORT=8080",
                "ON=yes", "FORGE_ACTION=build", "FORGE_PIPELINE=p",
            ]
        )
    }

    @Test("asks the conditions of its actions with the seeds, before anything runs")
    func conditions() async throws {
        let pipeline = try pipeline(
            """
            - {id: first, run: [echo, '{"stage":"prod"}']}
            - {id: never, when: [grep, -q, prod], run: [touch, never]}
            - {id: small, when: [grep, -q, '"n":1'], run: [touch, small]}
            """
        )
        let report = await pipeline.orchestrator.run(context: PipelineContext(["n": 1]))
        #expect(report.eligible == ["first", "small"])
        #expect(directory.has("small") && !directory.has("never"))
    }

    @Test("puts each action behind the gates before it, unless the action says what it requires")
    func requirements() throws {
        let pipeline = try pipeline(
            """
            - {id: build, run: [./build]}
            - {id: one, gate: {signal: one.go}}
            - {id: after-one, run: [./a]}
            - {id: two, gate: {signal: two.go}}
            - {id: after-two, run: [./b]}
            - {id: free, run: [./c], requires: []}
            - {id: chosen, run: [./d], requires: [build]}
            - {id: early, priority: high, run: [./e]}
            - {id: early-gate, priority: high, gate: {signal: early.go}}
            """
        )
        let requires = Dictionary(
            uniqueKeysWithValues: pipeline.orchestrator.registered.map {
                ($0.id.rawValue, $0.requires.map(\.rawValue).sorted())
            }
        )
        #expect(
            requires == [
                "build": ["early-gate"], "one": ["early-gate"], "after-one": ["early-gate", "one"],
                "two": ["early-gate", "one"], "after-two": ["early-gate", "one", "two"], "free": [],
                "chosen": ["build"], "early": [], "early-gate": [],
            ]
        )
        #expect(pipeline.orchestrator.registered.first { $0.id == "one" } is GateAction)
    }

    @Test("declares seeds, outputs and slots")
    func declarations() throws {
        let head = """
                slots: 4
                priority: -3
                one_per: {key: "{seed.version}", group: g, then: supersede}
                seeds:
                  version: {type: string}
                  replicas: {type: integer, default: 2}
                  ratio: {type: number, default: 1}
                  dry: {type: boolean, required: false, default: true}
                  note: {type: string, required: false}
                  code: {type: string, default: 007}
                  tags: {type: array, default: [a, 1, 1.5, no, null]}
                  map: {type: object, default: {k: {l: "1"}}}
                outputs: [url]

            """
        let pipeline = try pipeline("- {id: a, run: [\"true\"]}", head: head)
        #expect(pipeline.slots == 4)
        #expect(pipeline.priority == -3)
        #expect(pipeline.onePer == OnePer("{seed.version}", group: "g", then: .supersede))
        let text = try self.pipeline("- {id: a, run: [\"true\"]}", head: "    one_per: all\n")
        #expect(text.onePer == OnePer("all"))
        #expect(pipeline.outputs == ["url"])
        #expect(
            pipeline.seeds == [
                .required("version", .string), .optional("replicas", .integer, default: 2),
                .optional("ratio", .number, default: 1), .optional("dry", .boolean, default: true),
                .optional("note", .string, default: nil), .optional("code", .string, default: "007"),
                .optional("tags", .array, default: ["a", 1, 1.5, "no", nil]),
                .optional("map", .object, default: ["k": ["l": "1"]]),
            ]
        )
    }

    @Test("says which actions are tried again, and which stop their run")
    func policies() throws {
        let pipeline = try pipeline(
            """
            - {id: once, run: [./a]}
            - {id: thrice, run: [./b], retry: {attempts: 3, backoff: 20ms}}
            - {id: twice, run: [./b], retry: {attempts: 2}, on_failure: proceed}
            - {id: stop, run: [./c], on_failure: park}
            """
        )
        #expect(
            pipeline.policies == [
                "thrice": ActionPolicy(attempts: 3, backoff: .milliseconds(20)),
                "twice": ActionPolicy(attempts: 2, backoff: .seconds(1), onFailure: .proceed),
                "stop": ActionPolicy(onFailure: .park),
            ]
        )
    }

    @Test("runs the programs that are beside its file, in the file's directory")
    func beside() async throws {
        try directory.script("build", #"printf '{"where":"%s"}' "$(basename "$PWD")""#)
        try directory.write("pipelines: {p: {actions: [{id: build, run: [./build]}]}}\n", to: "worker.yaml")
        let file = try WorkerFile(contentsOf: directory.file("worker.yaml"), environment: [:])
        let context = PipelineContext()
        #expect(await file.pipelines[0].orchestrator.run(context: context).results == [.completed])
        #expect(context.get("where") == String(directory.path.split(separator: "/").last ?? ""))
    }
}

extension ActionResult {
    fileprivate var failure: String? { if case .failed(let reason) = self { reason } else { nil } }
}
