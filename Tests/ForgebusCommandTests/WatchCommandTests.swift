import ForgeBusProtocol
import Foundation
import Testing

extension CommandLineTests {
    @Suite("watch and hello")
    struct WatchCommandTests {
        @Test("watch tells each state of what its pattern means, from when it says so, and ends after --count")
        func watch() async throws {
            try await expectGoodEnd { worker in
                let watched = try await worker.asked(["watch", "run.echo.>", "--count", "3", "-o", "jsonl"]) { watch in
                    try await watch.errors.first(containing: "watching run.echo.>")
                    #expect(try await worker.asked("run", "fail").code == 1)
                    #expect(try await worker.asked("run", "echo", "text=a").code == 0)
                }
                #expect(watched.code == 0)
                let events = try watched.objects()
                #expect(events.map { $0["body"]?.object?["state"] } == ["queued", "running", "completed"])
                #expect(events.map { $0["sequence"] } == [1, 2, 3])
                #expect(events.allSatisfy { $0["subject"]?.string?.hasPrefix("run.echo.run-") == true })
                #expect(events.allSatisfy { $0["lost"] == 0 })
            }
        }

        @Test("watch tells people a line for each event, and with a count its events are one document")
        func forms() async throws {
            try await expectGoodEnd { worker in
                let text = try await worker.asked(["watch", "run.>"]) { watch in
                    try await watch.errors.first(containing: "watching")
                    #expect(try await worker.asked("complete", "deploy.1.approve", "--early").code == 0)
                    #expect(try await worker.asked("run", "deploy", "version=1").code == 0)
                    try await watch.output.first(containing: "completed")
                    watch.send(15)
                }
                #expect(text.output.contains { $0.words.dropFirst().first == "running" })
                #expect(
                    text.output.last?.wholeMatch(of: /\d{4}-\S+Z  completed  run\.deploy\.run-\S+/) != nil,
                    "\(text)"
                )
                let document = try await worker.asked(["watch", "run.>", "--count", "2", "-o", "json"]) { watch in
                    try await watch.errors.first(containing: "watching")
                    #expect(try await worker.asked("run", "echo", "text=a").code == 0)
                }
                #expect(try document.document().array?.count == 2)
            }
        }

        @Test("watch says of a monitor that fails why it does, and when it tries again")
        func failing() async throws {
            try await expectGoodEnd { worker in
                try worker.directory.write("", to: "broken-now")
                let text = try await worker.asked(["watch", "monitor.broken"]) { watch in
                    try await watch.errors.first(containing: "watching")
                    #expect(try await worker.asked("notify", "broken").code == 0)
                    let line = try await watch.output.first(containing: "owed")
                    let parts = line.components(separatedBy: "; next cycle at ")
                    let told = /\S+Z  owed       monitor\.broken  failed( \d+ times in a row)?: mend: .*out of glue/
                    #expect(parts.first?.wholeMatch(of: told) != nil, "\(line)")
                    #expect(parts.last?.wholeMatch(of: /\d{4}-\S+Z/) != nil, "\(line)")
                    watch.send(SIGINT)
                }
                #expect(text.code == 130, "\(text)")
                let watched = try await worker.asked(["watch", "monitor.broken", "--count", "2", "-o", "jsonl"]) {
                    watch in
                    try await watch.errors.first(containing: "watching")
                    #expect(try await worker.asked("notify", "broken").code == 0)
                }
                let events = try watched.objects().compactMap { $0["body"]?.object }
                let owed = try #require(events.first { $0["state"] == "owed" }, "\(events)")
                #expect(owed["failures"]?.integer ?? 0 > 1)
                #expect(owed["reason"]?.string?.contains("out of glue") == true)
                #expect(try #require(owed["next_at_ms"]?.integer) > #require(owed["failed_at_ms"]?.integer))
            }
        }

        @Test("hello tells who the worker is, what its word is worth, and its limits")
        func hello() async throws {
            try await expectGoodEnd { worker in
                let text = try await worker.asked("hello")
                #expect(text.code == 0)
                #expect(text.output.first == "tester is ready")
                #expect(text.output.map(\.words).contains(["json_depth", "64"]))
                let json = try await worker.asked("hello", "-o", "json").document().object
                #expect(json?["versions"] == [1])
                #expect(json?["durability"] == "fsynced")
                #expect(json?["retention_ms"] == 86_400_000)
                let store = try #require(json?["store"]?.string)
                #expect(text.output.map(\.words).contains(["store", "id", store[...]]))
                #expect(json?["limits"]?.object?["slots"] == 256)
            }
        }
    }
}
