import Testing

extension CommandLineTests {
    /// What the program was called with, how it must end, and what it must say.
    struct Call: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let code: Int32
        let sentence: String

        init(_ arguments: String..., exits code: Int32, saying sentence: String) {
            self.arguments = arguments
            self.code = code
            self.sentence = sentence
        }

        var testDescription: String { "forgebus \(arguments.joined(separator: " ")) → \(code)" }
    }

    @Suite("The exit status")
    struct ExitCodeTests {
        @Test(
            "is 64 for a call that cannot be understood, and nothing is sent",
            arguments: [
                Call("fly", exits: 64, saying: "Unexpected argument 'fly'"),
                Call("stauts", "-x", exits: 64, saying: "Did you mean forgebus status?"),
                Call("stauts", exits: 64, saying: "Did you mean forgebus status?"),
                Call("store", "backpu", "x", exits: 64, saying: "Did you mean forgebus store backup?"),
                Call("run", exits: 64, saying: "Missing expected argument '<pipeline>'"),
                Call("run", "two..dots", exits: 64, saying: "it has an empty part"),
                Call("run", "echo", "text", exits: 64, saying: "the form key=text or key:=JSON."),
                Call("run", "echo", "=text", exits: 64, saying: "'=text' is invalid"),
                Call("run", "echo", "count:=seven", exits: 64, saying: "a value is expected, at byte 0."),
                Call("run", "echo", "text=a", "text:=\"b\"", exits: 64, saying: "The seed `text` is given twice;"),
                Call(
                    "run",
                    "echo",
                    "--deadline",
                    "0",
                    exits: 64,
                    saying: "--deadline must be from 1ms to 365d; found 0s."
                ),
                Call("run", "echo", "--id", "white space", exits: 64, saying: "'white space' is invalid"),
                Call("notify", "stock.>", exits: 64, saying: "'stock.>' is invalid"),
                Call("notify", "stock", "--deadline", "1", exits: 64, saying: "--deadline can only be used with"),
                Call("complete", "a.gate", "{", exits: 64, saying: "'{' is invalid"),
                Call(
                    "complete",
                    "a.gate",
                    "--keep",
                    "604801",
                    exits: 64,
                    saying: "--keep must be from 0s to 7d; found 604801s."
                ),
                Call("reject", exits: 64, saying: "Missing expected argument '<signal>'"),
                Call("list", "boats", exits: 64, saying: "'boats' is invalid"),
                Call("ping", "--patience", "0", exits: 64, saying: "--patience must be from 1ms to 1d; found 0s."),
                Call("attach", "run-1", "--wait", "-1", exits: 64, saying: "--wait"),
                Call("attach", "run-1", "--wait", "5 minutes", exits: 64, saying: "such as 30s, 5m, 2h or 3d"),
                Call(
                    "attach",
                    "run-1",
                    "--wait",
                    "366d",
                    exits: 64,
                    saying: "--wait must be from 0s to 365d; found 366d."
                ),
                Call("attach", exits: 64, saying: "Missing expected argument '<run>'"),
                Call("show", "boat/a", exits: 64, saying: "The item must be run/RUN, signal/SIGNAL"),
                Call("show", "run/a b", exits: 64, saying: "is not a name"),
                Call("watch", "run.>", "--count", "0", exits: 64, saying: "--count must be 1 or more; found 0."),
                Call("watch", "run.>", "-o", "json", exits: 64, saying: "use -o jsonl, or give --count."),
                Call("watch", "run.>.a", exits: 64, saying: "'run.>.a' is invalid"),
                Call("watch", "runs.>", exits: 64, saying: "* or >; found \"runs\""),
                Call("ping", "-e", "carrier-pigeon://roof", exits: 64, saying: "known transport"),
                Call("mode", "shelf", "--ttl", "5", exits: 64, saying: "Give either --screen or --clear."),
                Call(
                    "mode",
                    "shelf",
                    "--screen",
                    "a",
                    "--clear",
                    "--ttl",
                    "5",
                    exits: 64,
                    saying: "Give either --screen or --clear."
                ),
                Call("mode", "shelf", "--screen", "x", exits: 64, saying: "--screen needs --ttl"),
                Call(
                    "mode",
                    "shelf",
                    "--clear",
                    "--ttl",
                    "604801",
                    exits: 64,
                    saying: "--ttl must be from 1ms to 7d; found 604801s."
                ),
                Call("admin", "store.verify", "[1]", exits: 64, saying: "must be one JSON object"),
                Call("ping", "--output", "xml", exits: 64, saying: "'xml' is invalid"),
                Call("worker", "--drain", "-1", exits: 64, saying: "--drain"),
                Call("worker", "--access", "a.yaml", exits: 64, saying: "--access and --certificate go together"),
                Call("ping", "--certificate", "a", exits: 64, saying: "--server-key and --certificate go together"),
                Call("keygen", "shop.key", exits: 64, saying: "without a file extension"),
            ]
        )
        func usage(_ call: Call) async throws {
            let nowhere = "ipc:///tmp/forgebus-test-nowhere/worker.ipc"
            let outcome = try await Forgebus.run(call.arguments, environment: ["FORGEBUS_ENDPOINT": nowhere])
            #expect(outcome.code == call.code)
            #expect(outcome.errors.contains { $0.contains(call.sentence) }, "\(outcome)")
        }

        @Test("is 65 for a text in place of a number, with the word to type")
        func seedOfAnotherType() async throws {
            let yaml = """
                pipelines:
                  scale:
                    seeds: {replicas: {type: integer, default: 1}, tags: {type: array, default: []}}
                    actions: [{id: a, run: ["true"]}]
                """
            let outcome = try await WorkerProcess.serve(yaml) { worker in
                for (word, other) in [("replicas=7", "replicas:=7"), ("tags=[1,2]", "tags:='[1,2]'")] {
                    let told = try await worker.asked(["run", "scale", word]) { _ in }
                    #expect(told.code == 65)
                    #expect(told.errors.last == "  Write \(other) for a value that is not a text.", "\(told)")
                }
            }
            #expect(outcome.code == 0)
        }

        @Test(
            "is 65 for what the worker refuses, with the cause and the next move",
            arguments: [
                Call(
                    "run",
                    "ecko",
                    "text=a",
                    exits: 65,
                    saying: "unknown_pipeline: The worker serves no pipeline \"ecko\". Did you mean `echo`?"
                ),
                Call("run", "echo", exits: 65, saying: "bad_seed: The seed `text` is missing"),
                Call(
                    "run",
                    "echo",
                    "text:=1",
                    exits: 65,
                    saying: "bad_seed: The seed `text` must be of type string; found integer."
                ),
                Call(
                    "run",
                    "echo",
                    "text=a",
                    "color=red",
                    exits: 65,
                    saying: "bad_seed: The pipeline has no seed \"color\""
                ),
                Call("run", "deploy", "version=1..0", exits: 65, saying: "bad_seed: "),
                Call("attach", "run-nobody", exits: 65, saying: "unknown_run: The worker keeps no run \"run-nobody\"."),
                Call("cancel", "run-nobody", exits: 65, saying: "unknown_run: "),
                Call("redrive", "run-nobody", exits: 65, saying: "unknown_run: "),
                Call("show", "run/run-nobody", exits: 65, saying: "unknown_run: "),
                Call("show", "monitor/nobody", exits: 65, saying: "unknown_monitor: "),
            ]
        )
        func refused(_ call: Call) async throws {
            try await expectGoodEnd { worker in
                let outcome = try await Forgebus.run(
                    call.arguments,
                    environment: ["FORGEBUS_ENDPOINT": worker.endpoint]
                )
                #expect(outcome.code == call.code)
                #expect(outcome.errors.first?.contains(call.sentence) == true, "\(outcome)")
                #expect(outcome.errors.count > 1, "the next move is missing: \(outcome)")
                #expect(try await worker.asked("list", "runs").output == ["no runs"])
            }
        }

        @Test("is 65, and the error an object on standard output, for programs", arguments: ["json", "jsonl"])
        func refusedForPrograms(_ format: String) async throws {
            try await expectGoodEnd { worker in
                let several = try await worker.asked("run", "echo", "-o", format)
                let one = try await worker.asked("redrive", "run-nobody", "-o", format)
                #expect([several.code, one.code] == [65, 65])
                let documents = try [several.document(), one.document()].flatMap { $0.array ?? [$0] }
                let errors = documents.compactMap(\.object)
                #expect(errors.map { $0["error"] } == ["bad_seed", "unknown_run"])
                for error in errors {
                    #expect(error["retryable"] == false)
                    #expect(error["message"]?.string?.isEmpty == false)
                    #expect(error["next"]?.string?.isEmpty == false)
                }
                // Whoever looks on is told, too.
                #expect(several.errors.first?.hasPrefix("forgebus: bad_seed: ") == true)
                #expect(one.errors.first?.hasPrefix("forgebus: unknown_run: ") == true)
            }
        }

        @Test("is 77 for what nobody granted, with the grant to ask for")
        func forbidden() async throws {
            try await expectGoodEnd { worker in
                let mode = try await worker.asked("mode", "shelf", "--screen", "Freeze", "--ttl", "60")
                #expect(mode.code == 77)
                #expect(
                    mode.errors.first
                        == "forgebus: forbidden: The principal \"local\" has no grant of `mode` on \"shelf\"."
                )
                #expect(mode.errors.last?.contains("Start the worker with keys") == true, "\(mode)")
                let admin = try await worker.asked("admin", "access.reload", "{}")
                #expect(admin.code == 77)
                #expect(
                    admin.errors.first
                        == "forgebus: forbidden: The principal \"local\" has no grant of `admin` on \"access.reload\"."
                )
            }
        }

        @Test("is 75 for what may work later: a full worker, or a cycle that is pending at the deadline")
        func tryAgain() async throws {
            let limited = TestWorker.yaml.replacing("name: tester", with: "name: tester\n  limits: {unfinished: 1}")
            let outcome = try await WorkerProcess.serve(limited) { worker in
                worker.directory.makePipe("begun")
                worker.directory.makePipe("release")
                let held = try await worker.asked(["run", "hold"]) { _ in
                    try await worker.directory.read("begun")
                    let busy = try await worker.askedImpatiently("run", "fail")
                    #expect(busy.code == 75)
                    #expect(busy.errors.first?.hasPrefix("forgebus: busy: ") == true, "\(busy)")
                    try await worker.directory.release("release")
                }
                #expect(held.code == 0, "\(held)")

                // Once this is answered, the evaluation at the start is over, too.
                #expect(try await worker.asked("notify", "slow", "--wait").code == 0)
                worker.directory.makePipe("dawdling")
                worker.directory.makePipe("gate")
                let pending = try await worker.asked("notify", "slow", "--wait", "--deadline", "0.1")
                #expect(pending.code == 75)
                #expect(pending.output.first?.words.prefix(2) == ["slow", "pending"])
                try await worker.directory.read("dawdling")
                try await worker.directory.release("gate")
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("is 75 for a cycle that did not end within its monitor's time, and where a screen holds it back")
        func notEvaluated() async throws {
            let limited = TestWorker.yaml.replacing(
                "topics: [slow]\n",
                with: "topics: [slow]\n    time_limit_ms: 5000\n"
            )
            let outcome = try await WorkerProcess.serve(limited) { worker in
                #expect(try await worker.asked("notify", "slow", "--wait").code == 0)
                worker.directory.makePipe("dawdling")
                worker.directory.makePipe("gate")
                let overdue = try await worker.asked(["notify", "slow", "--wait", "-o", "jsonl"]) { _ in
                    try await worker.directory.read("dawdling")
                }
                #expect(overdue.code == 75)
                #expect(try overdue.objects().map { $0["state"] } == ["overdue"])
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("is 74 where the result cannot be written")
        func unwritten() async throws {
            try await expectGoodEnd { worker in
                let ask = "\(try Forgebus.path) ping -e \(worker.endpoint)"
                let full = try await Tool.run("sh", "-c", "\(ask) >/dev/full; echo \"exit $?\"")
                #expect(full.text.contains("Standard output cannot be written: No space left on device."))
                #expect(full.text.hasSuffix("exit 74\n"))
            }
        }

        @Test("is 69 where no worker is reached, with the sentence that the request was not sent")
        func nobody() async throws {
            let directory = try Scratch()
            defer { directory.remove() }
            let nobody = ["FORGEBUS_ENDPOINT": "ipc://\(directory.path)/nobody.ipc"]
            for arguments in [["ping"], ["run", "echo", "text=a", "--id", "my-run"], ["complete", "a.gate"]] {
                let outcome = try await Forgebus.run(arguments + ["--patience", "0.2"], environment: nobody)
                #expect(outcome.code == 69)
                #expect(outcome.errors.first?.hasPrefix("forgebus: unreachable: ") == true)
                #expect(outcome.errors.first?.contains("at ipc://\(directory.path)/nobody.ipc in time") == true)
                #expect(outcome.errors.first?.hasSuffix("was not sent.") == true)
                #expect(outcome.errors.dropFirst().first?.contains("that a worker runs there") == true)
            }
            let named = try await Forgebus.run(
                ["run", "echo", "--id", "my-run", "--patience", "0.2"],
                environment: nobody
            )
            #expect(named.errors.first?.contains("my-run was not sent") == true)
        }
    }
}
