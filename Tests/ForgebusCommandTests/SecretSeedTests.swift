import ForgeBusProtocol
import ForgeLocks
import Foundation
import Testing

extension CommandLineTests {
    /// The actions of the run say a secret in every way that they have, and everything that leaves the worker is searched.
    @Suite("A secret seed")
    struct SecretSeedTests {
        private static let secret = "hunter2-hunter2"
        /// Writes the seed `token` of its input as two outputs.
        private static let echo = #"""
            t=$(sed 's/.*"token":"\([^"]*\)".*/\1/')
            printf '{"echoed":"got %s","nested":[{"%s":"%s"}]}' "$t" "$t" "$t"
            """#

        private static func yaml(_ script: String) -> String {
            """
            pipelines:
              deploy:
                seeds:
                  token: {type: string, required: true, secret: true}
                  user: {type: string, required: true}
                outputs: [echoed, nested, token]
                actions:
                  - {id: echo, run: [sh, \(script)]}
                  - {id: approve, gate: {signal: "deploy.{seed.user}", message: "{seed.user} sends {value.echoed}"}}
                  - {id: complain, requires: [], when: [sh, -c, 'cat >&2; exit 9'], run: ["true"]}
                  - {id: fail, requires: [], run: [sh, -c, 'cat >&2; exit 1']}
            """
        }

        @Test("is in no answer, history, log, export or stored result")
        func nowhere() async throws {
            try await withScratch { directory in
                let yaml = Self.yaml(try directory.write(Self.echo, to: "echo.sh"))
                let answers = Guarded([String]())
                let outcome = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    let told = try await Self.answers(of: worker)
                    answers.withLock { $0 = told }
                }
                #expect(outcome.code == 0, "\(outcome)")
                let told = answers.withLock { $0 }
                #expect(told.count { $0.contains("[secret]") } >= 6, "it did leave the worker: \(told)")
                for line in told + outcome.errors + outcome.output {
                    #expect(!line.contains(Self.secret), "\(line)")
                }
                #expect(outcome.errors.contains { $0.contains("no clear answer") && $0.contains("[secret]") })
            }
        }

        /// All that somebody who may do everything is told of a run with the secret.
        private static func answers(of worker: WorkerProcess) async throws -> [String] {
            let seeds = ["token=\(secret)", "user=ada"]
            let begun = try await worker.asked(["run", "deploy", "--detach", "-o", "jsonl"] + seeds) { _ in }
            let run = try #require(try begun.objects().first?["run"]?.string)
            try await worker.waits(at: "deploy.ada")
            let waiting = [
                ["gates"], ["list", "signals"], ["show", "signal", "deploy.ada"], ["show", "run", "\(run)"],
                ["attach", run, "--wait", "0"], ["explain", run],
            ]
            let over = [
                ["approve", "deploy.ada"], ["attach", run], ["show", "run", "\(run)"], ["list", "runs"],
                ["explain", run],
                ["logs", run], ["logs", run, "echo"], ["explain", "deploy.ada"], ["show", "pipeline", "deploy"],
                ["list", "pipelines"], ["audit", "export"],
                ["run", "deploy", "token=abc", "user=ada"], ["run", "deploy", "token:=5", "user=ada"],
            ]
            var lines = begun.output
            for words in waiting + over {
                for form in ["jsonl", "text"] {
                    let outcome = try await worker.asked(words + ["-o", form]) { _ in }
                    lines += outcome.output + outcome.errors
                }
            }
            return lines
        }
    }
}
