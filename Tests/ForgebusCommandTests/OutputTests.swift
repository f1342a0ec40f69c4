import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("The output")
    struct OutputTests {
        @Test("is with -o json one document: an object where one thing is told, an array where it may be more")
        func documents() async throws {
            try await expectGoodEnd { worker in
                let one = [
                    ["ping"], ["hello"], ["notify", "weather"], ["complete", "a.b"], ["show", "monitor", "shelf"],
                ]
                for arguments in one {
                    let outcome = try await worker.asked(arguments + ["-o", "json"]) { _ in }
                    #expect(try outcome.document().object != nil, "\(outcome)")
                }
                for arguments in [["notify", "weather", "--wait"], ["list", "runs"]] {
                    let outcome = try await worker.asked(arguments + ["-o", "json"]) { _ in }
                    #expect(try outcome.document() == [], "\(outcome)")
                }
                let monitors = try await worker.asked("list", "monitors", "-o", "json").document().array
                #expect(monitors?.compactMap { $0.object?["monitor"] } == ["broken", "shelf", "slow"])
                let run = try await worker.asked("run", "fail", "-o", "json")
                #expect(run.code == 1)
                let events = try run.document().array?.compactMap { $0.object?["event"] }
                #expect(events == ["accepted", "started", "finished", "result"])
            }
        }

        @Test("cannot be steered by what a command of the worker writes")
        func harmless() async throws {
            let yaml = #"""
                pipelines:
                  loud:
                    actions:
                      - id: shout
                        run: [/bin/sh, -c, 'printf "\033[2Jno \033]0;title\007luck\n" >&2; exit 3']
                """#
            let ended = try await WorkerProcess.serve(yaml) { worker in
                let outcome = try await worker.asked("run", "loud")
                #expect(outcome.code == 1)
                #expect(outcome.output.joined().contains("luck"))
                #expect(!outcome.output.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
                let drawn = try await worker.drawn("run", "loud", environment: ["NO_COLOR": "1"])
                #expect(!drawn.text.contains("\u{1B}[2J") && !drawn.text.contains("\u{7}"))
            }
            #expect(ended.code == 0)
        }

        @Test("has no line that somebody forged, no matter who gave the reason and which subcommand tells it")
        func unforged() async throws {
            let yaml = #"""
                pipelines:
                  careful:
                    seeds: {note: {type: string}}
                    outputs: [note]
                    actions:
                      - {id: approve, gate: {signal: careful.gate}}
                      - {id: proceed, run: ["true"], requires: [approve]}
                """#
            let poison = ["\n", "\r", "\u{1B}[2J", "\u{85}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}"]
                .map { "no\($0)forged line" }.joined()
            let ended = try await WorkerProcess.serve(yaml) { worker in
                let run = try await worker.begun("careful", "note=\(poison)")
                try await worker.waits(at: "careful.gate")
                let attached = try await worker.asked(["attach", run]) { attached in
                    try await attached.output.first(containing: "attached")
                    #expect(try await worker.asked("reject", "careful.gate", poison).code == 0)
                }
                var told = [attached]
                for words in [
                    ["attach", run], ["explain", run], ["explain", "careful.gate"], ["show", "run", "\(run)"],
                    ["show", "history", "\(run)"], ["show", "signal", "careful.gate"], ["list", "runs"],
                    ["list", "signals"],
                    ["fly\n\(poison)"], ["run", "careful", "--idd", poison], ["access", "check", "/nowhere/\(poison)"],
                    ["mode", "careful", "--ttl", "1", "--screen", poison], ["keygen", "/nowhere/\(poison)"],
                ] {
                    told.append(try await worker.asked(words) { _ in })
                }
                for outcome in told {
                    for line in outcome.output + outcome.errors {
                        #expect(!line.hasPrefix("forged"), "\(outcome)")
                        let isClean = line.unicodeScalars.allSatisfy { scalar in
                            ![0..<0x20, 0x7F..<0xA0, 0x2028..<0x202F, 0x2066..<0x206A].contains {
                                $0.contains(scalar.value)
                            }
                        }
                        #expect(isClean, "\(outcome)")
                    }
                }
                let reason = #"no\nforged lineno\u{d}forged lineno\u{1b}[2Jforged line"#
                #expect(attached.output.contains { $0.contains(reason) }, "\(attached)")
            }
            #expect(ended.code == 0)
        }

        @Test("is on a terminal one line for each action, drawn anew until its action has ended")
        func live() async throws {
            try await expectGoodEnd { worker in
                let drawn = try await worker.drawn("run", "echo", "text=a", environment: ["NO_COLOR": "1"])
                #expect(drawn.text.contains("\r\u{1B}[J\u{1B}[?7l▸ look"))
                #expect(!drawn.text.contains("\u{1B}[3"))
                let rows = drawn.rows
                #expect(rows.map { $0.words.first } == ["accepted", "✓", "completed", "outputs"])
                #expect(rows[1].words[1] == "look")

                let failed = try await worker.drawn("run", "fail")
                #expect(failed.text.contains("\u{1B}[31m✗\u{1B}[0m try"))
                let plain = try await worker.drawn("run", "fail", environment: ["TERM": "dumb"])
                #expect(!plain.text.contains("\u{1B}"))
                #expect(plain.rows.map { $0.words.first } == ["accepted", "started", "failed", "failed", "try"])
            }
        }

        @Test("ends with the result, and each action in it, also where the run was attached to")
        func liveAttach() async throws {
            try await expectGoodEnd { worker in
                let run = try await worker.begun("deploy", "version=1")
                let drawn = try await worker.drawn("attach", run) { () async throws in
                    // Whether the gate is open yet or not, whether somebody is attached yet or not.
                    #expect(try await worker.asked("complete", "deploy.1.approve", "--early").code == 0)
                }
                #expect(drawn.rows.last?.hasPrefix("outputs") == true, "\(drawn.text)")
                #expect(drawn.rows.contains { $0.contains("rollout") })
            }
        }
    }
}
