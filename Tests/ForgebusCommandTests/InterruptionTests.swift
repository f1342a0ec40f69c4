import ForgeBusClient
import ForgeBusProtocol
import Foundation
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("A command that is told to end")
    struct InterruptionTests {
        @Test("leaves its run going, and says how to attach to it again")
        func run() async throws {
            try await expectGoodEnd { worker in
                let left = try await worker.asked(["run", "deploy", "version=1"]) { run in
                    try await run.output.first(containing: "waiting")
                    run.send(SIGINT)
                }
                #expect(left.code == 130)
                let run = try #require(left.output.first?.words.dropFirst().first)
                #expect(left.errors.first?.hasPrefix("forgebus: interrupted: ") == true, "\(left)")
                #expect(left.errors.last?.contains("`forgebus attach \(run)`") == true, "\(left)")
                let attached = try await worker.asked(["attach", String(run)]) { attached in
                    try await attached.output.first(containing: "attached")
                    attached.send(SIGTERM)
                }
                #expect(attached.code == 143)
                #expect(attached.errors == left.errors)
                #expect(try await worker.asked("complete", "deploy.1.approve").code == 0)
                #expect(try await worker.asked("attach", String(run)).code == 0)
            }
        }

        @Test("says beforehand that nobody listens, where, and how long it still tries")
        func awaited() async throws {
            let directory = try Scratch()
            defer { directory.remove() }
            let endpoint = "ipc://\(directory.path)/nobody.ipc"
            for arguments in [["run", "echo", "text=a"], ["attach", "run-1"], ["watch", "run.>"], ["ping"]] {
                // The patience is longer than this test may last.
                let outcome = try await Forgebus.start(arguments + ["-e", endpoint, "--patience", "3600"]) { command in
                    let line = try await command.errors.first(containing: "no worker answers")
                    #expect(line.contains(endpoint) && line.contains(#/ 3\d\d\d s .*--patience/#), "\(line)")
                    command.send(SIGINT)
                }.outcome
                #expect(outcome.code == 130)
                #expect(outcome.errors.count { $0.contains("no worker answers") } == 1)
            }
        }

        @Test("names the endpoint it was given, in words that a shell takes")
        func endpoint() async throws {
            try await expectGoodEnd { worker in
                let left = try await Forgebus.start(["watch", "run.>", "-e", worker.endpoint]) { watch in
                    try await watch.errors.first(containing: "watching")
                    watch.send(SIGINT)
                }.outcome
                #expect(left.code == 130)
                #expect(left.errors.last?.contains("`forgebus watch 'run.>' -e \(worker.endpoint)`") == true, "\(left)")
                #expect(left.errors.last?.contains("`forgebus attach RUN -e \(worker.endpoint)`") == true, "\(left)")
            }
        }

        @Test("ends its document with the error")
        func document() async throws {
            try await expectGoodEnd { worker in
                let left = try await worker.asked(["watch", "run.>", "--count", "9", "-o", "json"]) { watch in
                    try await watch.errors.first(containing: "watching")
                    watch.send(SIGINT)
                }
                #expect(left.code == 130)
                #expect(try left.document().array?.map { $0.object?["error"] } == ["interrupted"])
            }
        }

        @Test("leaves a cycle going that it waits for")
        func notification() async throws {
            try await expectGoodEnd { worker in
                #expect(try await worker.asked("notify", "slow", "--wait").code == 0)
                for pipe in ["dawdling", "gate"] { worker.directory.makePipe(pipe) }
                let left = try await worker.asked(["notify", "slow", "--wait"]) { notify in
                    try await worker.directory.read("dawdling")
                    notify.send(SIGINT)
                }
                #expect(left.code == 130)
                #expect(left.errors.first?.hasPrefix("forgebus: interrupted: ") == true)
                try await worker.directory.release("gate")
            }
        }

        @Test("names the id under which its request can be sent again")
        func request() throws {
            let error = BusError.interrupted(try RequestID("my-run"))
            #expect(error.message.contains("my-run") && error.next.contains("--id my-run"))
        }

        @Test("names that id, too, if no answer comes in time", arguments: [ErrorCode.timeout, .closed, .busy])
        func unanswered(_ code: ErrorCode) throws {
            let error = BusError(code, "It failed.", next: "Wait. Then \(BusError.again)")
            let isUnknown = code != .busy
            let told = error.withID(of: try RequestID("my-run"))
            #expect(told.next.contains("--id my-run") == isUnknown)
            #expect((told.next == error.next) == !isUnknown)
            #expect(!error.withID(of: nil).next.contains("--id"))
        }
    }
}
