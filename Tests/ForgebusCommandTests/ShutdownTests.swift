import Foundation
import Scorecard
import Testing

extension CommandLineTests {
    @Suite("A worker that is told to stop", .scorecard(20))
    struct ShutdownTests {
        @Test("exits 0", arguments: [SIGTERM, SIGINT])
        func idle(_ signal: Int32) async throws {
            let outcome = try await WorkerProcess.serve { worker in worker.stop(signal) }
            #expect(outcome.code == 0)
            #expect(outcome.errors.last?.hasSuffix("stopped") == true)
        }

        @Test(
            "finishes the run that is under way, refuses new ones as retryable, and exits 0",
            arguments: [SIGTERM, SIGINT]
        )
        func underWay(_ signal: Int32) async throws {
            let outcome = try await WorkerProcess.serve { worker in
                worker.directory.makePipe("begun")
                worker.directory.makePipe("release")
                let run = try await worker.asked(["run", "hold"]) { _ in
                    try await worker.directory.read("begun")
                    worker.stop(signal)
                    try await worker.process.errors.first(containing: "draining")
                    let late = try await worker.askedImpatiently("run", "echo", "text=late")
                    #expect(late.code == 75)
                    #expect(late.errors.first?.hasPrefix("forgebus: draining: ") == true, "\(late)")
                    try await worker.directory.release("release")
                }
                #expect(run.code == 0)
                #expect(run.output.last == #"outputs    {"held":true}"#)
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("without a store takes decisions as long as another run executes")
        func waitingRun() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--store", "memory"]) { worker in
                worker.directory.makePipe("begun")
                worker.directory.makePipe("release")
                let held = try await worker.asked(["run", "hold"]) { _ in
                    try await worker.directory.read("begun")
                    let run = try await worker.asked(["run", "deploy", "version=7"]) { run in
                        try await run.output.first(containing: "waiting")
                        worker.stop(SIGTERM)
                        try await worker.process.errors.first(containing: "draining")
                        #expect(try await worker.asked("complete", "deploy.7.approve").code == 0)
                    }
                    #expect(run.code == 0, "\(run)")
                    #expect(worker.directory.has("deployed"))
                    try await worker.directory.release("release")
                }
                #expect(held.code == 0, "\(held)")
            }
            #expect(outcome.code == 0)
        }

        @Test("without a store does not wait for a run that only waits, and says that it is lost")
        func lostRun() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--store", "memory", "--drain", "3600"]) { worker in
                let run = try await worker.asked(["run", "deploy", "version=7", "-o", "jsonl"]) { run in
                    try await run.output.first(containing: "waiting")
                    worker.stop(SIGTERM)
                    try await worker.process.errors.first(containing: "stopped")
                }
                #expect(run.code == 1, "\(run)")
                #expect(try run.objects().last?["state"] == "lost", "\(run)")
            }
            #expect(outcome.code == 0)
            #expect(outcome.errors.contains { $0.contains("a run is lost") }, "\(outcome)")
        }

        @Test("does not wait for people: a run at a gate is left to the worker that takes its place")
        func patientRun() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--drain", "3600"]) { worker in
                #expect(try await worker.asked("run", "deploy", "version=7", "--detach").code == 0)
                try await worker.waits(at: "deploy.7.approve")
                worker.stop(SIGTERM)
                try await worker.process.errors.first(containing: "stopped")
                #expect(!worker.directory.has("deployed"))
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("without a store tells that a run that did not end in time is lost, and ends its command")
        func drainTimeEnds() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--drain", "0.2", "--store", "memory"]) { worker in
                for pipe in ["begun", "release", "alive"] { worker.directory.makePipe(pipe) }
                async let commandEnds: Void = worker.directory.read("alive")
                let run = try await worker.asked(["run", "hold", "-o", "jsonl"]) { _ in
                    try await worker.directory.read("begun")
                    worker.stop(SIGTERM)
                    try await worker.process.errors.first(containing: "stopped")
                }
                #expect(run.code == 1)
                #expect(try run.objects().last?["state"] == "lost", "\(run)")
                // A command that outlives its worker runs into the time limit of the suite.
                try await commandEnds
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("ends the command of a monitor that did not end in time, and exits 0")
        func cycleUnderWay() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--drain", "0.2"]) { worker in
                #expect(try await worker.asked("notify", "slow", "--wait").code == 0)
                for pipe in ["dawdling", "gate", "alive"] { worker.directory.makePipe(pipe) }
                async let commandEnds: Void = worker.directory.read("alive")
                #expect(try await worker.asked("notify", "slow").code == 0)
                try await worker.directory.read("dawdling")
                worker.stop(SIGTERM)
                // A command that outlives its worker runs into the time limit of the suite.
                try await commandEnds
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("does not wait for a peer that takes no answers")
        func deadPeer() async throws {
            let outcome = try await WorkerProcess.serve(arguments: ["--drain", "5"]) { worker in
                let peer = try RawPeer(worker.endpoint)
                let echo = [UInt8](repeating: 0x78, count: 64 * 1024)
                // More than the connection and the queues in between hold: answers are left in the worker.
                for number in 0..<512 {
                    try peer.send(["FORGE/1 PING", "p-\(number)", "", ""].map { Array($0.utf8) } + [echo])
                }
                #expect(try await worker.asked("ping").code == 0)
                worker.stop(SIGTERM)
                try await worker.process.errors.first(containing: "stopped")
                peer.close()
            }
            #expect(outcome.code == 0, "\(outcome)")
        }
    }
}
