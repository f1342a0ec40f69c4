import Foundation
import Testing

extension CommandLineTests {
    @Suite("forgebus context")
    struct ContextCommandTests {
        /// A user with contexts of its own, and no variable that says where a worker is.
        private static func asked(_ home: Scratch, _ words: String...) async throws -> Forgebus.Outcome {
            try await asked(home, words)
        }

        private static func asked(
            _ home: Scratch,
            _ words: [String],
            _ more: [String: String?] = [:]
        ) async throws -> Forgebus.Outcome {
            let own: [String: String?] = ["XDG_CONFIG_HOME": home.path, "FORGEBUS_ENDPOINT": .none]
            return try await Forgebus.run(words, environment: own.merging(more) { $1 })
        }

        @Test("leads commands to the worker that is current or named, and to no other by chance")
        func leads() async throws {
            try await withScratch { home in
                _ = try await WorkerProcess.serve { worker in
                    let elsewhere = "ipc://\(home.path)/nobody.ipc"
                    #expect(try await Self.asked(home, "context", "add", "here", "-e", worker.endpoint).code == 0)
                    #expect(try await Self.asked(home, "ping").code == 0)
                    #expect(try await Self.asked(home, "context", "add", "away", "-e", elsewhere).code == 0)
                    let listed = try await Self.asked(home, "context", "list", "-o", "jsonl").objects()
                    #expect(listed.map { $0["context"]?.string } == ["away", "here"])
                    #expect(listed.map { $0["current"]?.bool } == [false, true])
                    // First the word, then the variables, then the current context.
                    let brief = ["ping", "--patience", "300ms"]
                    #expect(try await Self.asked(home, brief + ["--context", "away"]).code == 69)
                    #expect(try await Self.asked(home, brief, ["FORGEBUS_CONTEXT": "away"]).code == 69)
                    #expect(try await Self.asked(home, brief, ["FORGEBUS_ENDPOINT": elsewhere]).code == 69)
                    #expect(try await Self.asked(home, "context", "use", "away").code == 0)
                    #expect(try await Self.asked(home, brief).code == 69)
                    #expect(try await Self.asked(home, "ping", "--context", "here").code == 0)
                    #expect(try await Self.asked(home, "ping", "-e", worker.endpoint).code == 0)
                    #expect(try await Self.asked(home, brief + ["--context", "here", "-e", elsewhere]).code == 64)
                    // Without the current one, commands would go elsewhere.
                    #expect(try await Self.asked(home, "context", "remove", "away").code == 64)
                    #expect(try await Self.asked(home, "context", "use", "here").code == 0)
                    #expect(try await Self.asked(home, "context", "remove", "away").code == 0)
                    #expect(try await Self.asked(home, "ping").code == 0)
                }
            }
        }

        @Test("is added once, removed, and never guessed at")
        func kept() async throws {
            try await withScratch { home in
                let add = ["context", "add", "here", "-e", "tcp://127.0.0.1:1"]
                #expect(try await Self.asked(home, add).code == 0)
                #expect(try await Self.asked(home, add).code == 64)
                #expect(try await Self.asked(home, "context", "add", "bad", "-e", "nowhere").code == 64)
                let half = ["context", "add", "half", "-e", "tcp://127.0.0.1:1", "--certificate", "ada.key_secret"]
                #expect(try await Self.asked(home, half).code == 64)
                let wrong = try await Self.asked(home, "ping", "--context", "hree")
                #expect(wrong.code == 64 && wrong.errors.joined().contains("here"))
                #expect(try await Self.asked(home, "context", "use", "there").code == 64)
                let file = "\(home.path)/forgebus/contexts.json"
                let attributes = try FileManager.default.attributesOfItem(atPath: file)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(try await Self.asked(home, "context", "remove", "here").code == 0)
                #expect(try await Self.asked(home, "context", "-o", "jsonl").objects().isEmpty)
                try Data("{".utf8).write(to: URL(filePath: file))
                #expect(try await Self.asked(home, "context").code == 64)
                #expect(try await Self.asked(home, "ping").code == 64)
            }
        }

        @Test("keeps the paths of keys, wherever a command is called")
        func keys() async throws {
            try await withScratch { home in
                let here = FileManager.default.currentDirectoryPath
                let path = String(repeating: "../", count: here.split(separator: "/").count) + home.path.dropFirst()
                let words = [
                    "-e", "ipc://w.ipc", "--server-key", "\(path)/w.key", "--certificate", "\(path)/w.key_secret",
                ]
                #expect(try await Self.asked(home, ["context", "add", "keyed"] + words).code == 64)
                #expect(try await Forgebus.run(["keygen", "\(home.path)/w"]).code == 0)
                #expect(try await Self.asked(home, ["context", "add", "keyed"] + words).code == 0)
                let kept = try #require(try await Self.asked(home, "context", "list", "-o", "jsonl").objects().first)
                #expect(kept["certificate"]?.string == "\(home.path)/w.key_secret")
                #expect(kept["server_key"]?.string == "\(home.path)/w.key")
                #expect(kept["endpoint"]?.string == "ipc://\(here)/w.ipc")
                // The keys of the variables count before those of the current context.
                let other = ["FORGEBUS_CERTIFICATE": "\(home.path)/nobody.key_secret"]
                #expect(try await Self.asked(home, ["ping"], other).code == 78)
            }
        }
    }
}
