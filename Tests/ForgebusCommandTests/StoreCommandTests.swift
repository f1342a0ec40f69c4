import ForgeBusProtocol
import Foundation
import Testing

extension CommandLineTests {
    @Suite("explain and store")
    struct StoreCommandTests {
        @Test("explain tells what happened to a run, by whom and when, also after another worker took over")
        func explain() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    #expect(try await worker.asked("run", "deploy", "version=1", "--id", "why", "--detach").code == 0)
                    try await worker.waits(at: "deploy.1.approve")
                    worker.stop(SIGKILL)
                }
                let outcome = try await WorkerProcess.serve(in: directory) { worker in
                    try await worker.waits(at: "deploy.1.approve")
                    #expect(try await worker.asked("complete", "deploy.1.approve", "--id", "yes").code == 0)
                    let ended = try await worker.asked("run", "deploy", "version=1", "--id", "why", "-o", "jsonl")
                    let run = try #require(try ended.objects().last?["run"]?.string)
                    let history = try await worker.entries(of: run)
                    #expect(history.allSatisfy { $0["run"]?.string == run })
                    #expect(history.first?["event"] == "accepted")
                    #expect(history.first?["request"] == "why")
                    #expect(history.last?["event"] == "completed")
                    let events = history.compactMap { $0["event"]?.string }
                    #expect(events.count { $0 == "action_completed" } == 2)
                    #expect(Set(events).isSuperset(of: ["waiting", "decided", "resumed"]), "\(events)")
                    let decision = history.first { $0["event"] == "decided" }
                    #expect([decision?["principal"], decision?["request"]] == ["local", "yes"])
                    // The wait began in the worker that was killed.
                    let began = try #require(history.first { $0["event"] == "waiting" }?["at_ms"]?.integer)
                    let waited = try #require(decision?["at_ms"]?.integer) - began
                    #expect(waited > 0 && decision?["waited_ms"]?.integer == waited)
                    #expect(history.last { $0["action"] == "approve" }?["waited_ms"]?.integer == waited)
                    let times = history.compactMap { $0["at_ms"]?.integer }
                    #expect(times == times.sorted())

                    let signal = try await worker.entries(of: "deploy.1.approve")
                    #expect(signal.compactMap { $0["event"]?.string } == ["waiting", "decided", "resumed"])
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("explain names the labels by which senders call themselves, to a worker without keys")
        func labels() async throws {
            try await expectGoodEnd { worker in
                let words = ["run", "deploy", "version=1", "--source", "ci/7", "--detach", "-o", "json"]
                let begun = try await worker.asked(words) { _ in }
                let run = try #require(try begun.document().object?["run"]?.string)
                try await worker.waits(at: "deploy.1.approve")
                #expect(try await worker.asked("approve", "deploy.1.approve", "--source", "ada").code == 0)
                #expect(try await worker.asked("attach", run).code == 0)
                let history = try await worker.entries(of: run)
                func label(_ event: JSONValue) -> JSONValue? { history.first { $0["event"] == event }?["source"] }
                #expect(label("accepted") == "ci/7" && label("decided") == "ada", "\(history)")
                let text = try await worker.asked("explain", run).output
                #expect(text.contains { $0.contains("decided") && $0.contains("source ada") }, "\(text)")
                #expect(text.contains { $0.contains("accepted") && $0.contains("source ci/7") }, "\(text)")
                #expect(text.allSatisfy { !$0.contains("completed") || !$0.contains("source") }, "\(text)")
            }
        }

        @Test("explain tells the story that the page on durability shows, of a run whose worker was killed twice")
        func story() async throws {
            let yaml = """
                pipelines:
                  deploy:
                    seeds: {version: {type: string, required: true}}
                    actions:
                      - {id: build, run: ["true"]}
                      - {id: approve, gate: {signal: "deploy.{seed.version}.approve"}}
                      - {id: rollout, run: [/bin/sh, -c, "echo >begun; cat go-$FORGE_ATTEMPT"]}
                """
            let page = try DeployFiles.text("Sources/ForgeBusWorker/ForgeBusWorker.docc/Durability.md")
            let shown = page.split(separator: "\n").filter { $0.hasPrefix("2026-") }
            #expect(!shown.isEmpty)
            try await withScratch { directory in
                for pipe in ["begun", "go-1", "go-2"] { directory.makePipe(pipe) }
                _ = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    #expect(
                        try await worker.asked("run", "deploy", "version=42", "--id", "release-42", "--detach").code
                            == 0
                    )
                    try await worker.waits(at: "deploy.42.approve")
                    worker.stop(SIGKILL)
                }
                _ = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    #expect(try await worker.asked("complete", "deploy.42.approve", "--id", "mail-7").code == 0)
                    try await worker.directory.read("begun")
                    // An answer leaves behind what was to be written before it: that the gate's action has ended.
                    #expect(try await worker.asked("ping").code == 0)
                    worker.stop(SIGKILL)
                }
                let outcome = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    try await worker.directory.read("begun")
                    // The command of the killed worker is no more.
                    try await worker.directory.release("go-2")
                    let ended = try await worker.asked(
                        "run",
                        "deploy",
                        "version=42",
                        "--id",
                        "release-42",
                        "-o",
                        "jsonl"
                    )
                    let run = try #require(try ended.objects().last?["run"]?.string)
                    let lines = try await worker.asked("explain", run).output
                    #expect(lines.map { $0.told(of: run) } == shown.map { $0.told(of: "run-3rkrdjaywazd3-1") })
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("explain tells people a line for each thing that happened")
        func explainInLines() async throws {
            try await expectGoodEnd { worker in
                #expect(try await worker.asked("notify", "stock.apples", "--wait").code == 0)
                let lines = try await worker.asked("explain", "shelf").output
                #expect(!lines.isEmpty)
                for line in lines {
                    let shape =
                        /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  cycle_ran +cycle \d+  notifications \d.*/
                    #expect(line.wholeMatch(of: shape) != nil, "\(line)")
                }
            }
        }

        @Test("explain says that nothing is written down of what is there, where the worker has no store")
        func nothingWritten() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory, arguments: ["--store", "memory"]) { worker in
                    let outcome = try await worker.asked("explain", "shelf")
                    #expect(outcome.code == 0)
                    #expect(outcome.output.count == 1 && outcome.output[0].contains("\"shelf\""), "\(outcome)")
                    #expect(try await worker.asked("explain", "nobody").code == 65)
                }
            }
        }

        @Test("explain exits 65 for a name of which nothing is known")
        func unknown() async throws {
            try await expectGoodEnd { worker in
                let outcome = try await worker.asked("explain", "nobody")
                #expect(outcome.code == 65)
                #expect(outcome.errors.first?.contains("unknown_run: ") == true, "\(outcome)")
            }
        }

        @Test("store verify and stats tell that it is sound, and how much there is of what")
        func lookedAfter() async throws {
            try await expectGoodEnd { worker in
                #expect(try await worker.asked("run", "echo", "text=a").code == 0)
                let sound = try await worker.asked("store", "verify", "-o", "json").document().object
                #expect(sound?["sound"] == true)
                let stats = try await worker.asked("store", "stats", "-o", "json").document().object
                #expect(stats?["store"] == "sqlite")
                #expect(stats?["path"]?.string == "\(worker.directory.path)/forgebus/tester.sqlite")
                #expect(stats?["records"]?.object?["run"] == 1)
                let text = try await worker.asked("store", "verify")
                #expect(text.code == 0 && text.output.first?.isEmpty == false)
            }
        }

        @Test("store backup copies what is kept to a file that is not there yet, and a worker goes on with the copy")
        func backup() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    #expect(try await worker.asked("run", "deploy", "version=1", "--detach").code == 0)
                    try await worker.waits(at: "deploy.1.approve")
                    let made = try await worker.asked("store", "backup", "copy", "-o", "json").document().object
                    #expect(made?["path"]?.string == "\(directory.path)/forgebus/copy")
                    let first = try await worker.asked("store", "backup", "named", "--id", "b-1")
                    let resent = try await worker.asked("store", "backup", "named", "--id", "b-1")
                    #expect([first.code, resent.code] == [0, 0], "\(first)\n\(resent)")
                    #expect(first.output == resent.output)
                    let again = try await worker.asked("store", "backup", "copy")
                    #expect(again.code == 74)
                    #expect(again.errors.first?.hasPrefix("forgebus: store_failed: ") == true, "\(again)")
                    #expect(try await worker.asked("store", "backup", "../copy").code == 64)
                    #expect(try await worker.asked("complete", "deploy.1.approve", "--early").code == 0)
                }
                let copy = ["--store", "\(directory.path)/forgebus/copy"]
                let outcome = try await WorkerProcess.serve(in: directory, arguments: copy) { worker in
                    // The copy knows nothing of what came after it.
                    try await worker.waits(at: "deploy.1.approve")
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("a worker without a store keeps nothing on the disk, and has nothing to look after")
        func memory() async throws {
            for start in [(["--store", "memory"], [:]), ([], ["FORGEBUS_STORE": "memory"])]
                as [([String], [String: String])]
            {
                let outcome = try await WorkerProcess.serve(arguments: start.0, environment: start.1) { worker in
                    let hello = try await worker.asked("hello", "-o", "json").document().object
                    #expect([hello?["durability"], hello?["retention_ms"]] == ["memory", 60_000])
                    let run = try await worker.asked("run", "echo", "text=a", "--id", "e-1")
                    #expect(run.output.first?.hasSuffix("(memory; request e-1)") == true, "\(run)")
                    let stats = try await worker.asked("store", "stats")
                    #expect(stats.code == 65)
                    #expect(stats.errors.first?.contains("unknown_verb: ") == true)
                    #expect(!worker.directory.has("forgebus"))
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }
    }
}

extension StringProtocol {
    /// A line of `explain` without what differs from run to run: times, and the id of the run.
    fileprivate func told(of run: String) -> String {
        String(dropFirst(24)).replacing(run, with: "RUN").replacing(/took \S+ \S+/, with: "took")
            .replacing(/waited \S+ \S+/, with: "waited")
    }
}

extension WorkerProcess {
    /// What `explain` says happened to something.
    fileprivate func entries(of name: String) async throws -> [JSONObject] {
        let history = try await asked("explain", name, "-o", "json").document().object
        #expect(history?["name"]?.string == name)
        return try #require(history?["entries"]?.array).compactMap(\.object)
    }
}
