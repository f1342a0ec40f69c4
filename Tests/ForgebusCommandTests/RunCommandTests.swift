import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("run, complete and reject")
    struct RunCommandTests {
        @Test("seeds are texts after =, and JSON after :=")
        func seeds() async throws {
            try await expectGoodEnd { worker in
                let text = try await worker.asked("run", "echo", "text=a=b c", "-o", "jsonl").objects()
                #expect(text.last?["outputs"]?.description == #"{"text":"a=b c","count":2,"tags":[]}"#)
                let json = try await worker.asked(
                    "run",
                    "echo",
                    "text:=\"quoted\"",
                    "count:=7",
                    #"tags:=["x", {"y": [1.5, null]}]"#,
                    "-o",
                    "jsonl"
                ).objects()
                #expect(
                    json.last?["outputs"]?.description == #"{"text":"quoted","count":7,"tags":["x",{"y":[1.5,null]}]}"#
                )
            }
        }

        @Test("a text after = is read as the seed's type wants it, and stays a text for a text")
        func types() async throws {
            let yaml = """
                pipelines:
                  scale:
                    seeds:
                      count: {type: integer, default: 1}
                      share: {type: number, default: 1}
                      isLive: {type: boolean, default: false}
                      tags: {type: array, default: []}
                      name: {type: string, default: ""}
                    outputs: [count, share, isLive, tags, name]
                    actions: [{id: a, run: ["true"]}]
                """
            let outcome = try await WorkerProcess.serve(yaml) { worker in
                let words = ["count=12", "share=3", "isLive=true", #"tags=["a", 1]"#, "name=12", "--id", "one"]
                let told = try await worker.asked(["run", "scale", "-o", "jsonl"] + words) { _ in }.objects()
                let outputs: JSONObject = [
                    "count": 12, "share": 3, "isLive": true, "tags": ["a", 1], "name": "12",
                ]
                #expect(told.last?["outputs"] == .object(outputs))
                for word in ["count=twelve", "count=1.5", "isLive=1", "tags={}", #"count:="12""#, "name:=12"] {
                    let refused = try await worker.asked(["run", "scale", word, "-o", "json"]) { _ in }
                    #expect(refused.code == 65, "\(word)")
                    #expect(try refused.document().array?.last?.object?["error"] == "bad_seed")
                }
            }
            #expect(outcome.code == 0)
        }

        @Test("gates --wait returns as soon as a gate waits, and exits 75 if none does in time")
        func waitingForGates() async throws {
            try await expectGoodEnd { worker in
                #expect(try await worker.asked("gates", "--wait", "0").code == 75)
                #expect(try await worker.asked("gates").code == 0)
                let waiting = try await worker.asked(["gates", "--wait", "1h", "-o", "jsonl"]) { _ in
                    _ = try await worker.asked("run", "deploy", "version=1", "--detach")
                }
                #expect(waiting.code == 0)
                #expect(try waiting.objects().map { $0["signal"] } == ["deploy.1.approve"])
            }
        }

        @Test("a run tells its course, each action's result and the outputs, to people")
        func text() async throws {
            try await expectGoodEnd { worker in
                let outcome = try await worker.asked("run", "echo", "text=hello", "--id", "e-1")
                #expect(outcome.code == 0)
                #expect(
                    outcome.output.map { $0.words.first } == [
                        "accepted", "started", "completed", "completed", "look", "outputs",
                    ]
                )
                #expect(outcome.output[0].hasSuffix("(fsynced; request e-1)"))
                #expect(outcome.output[3].words.last?.hasPrefix("run-") == true)
                #expect(outcome.output[4].words.prefix(2) == ["look", "completed"])
                #expect(outcome.output[5].words.last == #"{"text":"hello","count":2,"tags":[]}"#)
            }
        }

        @Test("a run tells its course, each action's result and the outputs, to programs")
        func json() async throws {
            try await expectGoodEnd { worker in
                let outcome = try await worker.asked("run", "fail", "--output", "jsonl")
                #expect(outcome.code == 1)
                let events = try outcome.objects()
                #expect(events.map { $0["event"] } == ["accepted", "started", "finished", "result"])
                #expect(events[2]["reason"]?.string?.hasSuffix(" 4: no luck") == true)
                #expect(events[3]["state"] == "failed")
                #expect(events[3]["reason"]?.string?.hasPrefix("try: ") == true)
                #expect(Set(events.compactMap { $0["run"] }).count == 1)
            }
        }

        @Test("the same id with the same content is the same run, and with other content none")
        func sameRun() async throws {
            try await expectGoodEnd { worker in
                let first = try await worker.asked("run", "echo", "text=a", "--id", "same", "-o", "jsonl").objects()
                let again = try await worker.asked("run", "echo", "text=a", "--id", "same", "-o", "jsonl").objects()
                #expect(again.last?["run"] == first.last?["run"])
                #expect(again.last?["state"] == "completed")
                let other = try await worker.asked("run", "echo", "text=b", "--id", "same")
                #expect(other.code == 2)
                #expect(other.errors.first?.hasPrefix("forgebus: id_conflict: ") == true)
                #expect(try await worker.asked("list", "runs", "-o", "jsonl").output.count == 1)
            }
        }

        @Test("--detach returns when the run is taken; a gate holds it until another process approves")
        func approve() async throws {
            try await expectGoodEnd { worker in
                let started = try await worker.asked("run", "deploy", "version=1", "--detach", "-o", "jsonl").objects()
                #expect(started.map { $0["event"] } == ["accepted"])
                try await worker.waits(at: "deploy.1.approve")
                let attached = try await worker.asked(["run", "deploy", "version=2"]) { run in
                    try await run.output.first(containing: "waiting")
                    #expect(!worker.directory.has("deployed"))
                    let signals = try await worker.asked("list", "signals", "-o", "jsonl").objects()
                    #expect(signals.map { $0["signal"] } == ["deploy.1.approve", "deploy.2.approve"])
                    #expect(signals.map { $0["kind"] } == ["gate", "gate"])
                    let verdict = try await worker.asked("complete", "deploy.2.approve", #"{"by": "ada"}"#)
                    #expect(verdict.code == 0)
                    #expect(verdict.output.count == 1 && verdict.output[0].hasPrefix("delivered  deploy.2.approve  ("))
                    #expect(verdict.output[0].hasSuffix("; fsynced)"))
                }
                #expect(attached.code == 0)
                #expect(attached.output.contains(#"outputs    {"approve":{"by":"ada"}}"#))
                #expect(worker.directory.has("deployed"))
            }
        }

        @Test("a rejected gate fails the run, and what is behind it never starts")
        func reject() async throws {
            try await expectGoodEnd { worker in
                let run = try await worker.asked(["run", "deploy", "version=3", "-o", "jsonl"]) { run in
                    try await run.output.first(containing: #""event":"waiting""#)
                    let verdict = try await worker.asked("reject", "deploy.3.approve", "not on a Friday", "-o", "jsonl")
                    #expect(try verdict.objects().map { $0["verdict"] } == ["delivered"])
                }
                #expect(run.code == 1)
                let result = try #require(try run.objects().last)
                #expect(result["state"] == "failed")
                #expect(result["reason"]?.string?.hasPrefix("approve: rejected: ") == true)
                let actions = result["actions"]?.array?.compactMap(\.object) ?? []
                #expect(actions.map { $0["action"] } == ["approve", "rollout"])
                #expect(actions.map { $0["result"] } == ["failed", "skipped"])
                #expect(!worker.directory.has("deployed"))
            }
        }

        @Test("a decision may come first, and its sender learns what stands when another comes")
        func verdicts() async throws {
            try await expectGoodEnd { worker in
                let early = try await worker.asked("complete", "deploy.4.approve", "--keep", "60", "-o", "jsonl")
                #expect(try early.objects().map { $0["verdict"] } == ["buffered"])
                #expect(try early.objects().map { $0["keep_ms"] } == [.integer(60_000)])
                #expect(try await worker.asked("run", "deploy", "version=4").code == 0)

                let same = try await worker.asked("complete", "deploy.4.approve")
                #expect(same.output.first?.words.prefix(2) == ["duplicate", "deploy.4.approve"])
                #expect(same.code == 0)
                let opposite = try await worker.asked("reject", "deploy.4.approve", "-o", "jsonl")
                #expect(opposite.code == 2)
                #expect(try opposite.objects().map { $0["verdict"] } == ["conflict"])
                #expect(try opposite.objects().map { $0["standing"] } == ["approved"])

                let unkept = try await worker.asked("complete", "deploy.5.approve", "--keep", "0")
                #expect(unkept.output.first?.words.prefix(2) == ["unknown", "deploy.5.approve"])
                #expect(unkept.code == 2)
                // Kept, it could wait for ever: no gate of the file has such an id.
                let misspelt = try await worker.asked("complete", "deploy.5.aprove", "--early")
                #expect(misspelt.output.first?.words.prefix(2) == ["unknown", "deploy.5.aprove"], "\(misspelt)")
                #expect(misspelt.code == 2)
            }
        }

        @Test("a stale approval opens no later gate, and an early one is listed and can be taken back")
        func stale() async throws {
            try await expectGoodEnd { worker in
                let stale = try await worker.asked("complete", "deploy.7.approve")
                #expect(stale.code == 2 && stale.output.first?.words.first == "unknown")

                _ = try await worker.asked("reject", "deploy.7.approve", "no", "--early")
                let listed = try await worker.asked("list", "early")
                let words = try #require(listed.output.last?.words)
                #expect(words.prefix(5) == ["deploy.7.approve", "rejected", "local", "in", "23h"], "\(listed)")
                let taken = try await worker.asked("withdraw", "deploy.7.approve")
                #expect(taken.code == 0 && taken.output.first?.words.first == "withdrawn")
                #expect(try await worker.asked("withdraw", "deploy.7.approve").code == 2)
                #expect(try await worker.asked("list", "early").output == ["no early decisions"])

                let early = try await worker.asked("complete", "deploy.7.approve", "--early")
                #expect(early.code == 0)
                #expect(try await worker.asked("run", "deploy", "version=7").code == 0)
                let runs = try await worker.asked("list", "runs", "-o", "jsonl").objects()
                let run = try #require(runs.first?["run"]?.string)
                let history = try #require(try await worker.asked("explain", run, "-o", "jsonl").objects().first)
                let entries = history["entries"]?.array?.compactMap(\.object) ?? []
                let used = try #require(entries.first { $0["event"] == "decided_early" })
                #expect(used["principal"] == "local" && used["signal"] == "deploy.7.approve")
                #expect(try await worker.asked("withdraw", "deploy.7.approve").output.first?.words.first == "decided")
            }
        }

        @Test("the same decision under the same id gets its first verdict again")
        func replay() async throws {
            try await expectGoodEnd { worker in
                let first = try await worker.asked("complete", "deploy.6.approve", "--early", "--id", "yes")
                _ = try await worker.asked("run", "deploy", "version=6")
                let again = try await worker.asked("complete", "deploy.6.approve", "--early", "--id", "yes")
                #expect(first.output.first?.hasPrefix("buffered ") == true)
                #expect(again.output == first.output)
            }
        }
    }
}
