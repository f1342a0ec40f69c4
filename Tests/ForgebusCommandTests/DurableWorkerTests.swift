import ForgeBusProtocol
import Foundation
import Testing

extension CommandLineTests {
    @Suite("A worker that takes the place of another")
    struct DurableWorkerTests {
        /// Serves from the same directory once more, and expects the worker to end well.
        func serveAgain(in directory: Scratch, _ body: @Sendable (WorkerProcess) async throws -> Void) async throws {
            let outcome = try await WorkerProcess.serve(in: directory, body: body)
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("goes on with a run that waited when the other was killed, and the same request gets its result")
        func killed() async throws {
            try await withScratch { directory in
                let first = try await WorkerProcess.serve(in: directory) { worker in
                    let started = try await worker.asked("run", "deploy", "version=1", "--id", "once", "--detach")
                    #expect(started.output.first?.hasSuffix("(fsynced; request once)") == true, "\(started)")
                    try await worker.waits(at: "deploy.1.approve")
                    worker.stop(SIGKILL)
                }
                #expect(first.status == .signaled(SIGKILL))
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    try await worker.waits(at: "deploy.1.approve")
                    #expect(try await worker.asked("complete", "deploy.1.approve", #"{"by":"ada"}"#).code == 0)
                    let run = try await worker.asked("run", "deploy", "version=1", "--id", "once", "-o", "jsonl")
                    #expect(run.code == 0, "\(run)")
                    #expect(try run.objects().last?["outputs"]?.description == #"{"approve":{"by":"ada"}}"#)
                    #expect(worker.directory.has("deployed"))
                    #expect(try await worker.asked("list", "runs", "-o", "jsonl").output.count == 1)
                    worker.stop(SIGKILL)
                }
                try await serveAgain(in: directory) { worker in
                    let listed = try await worker.asked("list", "runs", "-o", "jsonl").objects()
                    let id = try #require(listed.first?["run"]?.string)
                    let shown = try #require(try await worker.asked("show", "run", id, "-o", "json").objects().first)
                    #expect(shown["seeds"] == ["version": "1"] && shown["outputs"] == ["approve": ["by": "ada"]])
                    let asked = try #require(shown["signals"]?.array?.first?.object)
                    #expect(asked["state"] == "approved" && asked["value"] == ["by": "ada"], "\(shown)")
                    let lines = try await worker.asked("show", "run", id).output
                    #expect(lines.contains { $0.hasPrefix("seeds ") && $0.hasSuffix(" version=1") }, "\(lines)")
                }
            }
        }

        @Test("carries a run out again if the records of the other are gone, and the command that waits says so")
        func forgotten() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory, arguments: ["--store", "memory"]) { worker in
                    let run = try await worker.asked(["run", "deploy", "version=1"]) { run in
                        try await run.output.first(containing: "to decide deploy.1.approve")
                        worker.stop(SIGKILL)
                        let second = try await WorkerProcess.serve(in: directory, arguments: ["--store", "memory"]) {
                            try await $0.waits(at: "deploy.1.approve")
                            #expect(try await $0.asked("complete", "deploy.1.approve").code == 0)
                            try await run.output.first(containing: "outputs")
                        }
                        #expect(second.code == 0, "\(second)")
                    }
                    #expect(run.code == 0, "\(run)")
                    let ids = run.output.filter { ["accepted", "restarted"].contains($0.words.first) }.map {
                        $0.words[1]
                    }
                    #expect(Set(ids).count == 2, "\(run)")
                    let told = run.output.first { $0.hasPrefix("restarted  \(ids[1]) ") }
                    #expect(told?.contains(ids[0]) == true, "\(run)")
                }
            }
        }

        @Test("answers a decision that the other took with the same verdict, and another one with a conflict")
        func decided() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    let early = try await worker.asked("complete", "deploy.1.approve", "--early", "--id", "yes")
                    #expect(early.output.first?.hasPrefix("buffered ") == true, "\(early)")
                    worker.stop(SIGKILL)
                }
                try await serveAgain(in: directory) { worker in
                    let again = try await worker.asked("complete", "deploy.1.approve", "--early", "--id", "yes")
                    #expect(again.output.first?.hasPrefix("buffered ") == true, "\(again)")
                    #expect(try await worker.asked("reject", "deploy.1.approve").code == 2)
                    #expect(try await worker.asked("run", "deploy", "version=1").code == 0)
                }
            }
        }

        @Test(
            "executes an action again that the drain time of the other was too short for, and whoever waited learns it"
        )
        func drained() async throws {
            try await withScratch { directory in
                for pipe in ["begun", "release"] { directory.makePipe(pipe) }
                let first = try await WorkerProcess.serve(in: directory, arguments: ["--drain", "0.2"]) { worker in
                    let run = try await worker.asked("run", "hold", "--id", "held", "--detach")
                    #expect(run.code == 0, "\(run)")
                    try await worker.directory.read("begun")
                    worker.stop(SIGTERM)
                }
                #expect(first.code == 0, "\(first)")
                try await serveAgain(in: directory) { worker in
                    let run = try await worker.asked(["run", "hold", "--id", "held"]) { _ in
                        try await worker.directory.read("begun")
                        try await worker.directory.release("release")
                    }
                    #expect(run.code == 0, "\(run)")
                    #expect(run.output.last == #"outputs    {"held":true}"#)
                }
            }
        }

        @Test("parks a run whose action three workers did not survive, and a redrive takes it up again")
        func crashes() async throws {
            let yaml = """
                pipelines:
                  fatal:
                    actions:
                      - {id: wait, run: [/bin/sh, -c, "echo >begun; cat go-$FORGE_ATTEMPT"]}
                """
            try await withScratch { directory in
                for pipe in ["begun", "go-1", "go-2", "go-3", "go-4"] { directory.makePipe(pipe) }
                for attempt in 1...3 {
                    _ = try await WorkerProcess.serve(yaml, in: directory) { worker in
                        if attempt == 1 { _ = try await worker.begun("fatal") }
                        try await worker.directory.read("begun")
                        // An answer leaves behind what was to be written before it.
                        #expect(try await worker.asked("ping").code == 0)
                        worker.stop(SIGKILL)
                    }
                }
                let outcome = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    let runs = try await worker.asked("list", "runs", "-o", "jsonl").objects()
                    let run = try #require(runs.first?["run"]?.string)
                    let shown = try await worker.asked("show", "run", "\(run)", "-o", "json").document().object
                    #expect(shown?["state"] == "parked")
                    let wait = try #require(shown?["waits"]?.array?.first?.object)
                    #expect(wait["action"] == "wait" && wait["state"] == "parked")
                    #expect(wait["reason"]?.string?.contains("3 times") == true)
                    #expect(try await worker.asked("redrive", run).code == 0)
                    try await worker.directory.read("begun")
                    // The commands of the killed workers are no more, and this attempt has a number of its own.
                    try await worker.directory.release("go-4")
                    #expect(try await worker.asked("attach", run).code == 0)
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("parks a run whose pipeline is defined otherwise by then")
        func redefined() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    #expect(try await worker.asked("run", "deploy", "version=1", "--detach").code == 0)
                    try await worker.waits(at: "deploy.1.approve")
                }
                let other = TestWorker.yaml.replacing(
                    "run: [touch, deployed]",
                    with: "run: [touch, deployed-otherwise]"
                )
                let outcome = try await WorkerProcess.serve(other, in: directory) { worker in
                    let runs = try await worker.asked("list", "runs").output.dropFirst()
                    #expect(runs.map { $0.words.contains("parked") } == [true])
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("tells the actions of a monitor of what the other was told and no cycle covered")
        func owed() async throws {
            try await withScratch { directory in
                let yaml = """
                    monitors:
                      till:
                        topics: [sold.>]
                        minimum_gap: 0s
                        actions:
                          - id: count
                            run: [/bin/sh, -c, "cat >>causes; echo >>causes; test -e works"]
                    """
                _ = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    let bus = try RawPeer(worker.endpoint)
                    try bus.send(
                        ["FORGE/1 NOTIFY", "n-1", "sold.apples", #"{"durability":"fsynced"}"#, ""].map {
                            Array($0.utf8)
                        }
                    )
                    let answer = try bus.receive().map { String(decoding: $0, as: UTF8.self) }
                    #expect(answer[3] == #"{"durability":"fsynced","monitors":1}"#, "\(answer)")
                    worker.stop(SIGKILL)
                }
                try directory.write("", to: "causes")
                try directory.write("", to: "works")
                let outcome = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    let told = try await worker.asked("notify", "sold.pears", "--wait")
                    #expect(told.code == 0, "\(told)")
                    let causes = try directory.lines("causes")
                    #expect(causes.contains { $0.contains("sold.apples") }, "\(causes)")
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }
    }
}

extension WorkerProcess {
    /// Returns when somebody waits for the signal; a run says so before it is shown to wait.
    func waits(at signal: String) async throws {
        while try await !asked("list", "signals", "-o", "jsonl").objects().contains(where: {
            $0["signal"]?.string == signal
        }) {}
    }
}
