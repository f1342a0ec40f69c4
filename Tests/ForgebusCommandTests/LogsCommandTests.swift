import Foundation
import Testing

extension CommandLineTests {
    @Suite("forgebus logs")
    struct LogsCommandTests {
        private static let yaml = """
            pipelines:
              deploy:
                seeds: {version: {type: string}}
                actions:
                  - {id: test, run: [sh, -c, 'echo "812 tests pass"; printf "\\033[31mred\\n" >&2']}
                  - {id: quiet, run: ["true"]}
                  - id: push
                    run: [sh, -c, 'echo "attempt $FORGE_ATTEMPT"; test "$FORGE_ATTEMPT" = 3']
                    retry: {attempts: 2, backoff: 0s}
                    on_failure: park
                  - {id: flood, run: [sh, -c, 'head -c 70000 /dev/zero | tr "\\0" x; echo; echo end']}
            """

        @Test("follows a run: tells each attempt once when it has ended, and ends with the run")
        func follow() async throws {
            let yaml = """
                pipelines:
                  deploy:
                    actions:
                      - {id: one, run: [echo, first]}
                      - {id: approve, gate: {message: "Go on?"}}
                      - {id: two, run: [echo, second]}
                """
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    #expect(try await worker.asked("run", "deploy", "--detach").code == 0)
                    let run = try #require(try await worker.asked("list", "runs", "-o", "jsonl").objects().first)
                    let id = try #require(run["run"]?.string)
                    while try await worker.asked("gates", id).code != 0 {}
                    async let followed = worker.asked("logs", id, "--follow")
                    #expect(try await worker.asked("approve", id).code == 0)
                    let logs = try await followed
                    #expect(logs.output.filter { !$0.hasPrefix("──") } == ["  first", "  second"] && logs.code == 0)
                    let over = try await worker.asked("logs", id, "two", "--follow", "-o", "jsonl")
                    #expect(try over.objects().map { $0["output"]?.string } == ["second\n"])
                    #expect(try await worker.asked("logs", "run-0", "--follow").errors.count > 0)
                }
            }
        }

        @Test("shows what each attempt printed, also after the worker was killed, and of one action alone")
        func attempts() async throws {
            try await withScratch { directory in
                _ = try await WorkerProcess.serve(Self.yaml, in: directory) { worker in
                    let run = try await worker.asked("run", "deploy", "version=1", "--id", "once", "--detach")
                    #expect(run.code == 0, "\(run)")
                    while try await !worker.asked("list", "runs").output.contains(where: { $0.contains("parked") }) {}
                    worker.stop(SIGKILL)
                }
                _ = try await WorkerProcess.serve(Self.yaml, in: directory) { worker in
                    let run = try #require(try await worker.asked("list", "runs", "-o", "jsonl").objects().first)
                    let id = try #require(run["run"]?.string)
                    let logs = try await worker.asked("logs", id)
                    let heads = logs.output.filter { $0.hasPrefix("──") }.map { $0.split(separator: ", ") }
                    #expect(
                        heads.map { $0.prefix(2).joined(separator: ", ") } == [
                            "── test, attempt 1", "── standard error", "── push, attempt 1", "── push, attempt 2",
                        ]
                    )
                    #expect(
                        heads.map { $0.last ?? "" }.suffix(2)
                            == [1, 2].map { "failed: exit status 1; last line: attempt \($0)" }
                    )
                    #expect(
                        logs.output.filter { !$0.hasPrefix("──") }
                            == ["  812 tests pass", #"  \u{1b}[31mred"#, "  attempt 1", "  attempt 2"]
                    )
                    #expect(logs.output[2] == "── standard error")
                    let shown = try await worker.asked("show", "run", "\(id)")
                    #expect(shown.output.contains { $0.contains("exit status 1: attempt 2") }, "\(shown)")

                    #expect(try await worker.asked("redrive", id).code == 0)
                    let over = try await worker.asked("attach", id)
                    #expect(over.code == 0, "\(over)")
                    #expect(try await worker.asked("logs", id, "push").output.last == "  attempt 3")
                    let flood = try await worker.asked("logs", id, "flood").output
                    #expect(flood[1].contains(" 4469 ") && flood.last == "  end")
                    let one = try await worker.asked("logs", id, "quiet").output
                    #expect(one.count == 1 && one[0].contains("\"quiet\"") && one[0].hasSuffix(": test, push, flood."))
                    let json = try await worker.asked("logs", id, "test", "-o", "json").objects()
                    #expect(json.first?["entries"]?.array?.first?.object?["output"]?.string == "812 tests pass\n")
                    #expect(try await worker.asked("logs", "run-0").errors.first?.contains("unknown_run") == true)
                }
            }
        }
    }
}
