import Testing

extension CommandLineTests {
    /// What the program was called with, how it must end, and what it must name.
    struct Call: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let code: Int32
        let word: String

        init(_ arguments: String..., exits code: Int32, naming word: String) {
            self.arguments = arguments
            self.code = code
            self.word = word
        }

        var testDescription: String { "forgebus \(arguments.joined(separator: " ")) → \(code)" }
    }

    @Suite("The exit status")
    struct ExitCodeTests {
        @Test(
            "is 64 for a call that cannot be understood, and nothing is sent",
            arguments: [
                Call("fly", exits: 64, naming: "'fly'"),
                Call("stauts", "-x", exits: 64, naming: "forgebus status?"),
                Call("stauts", exits: 64, naming: "forgebus status?"),
                Call("store", "backpu", "x", exits: 64, naming: "forgebus store backup?"),
                Call("run", exits: 64, naming: "'<pipeline>'"),
                Call("run", "two..dots", exits: 64, naming: "two..dots"),
                Call("run", "echo", "text", exits: 64, naming: "key:=JSON"),
                Call("run", "echo", "=text", exits: 64, naming: "'=text'"),
                Call("run", "echo", "count:=seven", exits: 64, naming: "byte 0"),
                Call("run", "echo", "text=a", "text:=\"b\"", exits: 64, naming: "`text`"),
                Call(
                    "run",
                    "echo",
                    "--deadline",
                    "0",
                    exits: 64,
                    naming: "1ms to 365d"
                ),
                Call("run", "echo", "--id", "white space", exits: 64, naming: "'white space'"),
                Call("notify", "stock.>", exits: 64, naming: "'stock.>'"),
                Call("notify", "stock", "--deadline", "1", exits: 64, naming: "--deadline"),
                Call("publish", "stock", exits: 64, naming: "--bind"),
                Call("publish", "stock", "-e", "ipc:///a", "--bind", "ipc:///b", exits: 64, naming: "--bind"),
                Call("publish", "stock", "-e", "ipc:///a", "--allow", "k", exits: 64, naming: "--allow"),
                Call("publish", "stock", "--bind", "ipc:///a", "--allow", "k", exits: 64, naming: "--certificate"),
                Call("publish", "stock", "--bind", "ipc:///a", "--certificate", "k", exits: 64, naming: "--allow"),
                Call("publish", "stock", "-e", "ipc:///a", "--certificate", "k", exits: 64, naming: "--server-key"),
                Call(
                    "publish",
                    "stock",
                    "--bind",
                    "ipc:///a",
                    "--subscribers",
                    "0",
                    exits: 64,
                    naming: "--subscribers"
                ),
                Call("publish", "stock", "--bind", "nowhere", exits: 64, naming: "nowhere"),
                Call("publish", "stock.>", "--bind", "ipc:///a", exits: 64, naming: "'stock.>'"),
                Call("complete", "a.gate", "{", exits: 64, naming: "'{'"),
                Call(
                    "complete",
                    "a.gate",
                    "--keep",
                    "604801",
                    exits: 64,
                    naming: "0s to 7d"
                ),
                Call("reject", exits: 64, naming: "'<signal>'"),
                Call("list", "boats", exits: 64, naming: "'boats'"),
                Call("ping", "--patience", "0", exits: 64, naming: "1ms to 1d"),
                Call("attach", "run-1", "--wait", "-1", exits: 64, naming: "--wait"),
                Call("attach", "run-1", "--wait", "5 minutes", exits: 64, naming: "5 minutes"),
                Call(
                    "attach",
                    "run-1",
                    "--wait",
                    "366d",
                    exits: 64,
                    naming: "0s to 365d"
                ),
                Call("attach", exits: 64, naming: "'<run>'"),
                Call("show", "boat", "a", exits: 64, naming: "pipeline"),
                Call("show", "run/a", exits: 64, naming: "pipeline"),
                Call("show", "run", "a b", exits: 64, naming: "a b"),
                Call("watch", "run.>", "--count", "0", exits: 64, naming: "--count"),
                Call("watch", "run.>", "-o", "json", exits: 64, naming: "-o jsonl"),
                Call("watch", "run.>.a", exits: 64, naming: "'run.>.a'"),
                Call("watch", "runs.>", exits: 64, naming: "\"runs\""),
                Call("ping", "-e", "carrier-pigeon://roof", exits: 64, naming: "carrier-pigeon"),
                Call("mode", "shelf", "--ttl", "5", exits: 64, naming: "--clear"),
                Call(
                    "mode",
                    "shelf",
                    "--screen",
                    "a",
                    "--clear",
                    "--ttl",
                    "5",
                    exits: 64,
                    naming: "--clear"
                ),
                Call("mode", "shelf", "--screen", "x", exits: 64, naming: "--ttl"),
                Call(
                    "mode",
                    "shelf",
                    "--clear",
                    "--ttl",
                    "604801",
                    exits: 64,
                    naming: "1ms to 7d"
                ),
                Call("admin", "store.verify", "[1]", exits: 64, naming: "[1]"),
                Call("ping", "--output", "xml", exits: 64, naming: "'xml'"),
                Call("worker", "--drain", "-1", exits: 64, naming: "--drain"),
                Call("worker", "--access", "a.yaml", exits: 64, naming: "--access"),
                Call("ping", "--certificate", "a", exits: 64, naming: "--server-key"),
                Call("keygen", "shop.key", exits: 64, naming: "keys/shop.key"),
            ]
        )
        func usage(_ call: Call) async throws {
            let nowhere = "ipc:///tmp/forgebus-test-nowhere/worker.ipc"
            let outcome = try await Forgebus.run(call.arguments, environment: ["FORGEBUS_ENDPOINT": nowhere])
            #expect(outcome.code == call.code)
            #expect(outcome.errors.contains { $0.contains(call.word) }, "\(outcome)")
        }

        @Test(
            "is 65 for what the worker refuses, with the cause and the next move",
            arguments: [
                Call(
                    "run",
                    "ecko",
                    "text=a",
                    exits: 65,
                    naming: "unknown_pipeline: "
                ),
                Call("run", "echo", exits: 65, naming: "bad_seed: "),
                Call(
                    "run",
                    "echo",
                    "text:=1",
                    exits: 65,
                    naming: "bad_seed: "
                ),
                Call(
                    "run",
                    "echo",
                    "text=a",
                    "color=red",
                    exits: 65,
                    naming: "bad_seed: "
                ),
                Call("run", "deploy", "version=1..0", exits: 65, naming: "bad_seed: "),
                Call("attach", "run-nobody", exits: 65, naming: "unknown_run: "),
                Call("cancel", "run-nobody", exits: 65, naming: "unknown_run: "),
                Call("redrive", "run-nobody", exits: 65, naming: "unknown_run: "),
                Call("show", "run", "run-nobody", exits: 65, naming: "unknown_run: "),
                Call("show", "monitor", "nobody", exits: 65, naming: "unknown_monitor: "),
            ]
        )
        func refused(_ call: Call) async throws {
            try await expectGoodEnd { worker in
                let outcome = try await Forgebus.run(
                    call.arguments,
                    environment: ["FORGEBUS_ENDPOINT": worker.endpoint]
                )
                #expect(outcome.code == call.code)
                #expect(outcome.errors.first?.contains(call.word) == true, "\(outcome)")
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
                #expect(mode.errors.first?.hasPrefix("forgebus: forbidden: ") == true, "\(mode)")
                for part in ["`mode`", "\"shelf\""] { #expect(mode.errors.first?.contains(part) == true, "\(mode)") }
                let admin = try await worker.asked("admin", "access.reload", "{}")
                #expect(admin.code == 77)
                #expect(admin.errors.first?.hasPrefix("forgebus: forbidden: ") == true, "\(admin)")
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
                with: "topics: [slow]\n    time_limit: 5s\n"
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
                #expect(full.text.contains("No space left"))
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
                #expect(outcome.errors.first?.contains("ipc://\(directory.path)/nobody.ipc") == true)
                #expect(outcome.errors.first?.hasSuffix("was not sent.") == true)
                #expect(outcome.errors.count == 2)
            }
            let named = try await Forgebus.run(
                ["run", "echo", "--id", "my-run", "--patience", "0.2"],
                environment: nobody
            )
            #expect(named.errors.first?.contains("my-run") == true)
        }
    }
}
