import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("A subcommand")
    struct SubcommandTests {
        @Test("ping tells the worker's name and state")
        func ping() async throws {
            try await expectGoodEnd { worker in
                let text = try await worker.asked("ping")
                #expect(text.code == 0)
                #expect(text.output.first?.wholeMatch(of: /tester is ready \(.+\)/) != nil, "\(text)")
                let json = try await worker.asked("ping", "--output", "json").objects()
                #expect(json.map { $0["worker"] } == ["tester"])
                #expect(json.map { $0["state"] } == ["ready"])
            }
        }

        @Test("notify tells how many monitors follow the topic")
        func notify() async throws {
            try await expectGoodEnd { worker in
                let one = try await worker.asked("notify", "stock.apples.sold", "three of them")
                #expect(one.output.first?.words.prefix(2) == ["accepted:", "1"], "\(one)")
                let none = try await worker.asked("notify", "weather")
                #expect(none.output.first?.words.prefix(2) == ["accepted:", "0"], "\(none)")
                #expect(none.output.first?.hasSuffix("forgebus list monitors") == true, "\(none)")
                #expect(none.code == 0)
                let json = try await worker.asked("notify", "weather", "-o", "json")
                #expect(json.output == [#"{"state":"accepted","monitors":0}"#])
            }
        }

        @Test("notify sends its body as it stands on the command line", arguments: ["hi", #"{"a":1}"#, #""quoted""#])
        func body(_ body: String) async throws {
            let yaml = TestWorker.yaml.replacing(
                "run: [touch, full]",
                with: "run: [/bin/sh, -c, 'cat >causes; touch full']"
            )
            let outcome = try await WorkerProcess.serve(yaml) { worker in
                _ = try await worker.asked("notify", "stock.apples", "--wait")
                _ = try await Tool.run("rm", "\(worker.directory.path)/full")
                #expect(try await worker.asked("notify", "stock.apples", body, "--wait").code == 0)
                let line = try #require(try worker.directory.lines("causes").first)
                let causes = try JSONValue(parsing: Array(line.utf8)[...])
                let topic = try #require(causes.object?["topics"]?.array?.first?.object)
                #expect(topic["body"] == .string(body))
                #expect(topic["body_bytes"] == .integer(Int64(body.utf8.count)))
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("notify --wait tells which actions a cycle ran, and how they ended")
        func notifyAndWait() async throws {
            try await expectGoodEnd { worker in
                // The evaluation at the start has filled the shelf, or this one does.
                _ = try await worker.asked("notify", "stock.apples", "--wait")
                #expect(worker.directory.has("full"))
                let full = try await worker.asked("notify", "stock.apples", "--wait")
                #expect(full.output.map { $0.words.dropLast() } == [["shelf", "ran", "cycle"]])

                try worker.directory.write("", to: "broken-now")
                let broken = try await worker.asked("notify", "broken", "--wait")
                #expect(broken.code == 1)
                #expect(broken.output.first?.hasPrefix("broken ") == true)
                let action = try #require(broken.output.dropFirst().first?.words)
                #expect(action.prefix(2) == ["mend", "failed"])
                #expect(action.suffix(6) == ["exit", "status", "3:", "out", "of", "glue"])

                let nobody = try await worker.asked("notify", "weather", "--wait")
                #expect(nobody.code == 3)
                #expect(nobody.output.first?.hasSuffix("forgebus list monitors") == true)
            }
        }

        @Test("and what comes of it is in the worker's log where it fails")
        func troubles() async throws {
            let ended = try await WorkerProcess.serve { worker in
                try worker.directory.write("", to: "broken-now")
                _ = try await worker.asked("notify", "broken", "--wait")
                _ = try await worker.asked("run", "fail")
            }
            let log = ended.errors.joined(separator: "\n")
            #expect(
                log.contains(
                    #/warning.* a cycle failed; the worker repeats it later  failed=\["mend: exit status 3: out of glue.*monitor=broken/#
                ),
                "\(log)"
            )
            #expect(
                log.contains(#/warning.* a run failed  pipeline=fail reason="try: exit status 4: no luck/#),
                "\(log)"
            )
        }

        @Test("notify --wait -o jsonl prints one object for each monitor")
        func notifyAsJSON() async throws {
            try await expectGoodEnd { worker in
                try worker.directory.write("", to: "broken-now")
                let outcome = try await worker.asked("notify", "broken", "--wait", "-o", "jsonl")
                let monitor = try #require(try outcome.objects().first)
                #expect(monitor["monitor"] == "broken")
                #expect(monitor["state"] == "failed")
                let actions = try #require(monitor["actions"]?.array)
                #expect(actions.map { $0.object?["action"] } == ["mend"])
                #expect(actions.first?.object?["reason"]?.string?.hasSuffix(": out of glue") == true)
            }
        }

        @Test("list shows monitors, pipelines, runs and signals, one a line")
        func list() async throws {
            try await expectGoodEnd { worker in
                #expect(try await worker.asked("list", "signals").output == ["no signals"])
                #expect(try await worker.asked("list", "runs", "-o", "jsonl").output == [])
                let monitors = try await worker.asked("list", "monitors", "-o", "jsonl").objects()
                #expect(monitors.map { $0["monitor"] } == ["broken", "shelf", "slow"])
                let pipelines = try await worker.asked("list", "pipelines")
                #expect(pipelines.output.map { $0.words.first } == ["PIPELINE", "deploy", "echo", "fail", "hold"])
                _ = try await worker.asked("run", "fail")
                let runs = try await worker.asked("list", "runs", "-o", "jsonl").objects()
                #expect(runs.map { $0["pipeline"] } == ["fail"])
                #expect(runs.map { $0["state"] } == ["failed"])
            }
        }

        @Test("finds the worker by its option, before the environment, also over tcp")
        func endpoints() async throws {
            let outcome = try await WorkerProcess.serve(listen: "tcp://127.0.0.1:*") { worker in
                #expect(worker.endpoint.wholeMatch(of: /tcp:\/\/127\.0\.0\.1:[1-9]\d+/) != nil)
                let elsewhere = "ipc://\(worker.directory.path)/nobody.ipc"
                let outcome = try await Forgebus.run(
                    ["ping", "--endpoint", worker.endpoint, "--source", "a test"],
                    environment: ["FORGEBUS_ENDPOINT": elsewhere]
                )
                #expect(outcome.code == 0)
            }
            #expect(outcome.code == 0)
        }
    }
}

/// Serves the tests' worker to `body`, and expects it to end well when it is stopped.
func expectGoodEnd(_ body: @Sendable (WorkerProcess) async throws -> Void) async throws {
    let outcome = try await WorkerProcess.serve(body: body)
    #expect(outcome.code == 0, "\(outcome)")
}

extension Forgebus.Outcome {
    /// The output, read as one JSON document.
    func document() throws -> JSONValue { try JSONValue(parsing: Array(output.joined(separator: "\n").utf8)[...]) }

    /// The output, read as one object of JSON a line.
    func objects() throws -> [JSONObject] {
        try output.map { line in
            try #require(try JSONValue(parsing: Array(line.utf8)[...]).object, "\(line) is no object")
        }
    }
}

extension String {
    var words: [Substring] { split(separator: " ") }
}
