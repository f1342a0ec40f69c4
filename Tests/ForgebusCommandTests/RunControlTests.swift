import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("attach, cancel, redrive and show")
    struct RunControlTests {
        /// What goes wrong here goes wrong for a reason that somebody can mend.
        static let yaml = #"""
            pipelines:
              flaky:
                outputs: [attempt]
                actions:
                  - id: flap
                    retry: {attempts: 3, backoff: 10ms}
                    run:
                      - /bin/sh
                      - -c
                      - |
                        echo "$FORGE_TOKEN $FORGE_ATTEMPT" >> course
                        test "$FORGE_ATTEMPT" = 3 || { echo not yet >&2; exit 1; }
                        echo "{\"attempt\":$FORGE_ATTEMPT}"
                  - {id: other, run: [/bin/sh, -c, 'echo "$FORGE_TOKEN $FORGE_ATTEMPT" >> course']}
              printing:
                actions:
                  - {id: before, run: [/bin/sh, -c, 'echo before >> course']}
                  - id: print
                    on_failure: park
                    run:
                      - /bin/sh
                      - -c
                      - |
                        echo "$FORGE_TOKEN $FORGE_ATTEMPT" >> course
                        test -e paper || { echo out of paper >&2; exit 3; }
                  - {id: after, run: [/bin/sh, -c, 'echo after >> course']}
            """#

        /// Serves these pipelines to `body`, and expects the worker to end well.
        func serve(_ body: @Sendable (WorkerProcess) async throws -> Void) async throws {
            let outcome = try await WorkerProcess.serve(Self.yaml, body: body)
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("an action that fails twice is tried again under one token, and then the run goes on")
        func retried() async throws {
            try await serve { worker in
                let outcome = try await worker.asked("run", "flaky", "-o", "jsonl")
                #expect(outcome.code == 0, "\(outcome)")
                let events = try outcome.objects()
                #expect(
                    events.map { $0["event"] } == [
                        "accepted", "started", "retrying", "retrying", "finished", "started", "finished", "result",
                    ]
                )
                #expect(events[2...3].map { $0["attempt"] } == [2, 3])
                #expect(events.last?["outputs"]?.description == #"{"attempt":3}"#)
                let run = try #require(events.first?["run"]?.string)
                #expect(
                    try worker.directory.lines("course") == [
                        "\(run)/flap 1", "\(run)/flap 2", "\(run)/flap 3", "\(run)/other 1",
                    ]
                )
            }
        }

        @Test("a parked run is shown as parked, and goes on where it stopped once somebody redrives it")
        func parked() async throws {
            try await serve { worker in
                let run = try await worker.begun("printing")
                let attached = try await worker.asked(["attach", run]) { attached in
                    try await attached.output.first(containing: "parked")
                    let shown = try #require(
                        try await worker.asked("show", "run", "\(run)", "-o", "json").document().object
                    )
                    #expect(shown["state"] == "parked")
                    let wait = try #require(shown["waits"]?.array?.first?.object)
                    #expect(wait["action"] == "print" && wait["state"] == "parked")
                    #expect(wait["reason"]?.string?.hasSuffix(": out of paper") == true)
                    let text = try await worker.asked("show", "run", "\(run)").output.map(\.words)
                    #expect(text.contains(["state", "parked"]))
                    #expect(
                        text.contains { $0.prefix(6) == ["waits", "action", "print", "state", "parked", "reason"] }
                    )
                    let listed = try await worker.asked("list", "runs").output.map(\.words)
                    #expect(listed.first == ["RUN", "PIPELINE", "STATE", "AGE", "REQUESTER", "DETAIL"])
                    let row = try #require(listed.last)
                    #expect(
                        row[1...2] == ["printing", "parked"]
                            && row[4...].joined(separator: " ") == "local print: exit status 3: out of paper"
                    )
                    let stuck = try await worker.asked("stuck").output.map(\.words)
                    #expect(stuck.last?.suffix(3) == ["forgebus", "redrive", "\(run)"], "\(stuck)")
                    #expect(
                        try await worker.asked("list", "runs", "--state", "parked", "--newest", "-o", "jsonl").output
                            .count == 1
                    )
                    #expect(try await worker.asked("list", "runs", "--state", "lost").output == ["no runs match"])
                    let standing = try await worker.asked("attach", run, "--wait", "0")
                    #expect(standing.code == 75)
                    #expect(
                        standing.output.prefix(2).map { $0.words.first } == ["parked", "print"]
                            && standing.output[1].hasSuffix("exit status 3: out of paper")
                    )
                    let advice = "`forgebus redrive \(run)"
                    #expect(standing.output.dropFirst(2).map { $0.contains(advice) } == [true], "\(standing)")

                    try worker.directory.write("", to: "paper")
                    #expect(try await worker.asked("redrive", run, "--id", "again").code == 0)
                }
                #expect(attached.code == 0, "\(attached)")
                #expect(attached.output.contains("redriven   print"))
                #expect(attached.output.contains("completed  \(run)"))
                #expect(
                    try worker.directory.lines("course") == ["before", "\(run)/print 1", "\(run)/print 2", "after"]
                )

                let twice = try await worker.asked("redrive", run)
                #expect(twice.code == 2)
                #expect(twice.errors.first?.hasPrefix("forgebus: not_parked: ") == true)
                #expect(try await worker.asked("redrive", run, "--id", "again").code == 0)
            }
        }

        @Test("what was rejected is run again, approved, and then again; a named signal belongs to its first run")
        func everyday() async throws {
            let yaml = #"""
                pipelines:
                  deploy:
                    seeds: {version: {type: string, required: true}}
                    actions:
                      - {id: approve, gate: {message: "Deploy {seed.version}?"}}
                      - {id: roll-out, run: [/bin/sh, -c, 'echo out >> course']}
                  named:
                    seeds: {version: {type: string, required: true}}
                    actions:
                      - {id: approve, gate: {signal: "named.{seed.version}.approve"}}
                """#
            let outcome = try await WorkerProcess.serve(yaml) { worker in
                for (verb, end) in [("reject", 1), ("approve", 0), ("approve", 0)] as [(String, Int32)] {
                    let waiting = try await worker.asked("run", "deploy", "version=1.2.3", "--wait", "5")
                    #expect(waiting.code == 75, "\(waiting)")
                    let run = String(try #require(waiting.output.first?.words.dropFirst().first))
                    #expect(try await worker.asked(verb, run).code == 0)
                    #expect(try await worker.asked("attach", run).code == end)
                }
                #expect(try worker.directory.lines("course") == ["out", "out"])

                let first = try await worker.asked("run", "named", "version=7", "--wait", "5")
                let owner = String(try #require(first.output.first?.words.dropFirst().first))
                for verb in ["show", "reject"] {
                    if verb == "reject" { #expect(try await worker.asked(verb, owner).code == 0) }
                    let taken = try await worker.asked("run", "named", "version=7")
                    let error = taken.errors.joined(separator: " ")
                    #expect(taken.code == 2 && error.contains("id_taken: ") && error.contains(owner), "\(taken)")
                    // Until when: this worker keeps an ended signal for a week.
                    #expect(error.contains(verb == "reject" ? "in 6 days" : "7 days after"), "\(taken)")
                }
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("run --wait ends with the run, or in time and says what that waits for")
        func patience() async throws {
            try await expectGoodEnd { worker in
                let waiting = try await worker.asked("run", "deploy", "version=3", "--wait", "5")
                #expect(waiting.code == 75, "\(waiting)")
                let run = try #require(waiting.output.first?.words.dropFirst().first)
                let end = waiting.output.suffix(3)
                #expect(end.first?.words.prefix(2) == ["waiting", run], "\(waiting)")
                #expect(end.dropFirst().first == "approve    waits for deploy.3.approve", "\(waiting)")
                #expect(end.last?.contains("`forgebus approve deploy.3.approve") == true, "\(waiting)")
                let taken = try await worker.asked("run", "deploy", "version=3")
                #expect(taken.code == 2)
                #expect(taken.errors.first?.contains("id_taken: ") == true, "\(taken)")
                #expect(taken.errors.first?.contains(run) == true, "\(taken)")
                #expect(try await worker.asked("complete", "deploy.3.approve").code == 0)
                let failed = try await worker.asked("run", "fail", "--wait", "60", "-o", "json")
                #expect(failed.code == 1)
                let told = try #require(try failed.document().array).compactMap(\.object)
                #expect(told.map { $0["event"] } == ["accepted", "started", "finished", "result"], "\(told)")
                let now = try await worker.asked("run", "deploy", "version=4", "--wait", "0", "-o", "jsonl")
                #expect(now.code == 75)
                #expect(try now.objects().first?["event"] == "accepted")
                #expect(try now.objects().last?["event"] == "state")
                #expect(try await worker.asked("run", "fail", "--wait", "1", "--detach").code == 64)
            }
        }

        @Test("attach tells how a run stands after --wait, and ends with it as run does")
        func attach() async throws {
            try await expectGoodEnd { worker in
                let gated = try await worker.begun("deploy", "version=1")
                try await worker.waits(at: "deploy.1.approve")
                let patient = try await worker.asked("attach", gated, "--wait", "0.2", "-o", "json")
                #expect(patient.code == 75)
                let told = try #require(try patient.document().array).compactMap(\.object)
                #expect(told.map { $0["event"] } == ["attached", "state"])
                #expect(told.map { $0["state"] } == ["waiting", "waiting"])

                let attached = try await worker.asked(["attach", gated, "-o", "jsonl"]) { attached in
                    try await attached.output.first(containing: "attached")
                    #expect(try await worker.asked("complete", "deploy.1.approve").code == 0)
                }
                #expect(attached.code == 0)
                let result = try #require(try attached.objects().last)
                #expect(result["state"] == "completed")
                #expect(result["actions"]?.array?.count == 2)

                let failed = try await worker.begun("fail")
                let outcome = try await worker.asked("attach", failed)
                #expect(outcome.code == 1)
                #expect(outcome.output.contains("failed     \(failed)  try: exit status 4: no luck"))
                // The table of the actions does not repeat the reason.
                #expect(outcome.output.last?.words.first == "try", "\(outcome)")
                #expect(outcome.output.last?.contains("no luck") == false, "\(outcome)")
            }
        }

        @Test("cancel ends a run, and says of one that has ended how it did")
        func cancel() async throws {
            try await expectGoodEnd { worker in
                let run = try await worker.begun("deploy", "version=1")
                let attached = try await worker.asked(["attach", run]) { attached in
                    try await attached.output.first(containing: "attached")
                    #expect(try await worker.asked("cancel", run, "not today", "--id", "stop").code == 0)
                }
                #expect(attached.code == 1)
                let end = attached.output.first { $0.hasPrefix("cancelled  \(run)  ") }
                #expect(end?.hasSuffix(": not today") == true, "\(attached)")
                #expect(!worker.directory.has("deployed"))

                let again = try await worker.asked("cancel", run, "-o", "json")
                #expect(again.code == 0)
                #expect(try again.document().object?["state"] == "cancelled")
                let conflict = try await worker.asked("cancel", run, "another reason", "--id", "stop")
                #expect(conflict.code == 2)

                let done = try #require(
                    try await worker.asked("run", "fail", "-o", "jsonl").objects().last?["run"]?.string
                )
                let late = try await worker.asked("cancel", done)
                #expect(late.code == 0)
                #expect(late.output.first?.words.prefix(2) == ["failed", done[...]])
            }
        }

        @Test("show tells of a signal, a monitor and a pipeline")
        func show() async throws {
            try await expectGoodEnd { worker in
                let run = try await worker.begun("deploy", "version=1")
                try await worker.waits(at: "deploy.1.approve")
                let signal = try await worker.asked("show", "signal", "deploy.1.approve").output.map(\.words)
                #expect(signal.contains(["state", "waiting"]))
                #expect(signal.contains(["owner", "\(run)/approve"]))
                let monitor = try await worker.asked("show", "monitor", "shelf", "-o", "json").document().object
                #expect(monitor?["topics"] == ["stock.>"])
                let pipeline = try await worker.asked("show", "pipeline", "echo").output.map(\.words)
                #expect(pipeline.filter { $0.contains("type") }.count == 3)
                #expect(try await worker.asked("cancel", run).code == 0)
            }
        }
    }
}

extension WorkerProcess {
    /// Begins a run and does not wait for it.
    ///
    /// - Returns: Its id.
    func begun(_ pipeline: String, _ seeds: String...) async throws -> String {
        let outcome = try await Forgebus.run(
            ["run", pipeline] + seeds + ["--detach", "-o", "json"],
            environment: ["FORGEBUS_ENDPOINT": endpoint]
        )
        return try #require(try outcome.document().object?["run"]?.string, "\(outcome)")
    }
}
