import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("The output")
    struct OutputTests {
        @Test("is with -o json one document: an object where one thing is told, an array where it may be more")
        func documents() async throws {
            try await expectGoodEnd { worker in
                let one = [
                    ["ping"], ["hello"], ["notify", "weather"], ["complete", "a.b"], ["show", "monitor/shelf"],
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
            }
            #expect(ended.code == 0)
        }
    }
}
