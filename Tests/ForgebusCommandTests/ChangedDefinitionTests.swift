import ForgeBusProtocol
import Foundation
import Testing

extension CommandLineTests {
    @Suite("Runs that wait while the worker's file changes")
    struct ChangedDefinitionTests {
        static let yaml = """
            pipelines:
              deploy:
                seeds:
                  version: {type: string, required: true}
                actions:
                  - {id: test, run: [touch, tested]}
                  - {id: approve, gate: {signal: "deploy.{seed.version}.approve"}}
                  - {id: rollout, run: [touch, deployed]}
            """
        /// With a time limit for the action that each waiting run has completed.
        static let slower = yaml.replacing("[touch, tested]", with: "[touch, tested], timeout: 5s")
        /// With another command for the action that each waiting run has ahead of it.
        static let other = yaml.replacing("[touch, deployed]", with: "[touch, deployed-otherwise]")

        /// Serves the pipeline until two of its runs wait at their gates.
        private func leaveTwoRuns(
            in directory: Scratch,
            _ body: @Sendable (WorkerProcess) async throws -> Void = { _ in }
        ) async throws {
            let outcome = try await WorkerProcess.serve(Self.yaml, in: directory) { worker in
                for version in ["1", "2"] {
                    let run = try await worker.asked("run", "deploy", "version=\(version)", "--id", version, "--detach")
                    #expect(run.code == 0, "\(run)")
                    try await worker.waits(at: "deploy.\(version).approve")
                }
                try await body(worker)
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        private func check(_ yaml: String, in directory: Scratch, _ more: String...) async throws -> Forgebus.Outcome {
            let file = try directory.write(yaml, to: "worker.yaml")
            let words = ["worker", "--check", "--config", file] + more
            let outcome = try await Forgebus.run(words, environment: directory.stateHome)
            #expect(outcome.code == 0, "\(outcome)")
            return outcome
        }

        @Test("go on after their approval if only an action that they have completed changed")
        func behind() async throws {
            try await withScratch { directory in
                try await leaveTwoRuns(in: directory)
                let foretold = try await check(Self.slower, in: directory)
                #expect(!foretold.output.contains { $0.contains("parked") }, "\(foretold)")
                let outcome = try await WorkerProcess.serve(Self.slower, in: directory) { worker in
                    try await worker.waits(at: "deploy.1.approve")
                    let verdict = try await worker.asked("complete", "deploy.1.approve")
                    #expect(verdict.output.first?.words.first == "delivered", "\(verdict)")
                    let run = try await worker.asked("run", "deploy", "version=1", "--id", "1")
                    #expect(run.code == 0, "\(run)")
                    #expect(worker.directory.has("deployed"))
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        @Test("are parked if an action ahead of them changed, as --check foretold; one command redrives all")
        func ahead() async throws {
            try await withScratch { directory in
                try await leaveTwoRuns(in: directory)
                let foretold = try await check(Self.other, in: directory).output.filter { $0.contains("parked") }
                #expect(foretold.count == 2)
                #expect(
                    foretold.allSatisfy { line in
                        ["run-", "\"deploy\"", "\"rollout\""].allSatisfy { line.contains($0) }
                    },
                    "\(foretold)"
                )
                let outcome = try await WorkerProcess.serve(Self.other, in: directory) { worker in
                    let listed = try await worker.asked("list", "runs").output.dropFirst().map(\.words)
                    #expect(listed.map { $0.contains("parked") } == [true, true])
                    let verdict = try await worker.asked("complete", "deploy.1.approve", "--id", "yes")
                    let said = verdict.output.first ?? ""
                    #expect(verdict.code == 0 && said.hasPrefix("delivered "), "\(verdict)")
                    for part in ["parked", "\"rollout\"", "forgebus show signal ", "forgebus redrive RUN"] {
                        #expect(said.contains(part), "\(said)")
                    }
                    let again = try await worker.asked("complete", "deploy.1.approve", "--id", "yes")
                    #expect(again.output == [said])
                    try await redriveAll(worker)
                    let run = try await worker.asked("run", "deploy", "version=1", "--id", "1")
                    #expect(run.code == 0, "\(run)")
                    #expect(worker.directory.has("deployed-otherwise") && !worker.directory.has("deployed"))
                    try await worker.waits(at: "deploy.2.approve")
                    let cancelled = try await worker.asked(
                        "cancel",
                        "--all",
                        "--pipeline",
                        "deploy",
                        "--reason",
                        "enough",
                        "--expect",
                        "1"
                    )
                    #expect(cancelled.output == ["1 run cancelled"], "\(cancelled)")
                }
                #expect(outcome.code == 0, "\(outcome)")
            }
        }

        private func redriveAll(_ worker: WorkerProcess) async throws {
            let asked = try await worker.asked("redrive", "--all", "--pipeline", "deploy")
            #expect(asked.code == 2)
            #expect(asked.output.count == 1 && asked.output[0].hasPrefix("2 runs match"))
            #expect(asked.output[0].hasSuffix("`forgebus redrive --all --pipeline deploy --expect 2`"))
            let wrong = try await worker.asked("redrive", "--all", "--pipeline", "deploy", "--expect", "3")
            #expect(wrong.code == 2 && wrong.errors.first?.contains("count_differs") == true, "\(wrong)")
            let none = try await worker.asked("redrive", "--all", "--pipeline", "other", "--state", "parked")
            #expect(none.code == 2 && none.output.count == 1, "\(none)")
            let done = try await worker.asked("redrive", "--all", "--state", "parked", "--expect", "2", "-o", "json")
            #expect(try done.document().object == ["count": 2], "\(done)")
        }

        @Test("are foretold from a backup while a worker uses the store, and nothing is said where there is no store")
        func backup() async throws {
            try await withScratch { directory in
                let none = try await check(Self.other, in: directory)
                #expect(!none.output.contains { $0.contains("parked") }, "\(none)")
                try await leaveTwoRuns(in: directory) { worker in
                    let used = try await check(Self.other, in: directory).output.last ?? ""
                    for part in ["process \(worker.process.number)", "`forgebus store backup BACKUP`"] {
                        #expect(used.contains(part), "\(used)")
                    }
                    let made = try await worker.asked("store", "backup", "copy", "-o", "json").document().object
                    let path = try #require(made?["path"]?.string)
                    let before = try Data(contentsOf: URL(filePath: path))
                    let foretold = try await check(Self.other, in: directory, "--store", path)
                    #expect(foretold.output.count { $0.contains("would be parked") } == 2, "\(foretold)")
                    #expect(try Data(contentsOf: URL(filePath: path)) == before)
                    #expect(!FileManager.default.fileExists(atPath: path + ".lock"), "nothing is left beside it")
                }
            }
        }

        @Test("are named one by one or by a filter, not both and not neither")
        func usage() async throws {
            for words in [
                ["redrive"], ["redrive", "run-1", "--all", "--state", "parked"], ["redrive", "--all"],
                ["redrive", "run-1", "--pipeline", "p"], ["cancel", "--all", "--pipeline", "p", "--expect", "10001"],
                ["cancel", "run-1", "--reason", "x"], ["cancel", "--all", "--state", "completed"],
            ] {
                let outcome = try await Forgebus.run(words)
                #expect(outcome.code == 64, "\(words) \(outcome)")
            }
        }
    }
}
